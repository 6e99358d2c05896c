"""What administrators see of what is published: lists, one version, its history, its archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, and_, true

from tarimba.errors import not_found
from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.identity.seats import agent_named, subscription_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills import paths, published, sharing_store, store
from tarimba.skills.access import Asked, look, reach
from tarimba.skills.model import FILE_NAME
from tarimba.skills.publishing import objects_of
from tarimba.skills.records import File, Place, Published, SharedFile
from tarimba.storage.tables import shared_file, skill

# The oldest moment that an archive can write, so that equal files give equal bytes.
_THEN: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Document:
    """One version with its text. `original` is what was sent, where that was written anew, else None."""

    published: Published
    text: str
    original: bytes | None
    problems: list[dict[str, Any]]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Download:
    """Bytes to take along, known by their hash."""

    name: str
    hash: str
    content: bytes
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Within:
    """Which scopes a list is of: what is empty may be any. Subscription and agent by slug or id."""

    scope: Literal["", "tenant", "subscription"] = ""
    subscription: str = ""
    agent: str = ""


def list_skills(
    kernel: Kernel, principal: Principal, asked: Asked | None, window: Window
) -> tuple[list[Published], int | None]:
    """Those in force at one scope, or at all that the caller sees, oldest first, and where the page ends if it does.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        which = _seen(connection, principal, asked, skill)
        found = store.listed(connection, principal.space_id, which, window.after, window.limit + 1)
    shown = found[: window.limit]
    return [one for _, one in shown], shown[-1][0] if len(found) > window.limit else None


def list_skills_within(
    kernel: Kernel, principal: Principal, within: Within, window: Window, *, removed: bool = False
) -> tuple[list[Published], int | None]:
    """As `list_skills`, of several scopes; `removed`: those that are in force no more, by their last version."""
    find = store.listed_removed if removed else store.listed
    with kernel.database.read() as connection:
        which = _narrowed(connection, principal, within, skill)
        found = find(connection, principal.space_id, which, window.after, window.limit + 1)
    shown = found[: window.limit]
    return [one for _, one in shown], shown[-1][0] if len(found) > window.limit else None


def list_versions(
    kernel: Kernel, principal: Principal, asked: Asked, name: str, *, limit: int, before: int | None = None
) -> tuple[list[Published], int, int | None]:
    """Newest first, the number of the one in force (0: none), and the last number when there are more.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        entry = _entry(connection, principal, asked, name)
        found = store.versions(connection, principal.space_id, entry.skill_id, before, limit + 1)
    shown = found[:limit]
    return shown, entry.version, shown[-1].version if len(found) > limit else None


def read_document(
    kernel: Kernel, principal: Principal, asked: Asked, name: str, version: int | None
) -> Document:
    """The text of a version, the one in force unless another is named. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        one = _version(connection, principal, asked, name, version)
        (file,) = (file for file in one.files if file.path == FILE_NAME)
        text = published.blob(connection, principal.space_id, file.hash).decode()
        original = published.blob(connection, principal.space_id, file.original) if file.original else None
        told = json.loads(store.problems(connection, principal.space_id, one.skill_id, one.version))
    return Document(one, text, original, told, _read(kernel, principal, one))


def read_archive(
    kernel: Kernel, principal: Principal, asked: Asked, name: str, version: int | None
) -> Download:
    """A version as a zip archive, its files in a folder of the skill's name. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        one = _version(connection, principal, asked, name, version)
        content = _archive(connection, principal.space_id, one.name, one.files)
    return Download(f"{one.name}.zip", one.content_hash, content, _read(kernel, principal, one))


def read_content(
    kernel: Kernel, principal: Principal, asked: Asked, name: str, version: int | None, path: str
) -> Download:
    """One file of a version. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        one = _version(connection, principal, asked, name, version)
        file = next((file for file in one.files if file.path == path), None)
        if file is None:
            raise not_found("file")
        content = published.blob(connection, principal.space_id, file.hash)
    return Download(path.rsplit("/", 1)[-1], file.hash, content, _read(kernel, principal, one))


def find_version(kernel: Kernel, space_id: str, skill_id: str, version: int) -> Published:
    """A version that a change made or left. Raises 404 when it was erased since."""
    with kernel.database.read() as connection:
        found = store.version(connection, space_id, skill_id, version)
    if found is None:
        raise not_found("skill")
    return found


