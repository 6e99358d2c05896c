"""A member's own skills beside those of the administrators and of the package: listing and opening them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills import managed, member_files
from tarimba.skills.index_cache import Shared
from tarimba.skills.indexing import own_of, settled, shared_of
from tarimba.skills.member_files import Piece
from tarimba.skills.member_views import Document, Origin, Row, named, rows
from tarimba.skills.model import FILE_NAME
from tarimba.skills.published import blob, layers
from tarimba.skills.records import File
from tarimba.skills.rules import cascade
from tarimba.skills.seats import Called, Seat, for_member


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of rows; `ends_at` is where the next one begins, None at the end.

    `left_out` counts own skills that are on no page: only the first 2,000 directories are looked at.
    """

    items: tuple[Row, ...]
    ends_at: int | None
    left_out: int
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a skill; `more` when only the first 500 are told."""

    row: Row
    items: tuple[Piece, ...]
    more: bool
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Opened:
    document: Document
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class _Sight:
    """What the member has before them."""

    seat: Seat
    shared: Shared
    rows: list[Row]
    left_out: int

    def row(self, name: str, origin: Origin | None) -> Row:
        found = named(self.rows, name, origin)
        if found is None:
            raise not_found("skill")
        return found


def list_skills(kernel: Kernel, principal: Principal, called: Called, *, first: int, limit: int) -> Listing:
    """The skills of all three layers by name, from the place `first`. Raises 403, 404, 422 and 501."""
    with kernel.database.read() as connection:
        sight = _sight(kernel, connection, principal, called)
    items = tuple(sight.rows[first : first + limit])
    ends_at = first + limit if first + limit < len(sight.rows) else None
    detail = {"listed": len(items), "left_out": sight.left_out}
    return Listing(items, ends_at, sight.left_out, _leave(kernel, principal, sight.seat, detail))


def list_files(
    kernel: Kernel, principal: Principal, called: Called, name: str, origin: Origin | None
) -> Files:
    """The files of one skill by path, at most 500. Raises 403, 404, 409, 422 and 501."""
    with kernel.database.read() as connection:
        sight = _sight(kernel, connection, principal, called)
        row = sight.row(name, origin)
        more = False
        if row.origin == "shared":
            items = tuple(_piece(file) for file in _published(connection, sight.seat, row))
        elif row.origin == "managed":
            items = tuple(managed.pieces(sight.seat.profile, sight.shared.language, row.name))
        else:
            items, more = _own_pieces(kernel, sight.seat, row)
    receipt = _leave(kernel, principal, sight.seat, _about(kernel, sight.seat, row) | {"files": len(items)})
    return Files(row, items, more, receipt)


def open_file(
    kernel: Kernel, principal: Principal, called: Called, name: str, path: str, origin: Origin | None
) -> Opened:
    """One file of a skill; a SKILL.md that can't be loaded too. Raises 403, 404, 409, 422 and 501."""
    with kernel.database.read() as connection:
        sight = _sight(kernel, connection, principal, called)
        row = sight.row(name, origin)
        if row.origin == "shared":
            found = _of_published(connection, sight.seat, row, path)
        elif row.origin == "managed":
            found = _document(
                row, path, managed.content(sight.seat.profile, sight.shared.language, row.name, path)
            )
        else:
            found = _of_own(kernel, sight.seat, row, path)
    about = _about(kernel, sight.seat, row) | {"hash": found.piece.hash}
    return Opened(found, _leave(kernel, principal, sight.seat, about))


def _sight(kernel: Kernel, connection: Connection, principal: Principal, called: Called) -> _Sight:
    seat = for_member(connection, principal, called)
    shared = shared_of(kernel, connection, seat, principal.language)
    seen = own_of(kernel, seat, shared)
    return _Sight(seat, shared, rows(shared, settled(shared, seen)), seen.left_out)


def _published(connection: Connection, seat: Seat, row: Row) -> tuple[File, ...]:
    found = layers(connection, seat.space_id, seat.subscription_id, seat.source_id)
    return cascade(one for one in found if one.name == row.name)[row.name].winner.files


def _piece(file: File) -> Piece:
    return Piece(file.path, file.size, file.hash, is_text=file.size <= member_files.TEXT_MAX)


def _of_published(connection: Connection, seat: Seat, row: Row, path: str) -> Document:
    for file in _published(connection, seat, row):
        if file.path == path:
            return _document(row, path, blob(connection, seat.space_id, file.hash))
    raise not_found("file")


def _own_pieces(kernel: Kernel, seat: Seat, row: Row) -> tuple[tuple[Piece, ...], bool]:
    try:
        with member_files.reading(seat.workspace(kernel), seat.profile.own_root) as folder:
            found, more = member_files.pieces(folder, row.directory)
            return tuple(found), more
    except Refusal:
        if row.mark:
            raise
        # What stands there is a link, or went away: the row says why it is not loaded.
        return (), False


def _of_own(kernel: Kernel, seat: Seat, row: Row, path: str) -> Document:
    try:
        with member_files.reading(seat.workspace(kernel), seat.profile.own_root) as folder:
            data = member_files.content(folder, f"{row.directory}/{path}")
    except Refusal:
        if row.mark or path != FILE_NAME:
            raise
        data = None
    if data is None and path != FILE_NAME:
        raise not_found("file")
    return _document(row, path, data)


def _document(row: Row, path: str, data: bytes | None) -> Document:
    piece = managed.piece_of(path, data)
    text = None if data is None else member_files.text_of(data)
    if path != FILE_NAME:
        return Document(row.name, row.origin, piece, text)
    # A file that is no text is shown as near as it can be, so that its owner can mend it.
    shown = (
        text if text is not None or data is None else data.decode(errors="replace").replace("\0", "\ufffd")
    )
    return Document(row.name, row.origin, piece, shown, row.verdict, row.problems)


def _about(kernel: Kernel, seat: Seat, row: Row) -> dict[str, Any]:
    return {"skill": kernel.keys.of(seat.space_id).commit(row.directory), "origin": row.origin}


def _leave(kernel: Kernel, principal: Principal, seat: Seat, detail: Mapping[str, Any]) -> Recorded:
    receipt = Receipt("skill.index", principal.actor, principal.via, seat.source_id, seat.objects, detail)
    return record_read(kernel.writer, seat.space_id, receipt)
