"""Memory files for the member whose they are: reading them, and writing the standing notes between turns.

The file first, then its version and its receipt; the file is put back when there can be none. What nobody wrote through
the server is made a version before anything takes its place. So after a crash at any moment each text is in the file or
in a version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tarimba.confined import Confined
from tarimba.errors import Refusal, invalid
from tarimba.identity.changes import commit_change, done, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record, record_read
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, is_known
from tarimba.workspaces import memory_files as files
from tarimba.workspaces import memory_store as store
from tarimba.workspaces import memory_versions as versions
from tarimba.workspaces import places
from tarimba.workspaces.memory_files import CUSTOM, FOLDER, TEXT_MAX, ChangedMeanwhileError, Standing
from tarimba.workspaces.memory_versions import ACT, Found, digest
from tarimba.workspaces.model import MemoryVersion, Workspace

_ANY: Final = "*"
_VERSION: Final = "version"

Name = Literal["MEMORY_CUSTOM.md", "MEMORY.md", "PROJECT.md"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A memory file. `version` is the one that holds it, None where none does; `found` what was written past us."""

    name: Name
    text: str
    is_text: bool
    hash: str
    size: int
    version: int | None
    found: Found | None
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Wish:
    """What the notes shall be. `seen` is the If-Match of the caller, `unseen` the If-None-Match."""

    text: str
    seen: str | None = None
    unseen: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    hash: str
    size: int
    version: int
    receipt: Recorded | None


@dataclass(frozen=True, slots=True)
class _Errand:
    """Who writes what where."""

    kernel: Kernel
    principal: Principal
    workspace: Workspace
    data: bytes
    once_key: OnceKey | None


def read(kernel: Kernel, principal: Principal, called: Called, name: Name = CUSTOM) -> Reading:
    """A file of the member's; one that is not there is empty. Raises 403, 404, 409, 413, 422, 501 and 503."""
    if name == "PROJECT.md" and not called.project:
        raise invalid("file", "PROJECT.md is that of a project: name it")
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, called)
    data = _content(kernel, workspace, name)
    if name != CUSTOM:
        return _read(kernel, principal, workspace, name, data)
    with kernel.database.read() as connection:
        is_news = versions.is_news(store.latest(connection, workspace), data)
    if is_news:
        data = _settle(kernel, principal, workspace, data)
    return _read(kernel, principal, workspace, name, data)


def write(
    kernel: Kernel, principal: Principal, called: Called, wish: Wish, once_key: OnceKey | None = None
) -> Written:
    """Makes the text the member's standing notes.

    Raises 403, 404, 409, 412 with the text that stands there, 413, 422, 428 when it is not said which text was seen,
    501 and 503.
    """
    data = wish.text.encode()
    if len(data) > TEXT_MAX:
        raise Refusal("too_large", f"text: must have at most {TEXT_MAX} bytes in UTF-8.")
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, called)
    change = _replayed(kernel, principal, once_key)
    if change is None:
        with files.changing(kernel.settings.data, workspace.seat) as folder:
            try:
                change = _put(_Errand(kernel, principal, workspace, data, once_key), folder, wish)
            except ChangedMeanwhileError:
                raise _stale(files.content(folder, CUSTOM) or b"") from None
    return Written(digest(data), len(data), int(change.ids[_VERSION]), receipt_of(change))


def _content(kernel: Kernel, workspace: Workspace, name: Name) -> bytes:
    with files.reading(kernel.settings.data, workspace.seat) as tree:
        return _content_in(tree, name)


def _content_in(tree: Confined | None, name: Name) -> bytes:
    return b"" if tree is None else files.content(tree, f"{FOLDER}/{name}") or b""


def _settle(kernel: Kernel, principal: Principal, workspace: Workspace, data: bytes) -> bytes:
    """Keeps what somebody else wrote. What a request writes at this moment is none of that: it is kept by itself."""
    try:
        with files.still(kernel.settings.data, workspace.seat) as tree:
            data = _content_in(tree, CUSTOM)
            versions.keep_found(kernel, principal, workspace, data)
    except Refusal as refusal:
        if refusal.retry_after is None:
            raise
    return data


