"""Taking a skill out of force, and erasing what was published of it."""

from __future__ import annotations

from typing import Any, Final

from tarimba.errors import not_found
from tarimba.identity.changes import done, leave
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.skills import store
from tarimba.skills.access import Asked, approach, commit, find
from tarimba.skills.matching import require_match
from tarimba.skills.publishing import objects_of, tell_disks
from tarimba.skills.records import Place, Published
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.webhooks.service import announce

_ACTION: Final = "skill.remove"
_AT_ONCE: Final = 200


def remove(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    name: str,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Done:
    """The skill is in force no more; its versions stay, and going back to one brings it back. Ids: `skill_id`.

    Raises 403, 404 (also for one that is removed already) and 412.
    """
    where = approach(kernel, principal, asked)

    def work(tx: Tx) -> Done:
        entry = store.entry(tx.connection, tx.space_id, where.place, name)
        if entry is None or not entry.version:
            raise not_found("skill")
        _require_seen(tx, entry, seen)
        store.put_in_force(tx, entry.skill_id, 0)
        detail = {"change": "remove", "scope": where.place.scope, "version": entry.version}
        return _told(tx, principal, where.place, entry.skill_id, detail)

    return commit(kernel, principal, once_key, work)


def erase(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    name: str,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Done:
    """Nothing of the skill is left: no version, no name, no byte that nothing else holds. Ids: `skill_id`.

    Only who may erase in the space. Raises 403, 404 and 412: with `seen` also for a skill that is not in force.
    """
    allow(principal, "erase")
    with kernel.database.read() as connection:
        place = find(connection, principal.space_id, asked).place

    def work(tx: Tx) -> Done:
        entry = store.entry(tx.connection, tx.space_id, place, name)
        if entry is None:
            raise not_found("skill")
        _require_seen(tx, entry, seen)
        versions = _everything(tx, entry.skill_id)
        blobs = sum(store.let_go(tx, one.digests) for one in versions)
        store.erase(tx, entry.skill_id)
        detail = {"change": "erase", "scope": place.scope, "versions": len(versions), "blobs": blobs}
        return _told(tx, principal, place, entry.skill_id, detail)

    return commit(kernel, principal, once_key, work)


def _require_seen(tx: Tx, entry: store.Entry, seen: str | None) -> None:
    before = store.version(tx.connection, tx.space_id, entry.skill_id, entry.version)
    require_match(seen, before.content_hash if before else None)


def _everything(tx: Tx, skill_id: str) -> list[Published]:
    found: list[Published] = []
    before: int | None = None
    while page := store.versions(tx.connection, tx.space_id, skill_id, before, _AT_ONCE):
        found += page
        before = page[-1].version
    return found


def _told(tx: Tx, by: Principal, place: Place, skill_id: str, detail: dict[str, Any]) -> Done:
    objects = objects_of(place, skill_id=skill_id)
    recorded = leave(tx, by, _ACTION, objects, detail, place.source_id or None)
    data: dict[str, str | int | None] = {**objects, "scope": place.scope}
    announce(tx, "skill.removed", skill_id, data)
    tell_disks(tx, place)
    return done(200, recorded, skill_id=skill_id)
