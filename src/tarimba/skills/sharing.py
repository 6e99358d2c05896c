"""Files that administrators share at the four scopes: agents read them, nobody else writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.changes import done, leave
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.skills import paths, sharing_store, store
from tarimba.skills.access import Asked, approach, commit
from tarimba.skills.drafting import digest
from tarimba.skills.matching import require_match
from tarimba.skills.publishing import objects_of
from tarimba.skills.records import Place, SharedFile
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey

BYTES_MAX: Final = 10 * 1024 * 1024
FILES_MAX: Final = 1000


@dataclass(frozen=True, slots=True)
class Given:
    """A file that somebody wants to share, at a path below the folder of its scope."""

    path: str
    content: bytes


def share(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    given: Given,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Done:
    """The file is there from now on, in place of one that was at its path. The same bytes again are nothing new.

    Ids: `file_id`. Raises 403, 404, 409 when the scope is full or the path clashes, 412, 413 and 422.
    """
    where = approach(kernel, principal, asked)
    path, mark = checked_path(given.path), digest(given.content)
    if len(given.content) > BYTES_MAX:
        raise Refusal("too_large", f"file: must have at most {BYTES_MAX} bytes.")

    def work(tx: Tx) -> Done:
        before = sharing_store.shared_at(tx.connection, tx.space_id, where.place, path)
        require_match(seen, before.hash if before else None)
        if before is not None and before.hash == mark:
            return done(200, None, file_id=before.file_id)
        if before is None:
            _require_room(tx, where.place, path)
        new = _new(tx, principal, where.place, before, Given(path, given.content))
        store.hold(tx, [mark], {mark: given.content})
        sharing_store.put(tx, new)
        if before is not None:
            store.let_go(tx, [before.hash])
        detail = {"scope": new.scope, "version": new.version, "hash": new.hash, "size": new.size}
        return _told(tx, principal, "file.publish", new, detail, 201)

    return commit(kernel, principal, once_key, work)


def unshare(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    path: str,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Done:
    """The file is gone, and its bytes unless something else holds them. Ids: `file_id`. Raises 403, 404 and 412."""
    where = approach(kernel, principal, asked)

    def work(tx: Tx) -> Done:
        before = sharing_store.shared_at(tx.connection, tx.space_id, where.place, paths.composed(path))
        if before is None:
            raise not_found("file")
        require_match(seen, before.hash)
        sharing_store.drop(tx, where.place, before.path)
        store.let_go(tx, [before.hash])
        return _told(tx, principal, "file.remove", before, {"scope": before.scope, "size": before.size}, 200)

    return commit(kernel, principal, once_key, work)


def checked_path(path: str) -> str:
    """The path as it is kept. Raises 422, naming the rule."""
    words = paths.fault(path)
    if words is None and paths.is_too_deep(path):
        words = f"has more than {paths.DEPTH_MAX} steps"
    if words is not None:
        raise invalid("path", words)
    return paths.composed(path)


def _require_room(tx: Tx, place: Place, path: str) -> None:
    """Raises 409 when the scope is full, or when some disk can't keep the path beside those that are there."""
    there = sharing_store.paths_at(tx.connection, tx.space_id, place)
    if len(there) >= FILES_MAX:
        raise Refusal("conflict", f"There are {FILES_MAX} files at this scope: remove one first.")
    words = paths.clash([*there, path])
    if words is not None:
        raise Refusal("conflict", f"path: with it the scope {words}.")


def _new(tx: Tx, by: Principal, place: Place, before: SharedFile | None, given: Given) -> SharedFile:
    return SharedFile(
        file_id=before.file_id if before else new_id(),
        scope=place.scope,
        subscription_id=place.subscription_id,
        source_id=place.source_id,
        path=given.path,
        hash=digest(given.content),
        size=len(given.content),
        version=before.version + 1 if before else 1,
        published_at=tx.now,
        published_by=by.id,
        ordinal=tx.next_ordinal(),
    )


def _told(tx: Tx, by: Principal, action: str, file: SharedFile, detail: dict[str, Any], status: int) -> Done:
    objects = objects_of(file.place, file_id=file.file_id)
    recorded = leave(tx, by, action, objects, detail, file.source_id or None)
    return done(status, recorded, file_id=file.file_id)