def _read(kernel: Kernel, principal: Principal, workspace: Workspace, name: Name, data: bytes) -> Reading:
    mark, version, found = digest(data), None, None
    if name == CUSTOM:
        with kernel.database.read() as connection:
            latest = store.latest(connection, workspace)
            compare = versions.found_on_disk(connection, workspace)
        if latest is not None and latest.hash == mark:
            version = latest.version
            found = None if compare is None else compare()
    receipt = versions.reading(
        kernel, principal, workspace, file=name, hash=mark, size=len(data), version=version
    )
    recorded = record_read(kernel.writer, principal.space_id, receipt)
    text = files.readable(data)
    return Reading(name, text, files.is_text(data), mark, len(data), version, found, recorded)


def _put(errand: _Errand, folder: Confined, wish: Wish) -> Done:
    before = files.standing(folder, CUSTOM, is_any=wish.seen is not None and wish.seen.strip() == _ANY)
    _require_seen(wish, before)
    if not before.is_unread:
        versions.keep_found(errand.kernel, errand.principal, errand.workspace, before.data or b"")
    with files.written(folder, CUSTOM, errand.data, before):
        return _leave(errand, before)


def _leave(errand: _Errand, before: Standing) -> Done:
    """The version and the receipt of what stands there now."""
    workspace, by = errand.workspace, errand.principal

    def work(tx: Tx) -> Done:
        latest = store.latest(tx.connection, workspace)
        is_same = _is_the_same(latest, errand.data)
        new = latest if is_same else versions.add(tx, workspace, errand.data, "server")
        assert new is not None
        detail = versions.described(
            errand.kernel,
            workspace,
            before=None if before.data is None else digest(before.data),
            after=new.hash,
            size=new.size,
            version=new.version,
        )
        objects, agent = versions.objects_of(workspace), workspace.seat.source_id
        receipt = Receipt("member_memory.write", by.actor, by.via, agent, objects, detail)
        return done(200, record(tx, receipt), version=str(new.version))

    return commit_change(errand.kernel, by, ACT, errand.once_key, work)


def _is_the_same(latest: MemoryVersion | None, data: bytes) -> bool:
    return latest is not None and latest.origin == "server" and latest.hash == digest(data)


def _replayed(kernel: Kernel, principal: Principal, once_key: OnceKey | None) -> Done | None:
    """What the request left when it was done before; else None."""
    if once_key is None:
        return None
    with kernel.database.read() as connection:
        if not is_known(connection, principal.space_id, once_key):
            return None

    def work(_tx: Tx) -> Done:
        raise Refusal("conflict", "This Idempotency-Key is too old. Use a new one.")

    return commit_change(kernel, principal, ACT, once_key, work)


def _require_seen(wish: Wish, before: Standing) -> None:
    """Which text the caller has seen must be said, and be the one that stands there; no text is an empty one."""
    if before.is_unread:
        return
    present = before.data or b""
    if wish.unseen is not None and present and _ANY in _named(wish.unseen):
        raise _stale(present)
    if wish.seen is not None and _named(wish.seen).isdisjoint({_ANY, digest(present)}):
        raise _stale(present)
    if wish.seen is None and present:
        raise Refusal(
            "precondition_required", "Name the ETag of the text that you have read in If-Match: one is there."
        )


def _named(header: str) -> set[str]:
    return {part.strip().removeprefix("W/").strip('"') for part in header.split(",")}


def _stale(present: bytes) -> Refusal:
    """Says what stands there: the caller has the other text."""
    current = {"etag": digest(present), "text": files.readable(present), "is_text": files.is_text(present)}
    return Refusal(
        "precondition_failed",
        "Somebody has written the notes since you read them: their text is in `current`. Nothing was changed.",
        extra={"current": current},
    )
