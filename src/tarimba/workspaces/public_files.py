"""What an agent lays out for its member to see: the folder `public/`, listed and sent, and nothing behind a link.

The agent writes there at the same moment, and decides every name in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tarimba.clock import SECOND
from tarimba.confined import Confined, Kind
from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.workspaces import places
from tarimba.workspaces.memory_files import reading
from tarimba.workspaces.memory_versions import objects_of
from tarimba.workspaces.model import Workspace

FOLDER: Final = "public"
SENT_MAX: Final = 256 * 1024 * 1024
# More names than anybody reads: what follows in the order of the disk is not looked at.
NAMES_MAX: Final = 10_000
_PIECE: Final = 256 * 1024
_READ: Final = "member_file.read"


@dataclass(frozen=True, slots=True)
class Shown:
    """One name in a folder. `path` is None where it can't be written in UTF-8. `modified_at` is in microseconds."""

    name: str
    path: str | None
    kind: Kind
    size: int
    modified_at: int


@dataclass(frozen=True, slots=True)
class Listing:
    """A page by name; `ends_at` is where the next one begins, None at the end. `left_out`: above 10,000 names."""

    items: tuple[Shown, ...]
    ends_at: int | None
    left_out: bool
    receipt: Recorded


class Flow(Iterator[bytes]):
    """The bytes of an open file, as many as it had when it was opened. Raises 503 when it was cut since."""

    def __init__(self, handle: int, size: int) -> None:
        self._file = os.fdopen(handle, "rb", buffering=0)
        self._left = size

    def __next__(self) -> bytes:
        if self._left == 0:
            raise StopIteration
        piece = self._file.read(min(_PIECE, self._left))
        if not piece:
            raise Refusal("unavailable", "The file was cut while it was sent. Ask for it again.")
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class Download:
    name: str
    size: int
    content: Flow
    receipt: Recorded


def look(
    kernel: Kernel, principal: Principal, called: Called, path: str, *, first: int, limit: int
) -> Listing | Download:
    """A folder's names from the place `first`, or the file that is there.

    Without a path, the folder itself: nothing while it is not there. Raises 403, 404, 409 for a link or what is no
    plain file, 413 above 256 MiB, 422, 501 and 503.
    """
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, called)
    with reading(kernel.settings.data, workspace.seat) as tree:
        where = f"{FOLDER}/{path}" if path else FOLDER
        kind = _kind(tree, where)
        if kind is None and path:
            raise not_found("file")
        if path and kind != "directory" and tree is not None:
            return _download(kernel, principal, workspace, tree, where)
        rows, left_out = _rows(tree, where, path) if tree is not None and kind else ((), False)
    items = tuple(rows[first : first + limit])
    ends_at = first + limit if first + limit < len(rows) else None
    receipt = _leave(kernel, principal, workspace, {"listed": len(items)}, path)
    return Listing(items, ends_at, left_out, receipt)


def _kind(tree: Confined | None, path: str) -> Kind | None:
    """What stands there, not followed; None for nothing."""
    if tree is None:
        return None
    try:
        return tree.look(path).kind
    except FileNotFoundError:
        return None


def _rows(tree: Confined, where: str, path: str) -> tuple[Sequence[Shown], bool]:
    with tree.beneath(where) as folder, os.scandir(folder.fileno()) as entries:
        names = [entry.name for entry in islice(entries, NAMES_MAX + 1)]
        rows = (_row(folder.fileno(), name, path) for name in sorted(names[:NAMES_MAX], key=os.fsencode))
        return [row for row in rows if row is not None], len(names) > NAMES_MAX


def _row(folder: int, name: str, path: str) -> Shown | None:
    """None when it was taken away since it was listed."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    kind: Kind = "other"
    if stat.S_ISDIR(found.st_mode):
        kind = "directory"
    elif stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
        kind = "file"
    shown = os.fsencode(name).decode(errors="replace")
    below = f"{path}/{name}" if path else name
    modified_at = found.st_mtime_ns * SECOND // 1_000_000_000
    return Shown(
        shown, below if shown == name else None, kind, found.st_size if kind == "file" else 0, modified_at
    )


def _download(
    kernel: Kernel, principal: Principal, workspace: Workspace, tree: Confined, where: str
) -> Download:
    handle = tree.opened(where)
    size = os.fstat(handle).st_size
    flow = Flow(handle, size)
    try:
        _require_size(size)
        receipt = _leave(kernel, principal, workspace, {"size": size}, where.removeprefix(f"{FOLDER}/"))
    except BaseException:
        flow.close()
        raise
    return Download(where.rpartition("/")[2], size, flow, receipt)


def _require_size(size: int) -> None:
    if size > SENT_MAX:
        raise Refusal("too_large", f"The file has more than {SENT_MAX} bytes: it is not sent.")


def _leave(
    kernel: Kernel, principal: Principal, workspace: Workspace, detail: dict[str, int], path: str
) -> Recorded:
    """Which file it was, only who knows its name can tell."""
    seat = workspace.seat
    key = kernel.keys.of(seat.space_id)
    project = {"project": key.commit(seat.project)} if seat.project else {}
    told = detail | {"file": key.commit(path)} | project
    receipt = Receipt(_READ, principal.actor, principal.via, seat.source_id, objects_of(workspace), told)
    return record_read(kernel.writer, seat.space_id, receipt)