def list_files(
    kernel: Kernel, principal: Principal, asked: Asked | None, window: Window
) -> tuple[list[SharedFile], int | None]:
    """As `list_skills`, of shared files, by when they were published."""
    with kernel.database.read() as connection:
        which = _seen(connection, principal, asked, shared_file)
        found = sharing_store.listed(connection, principal.space_id, which, window.after, window.limit + 1)
    shown = found[: window.limit]
    return shown, shown[-1].ordinal if len(found) > window.limit else None


def list_files_within(
    kernel: Kernel, principal: Principal, within: Within, window: Window
) -> tuple[list[SharedFile], int | None]:
    """As `list_files`, of several scopes."""
    with kernel.database.read() as connection:
        which = _narrowed(connection, principal, within, shared_file)
        found = sharing_store.listed(connection, principal.space_id, which, window.after, window.limit + 1)
    shown = found[: window.limit]
    return shown, shown[-1].ordinal if len(found) > window.limit else None


def read_file(kernel: Kernel, principal: Principal, asked: Asked, path: str) -> Download:
    """A shared file. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        one = _file(connection, principal, look(connection, principal, asked), path)
        content = published.blob(connection, principal.space_id, one.hash)
    detail = {"scope": one.scope, "version": one.version, "hash": one.hash}
    receipt = _receipt(principal, one.place, {"file_id": one.file_id}, detail)
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    return Download(one.path.rsplit("/", 1)[-1], one.hash, content, recorded)


def find_file(kernel: Kernel, space_id: str, file_id: str) -> SharedFile:
    """A file that a change made or left. Raises 404 when it was removed since."""
    with kernel.database.read() as connection:
        found = sharing_store.shared(connection, space_id, shared_file.c.file_id == file_id)
    if not found:
        raise not_found("file")
    return found[0]


def _seen(
    connection: Connection, principal: Principal, asked: Asked | None, table: Any
) -> ColumnElement[bool]:
    if asked is not None:
        return store.at(table, look(connection, principal, asked))
    return _reached(connection, principal, table)


def _reached(connection: Connection, principal: Principal, table: Any) -> ColumnElement[bool]:
    within = reach(connection, principal).subscriptions
    return true() if within is None else table.c.subscription_id.in_(sorted({"", *within}))


def _narrowed(
    connection: Connection, principal: Principal, within: Within, table: Any
) -> ColumnElement[bool]:
    """Raises 404 for a subscription or an agent that is not there; one of others gives an empty list."""
    parts = [_reached(connection, principal, table)]
    if within.scope:
        parts.append(table.c.scope == within.scope)
    for name, named, column in (
        (within.subscription, subscription_named, table.c.subscription_id),
        (within.agent, agent_named, table.c.source_id),
    ):
        if name:
            found = named(connection, principal.space_id, name)
            if found is None:
                raise not_found("subscription or agent")
            parts.append(column == found.id)
    return and_(*parts)


def _entry(connection: Connection, principal: Principal, asked: Asked, name: str) -> store.Entry:
    place = look(connection, principal, asked)
    found = store.entry(connection, principal.space_id, place, name)
    if found is None:
        raise not_found("skill")
    return found


def _version(
    connection: Connection, principal: Principal, asked: Asked, name: str, version: int | None
) -> Published:
    entry = _entry(connection, principal, asked, name)
    number = entry.version if version is None else version
    found = store.version(connection, principal.space_id, entry.skill_id, number)
    if found is None:
        raise not_found("skill" if version is None else "version")
    return found


def _file(connection: Connection, principal: Principal, place: Place, path: str) -> SharedFile:
    found = sharing_store.shared_at(connection, principal.space_id, place, paths.composed(path))
    if found is None:
        raise not_found("file")
    return found


def _read(kernel: Kernel, principal: Principal, one: Published) -> Recorded:
    detail = {"scope": one.scope, "version": one.version, "content_hash": one.content_hash}
    receipt = _receipt(principal, one.place, {"skill_id": one.skill_id}, detail)
    return record_read(kernel.writer, principal.space_id, receipt)


def _receipt(principal: Principal, place: Place, ids: dict[str, str], detail: dict[str, Any]) -> Receipt:
    objects = objects_of(place, **ids)
    return Receipt("skill.index", principal.actor, principal.via, None, objects, detail)


def _archive(connection: Connection, space_id: str, name: str, files: Iterable[File]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(f"{name}/{file.path}", _THEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, published.blob(connection, space_id, file.hash))
    return made.getvalue()
