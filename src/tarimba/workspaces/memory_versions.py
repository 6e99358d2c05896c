"""The versions of a member's notes: those written through the server, and those that were found on the disk.

Of each kind so many are kept that an agent, which writes there as it likes, takes none of the member's own away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity.changes import commit_change, done, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record, record_read
from tarimba.storage import Tx
from tarimba.storage.once import Done
from tarimba.workspaces import memory_store as store
from tarimba.workspaces import places
from tarimba.workspaces.differing import Difference, difference
from tarimba.workspaces.memory_files import readable
from tarimba.workspaces.model import MemoryVersion, Origin, Workspace

KEPT: Final = 20
ACT: Final = "own_memory"
READ: Final = "member_memory.read"


@dataclass(frozen=True, slots=True)
class Found:
    """What somebody wrote past the server. `version` holds it, `since` what was written through the server before."""

    version: int
    since: int | None
    difference: Difference


@dataclass(frozen=True, slots=True)
class Versions:
    """Newest first."""

    items: tuple[MemoryVersion, ...]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class OldText:
    version: MemoryVersion
    text: str
    receipt: Recorded


def list_versions(kernel: Kernel, principal: Principal, called: Called) -> Versions:
    """The versions that are kept, without their texts. Raises 403, 404, 422 and 501."""
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, called)
        items = store.versions(connection, workspace)
    receipt = reading(kernel, principal, workspace, versions=len(items))
    return Versions(items, record_read(kernel.writer, principal.space_id, receipt))


def open_version(kernel: Kernel, principal: Principal, called: Called, number: int) -> OldText:
    """One version with its text. Raises 403, 404, 422 and 501."""
    with kernel.database.read() as connection:
        workspace = places.own(connection, principal, called)
        found = store.version(connection, workspace, number)
    if found is None:
        raise not_found("version")
    version, text = found
    receipt = reading(kernel, principal, workspace, version=number, hash=version.hash)
    return OldText(version, text, record_read(kernel.writer, principal.space_id, receipt))


def is_news(latest: MemoryVersion | None, data: bytes) -> bool:
    """Whether what stands on the disk is in no version yet."""
    return bool(data) if latest is None else latest.hash != digest(data)


def keep_found(kernel: Kernel, principal: Principal, workspace: Workspace, data: bytes) -> Recorded | None:
    """Makes what was found on the disk a version. Call it while nobody writes through the server."""

    def work(tx: Tx) -> Done:
        latest = store.latest(tx.connection, workspace)
        if not is_news(latest, data):
            return done(200, None)
        new = add(tx, workspace, data, "disk")
        told = reading(kernel, principal, workspace, found=new.version, hash=new.hash, size=new.size)
        return done(200, record(tx, told))

    return receipt_of(commit_change(kernel, principal, ACT, None, work))


def add(tx: Tx, workspace: Workspace, data: bytes, origin: Origin) -> MemoryVersion:
    """The newest version from now on; the oldest of its kind goes when there are more than are kept."""
    latest = store.latest(tx.connection, workspace)
    number = 1 if latest is None else latest.version + 1
    new = MemoryVersion(number, digest(data), len(data), origin, tx.now)
    store.add(tx, workspace, new, readable(data))
    # The present one, and those before it.
    store.prune(tx, workspace, origin, KEPT + 1)
    return new


def found_on_disk(connection: Connection, workspace: Workspace) -> Callable[[], Found] | None:
    """What the member has not answered yet, to be compared when the connection is given back; None for nothing."""
    latest = store.latest(connection, workspace)
    if latest is None or latest.origin == "server":
        return None
    base = store.latest(connection, workspace, "server")
    before = None if base is None else store.version(connection, workspace, base.version)
    now = store.version(connection, workspace, latest.version)
    texts = ("" if before is None else before[1], "" if now is None else now[1])
    since = None if base is None else base.version
    return lambda: Found(latest.version, since, difference(*texts))


def reading(
    kernel: Kernel, principal: Principal, workspace: Workspace, **detail: int | str | None
) -> Receipt:
    """The receipt of a read."""
    told = described(kernel, workspace, **detail)
    seat = workspace.seat
    return Receipt(READ, principal.actor, principal.via, seat.source_id, objects_of(workspace), told)


def described(
    kernel: Kernel, workspace: Workspace, **detail: int | str | None
) -> dict[str, int | str | None]:
    """What a receipt says: hashes of texts and names of projects only so that who knows them can find them."""
    key = kernel.keys.of(workspace.seat.space_id)
    hidden = {
        name: key.commit(value)
        for name, value in detail.items()
        if isinstance(value, str) and name in {"hash", "before", "after"}
    }
    project = {"project": key.commit(workspace.seat.project)} if workspace.seat.project else {}
    return detail | hidden | project


def objects_of(workspace: Workspace) -> dict[str, str]:
    return workspace.seat.objects | {"workspace_id": workspace.workspace_id}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
