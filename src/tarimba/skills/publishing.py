"""Publishing a skill at one of the four scopes, and going back to a version that was published before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tarimba.errors import Refusal, not_found
from tarimba.identity.changes import done, leave
from tarimba.identity.model import Principal
from tarimba.ids import new_id
from tarimba.jobs import service as jobs
from tarimba.kernel import Kernel
from tarimba.skills import place_store, rules, store
from tarimba.skills.access import Asked, Where, approach, commit
from tarimba.skills.disk import FLATTEN
from tarimba.skills.drafting import Draft, Offer, Told, draft, require_size
from tarimba.skills.matching import require_match
from tarimba.skills.model import FILE_NAME
from tarimba.skills.records import File, Place, Published
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey
from tarimba.webhooks.service import announce

# In force at one scope: what a host writes on its disk and an answer explains has an end.
SKILLS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What publishing came to. Ids of `done`: `skill_id` and `version`; 200 and no receipt when nothing differed.

    `warnings` are of what was sent; `ignored` counts files of an archive that nobody wrote.
    """

    done: Done
    warnings: tuple[Told, ...] = ()
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class _Content:
    """What a new version holds. `contents` are bytes that may not be kept yet."""

    description: str
    verdict: str
    problems: str
    files: tuple[File, ...]
    contents: Mapping[str, bytes]


def publish(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    offer: Offer,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Outcome:
    """A new version, in force from now on; the one before it is kept. The text alone keeps the other files.

    The same content again is nothing new. `seen` is the If-Match of the caller: content hashes of versions.
    Raises 403, 404, 409 when the scope is full, 412, 413, 422 and 503.
    """
    where = approach(kernel, principal, asked)
    made = draft(replace(offer, harnesses=readers(kernel, principal.space_id, where)), kernel.detectors)

    def work(tx: Tx) -> Done:
        before = _in_force(tx, where.place, made.name)
        require_match(seen, before.content_hash if before else None)
        return _put(tx, principal, where.place, made.name, _content(made, before), "publish")

    return Outcome(commit(kernel, principal, once_key, work), made.problems, made.ignored)


def roll_back(
    kernel: Kernel,
    principal: Principal,
    asked: Asked,
    name: str,
    version: int | None,
    *,
    seen: str | None = None,
    once_key: OnceKey | None = None,
) -> Outcome:
    """A new version with the content of an old one: of `version`, else of the one before that in force.

    Raises 403, 404 when there is no such version, 409, 412 and 422.
    """
    where = approach(kernel, principal, asked)

    def work(tx: Tx) -> Done:
        entry = store.entry(tx.connection, tx.space_id, where.place, name)
        if entry is None:
            raise not_found("skill")
        before = _in_force(tx, where.place, name)
        require_match(seen, before.content_hash if before else None)
        old = _old(tx, entry, version)
        told = store.problems(tx.connection, tx.space_id, old.skill_id, old.version)
        content = _Content(old.description, old.verdict, told, old.files, {})
        return _put(tx, principal, where.place, name, content, "rollback")

    return Outcome(commit(kernel, principal, once_key, work))


def tell_disks(tx: Tx, place: Place) -> None:
    """Has the hosts write what a scope came to, unless that is asked for already."""
    payload = {"subscription_id": place.subscription_id, "source_id": place.source_id}
    if all(one.payload != payload for one in jobs.waiting(tx.connection, tx.space_id, FLATTEN)):
        jobs.enqueue(tx, FLATTEN, payload)


def objects_of(place: Place, **ids: str) -> dict[str, str]:
    """The ids that a receipt, or an event, of a scope names."""
    named = {"subscription_id": place.subscription_id, "source_id": place.source_id}
    return ids | {name: value for name, value in named.items() if value}


def readers(kernel: Kernel, space_id: str, where: Where) -> frozenset[str]:
    """The harnesses that will read what is published there."""
    if where.harness:
        return frozenset({where.harness})
    with kernel.database.read() as connection:
        return place_store.harnesses(connection, space_id)


def _in_force(tx: Tx, place: Place, name: str) -> Published | None:
    entry = store.entry(tx.connection, tx.space_id, place, name)
    if entry is None or not entry.version:
        return None
    return store.version(tx.connection, tx.space_id, entry.skill_id, entry.version)


def _old(tx: Tx, entry: store.Entry, version: int | None) -> Published:
    newest = store.versions(tx.connection, tx.space_id, entry.skill_id, entry.version or None, 1)
    found = newest[0] if newest else None
    if version is not None:
        found = store.version(tx.connection, tx.space_id, entry.skill_id, version)
    if found is None:
        raise not_found("version")
    return found


def _content(made: Draft, before: Published | None) -> _Content:
    """With the text alone, the other files stay as they are in force at this very moment."""
    files = made.files
    if not made.is_whole and before is not None:
        files = (*files, *(file for file in before.files if file.path != FILE_NAME))
        require_size(files)
    told = json.dumps([one.as_json() for one in made.problems], ensure_ascii=False, separators=(",", ":"))
    return _Content(made.description, made.verdict, told, files, made.contents)


def _put(tx: Tx, by: Principal, place: Place, name: str, content: _Content, change: str) -> Done:
    entry = store.entry(tx.connection, tx.space_id, place, name)
    before = _in_force(tx, place, name)
    mark = rules.content_hash(content.files)
    if before is not None and before.content_hash == mark:
        return done(200, None, skill_id=before.skill_id, version=str(before.version))
    if before is None and store.count_in_force(tx.connection, tx.space_id, place) >= SKILLS_MAX:
        raise Refusal("conflict", f"There are {SKILLS_MAX} skills at this scope: remove one first.")
    skill_id = entry.skill_id if entry else new_id()
    if entry is None:
        store.add_skill(tx, skill_id, place, name)
    new = Published(
        skill_id=skill_id,
        scope=place.scope,
        subscription_id=place.subscription_id,
        source_id=place.source_id,
        name=name,
        description=content.description,
        verdict=content.verdict,
        version=store.newest(tx, skill_id) + 1,
        content_hash=mark,
        size=sum(file.size for file in content.files),
        files=content.files,
        published_at=tx.now,
        published_by=by.id,
        ordinal=tx.next_ordinal(),
    )
    store.hold(tx, new.digests, content.contents)
    store.add_version(tx, new, content.problems)
    return _told(tx, by, new, change)


def _told(tx: Tx, by: Principal, new: Published, change: str) -> Done:
    """Leaves the receipt, announces the version and has the hosts write it."""
    detail: dict[str, Any] = {
        "change": change,
        "scope": new.scope,
        "version": new.version,
        "content_hash": new.content_hash,
        "verdict": new.verdict,
        "files": len(new.files),
        "size": new.size,
    }
    objects = objects_of(new.place, skill_id=new.skill_id)
    recorded = leave(tx, by, "skill.publish", objects, detail, new.source_id or None)
    data: dict[str, str | int | None] = {
        **objects,
        "scope": new.scope,
        "version": new.version,
        "content_hash": new.content_hash,
    }
    announce(tx, "skill.published", new.skill_id, data)
    tell_disks(tx, new.place)
    return done(201, recorded, skill_id=new.skill_id, version=str(new.version))
