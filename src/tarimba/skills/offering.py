"""What one agent is given by name over a protocol: the published skills that reach it, each access with its receipt.

Only what is in force, and of the layers only the one that wins: an agent sees what it would find on its disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import subscription_named
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills.names import is_seen_everywhere
from tarimba.skills.published import blob, layers, named
from tarimba.skills.records import File, Published
from tarimba.skills.rules import cascade, set_hash

PAGE: Final = 100
# SEP-2640: what every host of the protocol takes.
FILES_MAX: Final = 512
BYTES_MAX: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Offered:
    """A page of skills, sorted by name."""

    skills: tuple[Published, ...]
    receipt: Recorded
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """The bytes of one file of a skill."""

    skill: Published
    file: File
    data: bytes
    receipt: Recorded


def list_offered(
    kernel: Kernel, principal: Principal, subscription: str = "", *, cursor: str | None = None
) -> Offered:
    """The skills that reach the caller in one subscription (slug or id; empty: in none).

    Raises 403, 404 for an unknown subscription, and 422 for a cursor of another list or of another set: what was
    published since has changed the set, so the list begins anew.
    """
    allow(principal, "read_skills")
    with kernel.database.read() as connection:
        subscription_id = _subscription(connection, principal.space_id, subscription)
        found = layers(connection, principal.space_id, subscription_id, principal.source_id or "")
    chosen = {name: one for name, one in cascade(found).items() if is_offered(one.winner)}
    mark = set_hash(chosen)
    key = kernel.keys.of(principal.space_id)
    scope = json.dumps(["skills.offered", principal.kind, principal.id, subscription_id, mark])
    first = 0 if cursor is None else read_cursor(key, scope, cursor)
    page = tuple(one.winner for one in chosen.values())[first : first + PAGE]
    after = write_cursor(key, scope, first + PAGE) if len(chosen) > first + PAGE else None
    detail = {"set_hash": mark, "skills": [one.skill_id for one in page], "count": len(chosen)}
    return Offered(page, _leave(kernel, principal, _within(subscription_id), detail), after)


def read_offered(kernel: Kernel, principal: Principal, subscription: str, scope: str, name: str) -> Offered:
    """One skill. `scope` is that of the layer that wins. Raises 403, and 404 for every other one."""
    allow(principal, "read_skills")
    with kernel.database.read() as connection:
        subscription_id, found = _one(connection, principal, subscription, scope, name)
    return Offered((found,), _about(kernel, principal, subscription_id, found, {}))


def read_file(
    kernel: Kernel, principal: Principal, subscription: str, scope: str, name: str, path: str
) -> OfferedFile:
    """One file of a skill. Raises 403, and 404 for a path that it does not have."""
    allow(principal, "read_skills")
    with kernel.database.read() as connection:
        subscription_id, found = _one(connection, principal, subscription, scope, name)
        file = next((file for file in found.files if file.path == path), None)
        if file is None:
            raise not_found("file")
        try:
            data = blob(connection, principal.space_id, file.hash)
        except KeyError:  # Removed with its bytes between the two reads.
            raise not_found("file") from None
    receipt = _about(kernel, principal, subscription_id, found, {"file": file.hash})
    return OfferedFile(found, file, data, receipt)


def is_offered(skill: Published) -> bool:
    """Whether every host of the protocol takes it: the name is of its alphabet and the files are within its limits."""
    is_within = len(skill.files) <= FILES_MAX and sum(file.size for file in skill.files) <= BYTES_MAX
    return is_within and is_seen_everywhere(skill.name)


def _subscription(connection: Connection, space_id: str, name: str) -> str:
    if not name:
        return ""
    found = subscription_named(connection, space_id, name)
    if found is None:
        raise not_found("subscription")
    return found.id


def _one(
    connection: Connection, principal: Principal, subscription: str, scope: str, name: str
) -> tuple[str, Published]:
    subscription_id = _subscription(connection, principal.space_id, subscription)
    found = named(connection, principal.space_id, subscription_id, principal.source_id or "", name)
    chosen = cascade(found).get(name)
    if chosen is None or chosen.winner.scope != scope or not is_offered(chosen.winner):
        raise not_found("skill")
    return subscription_id, chosen.winner


def _about(
    kernel: Kernel, principal: Principal, subscription_id: str, skill: Published, more: Mapping[str, str]
) -> Recorded:
    objects = {"skill_id": skill.skill_id, **_within(subscription_id)}
    detail = {"version": skill.version, "content_hash": skill.content_hash, **more}
    return _leave(kernel, principal, objects, detail)


def _within(subscription_id: str) -> dict[str, str]:
    return {"subscription_id": subscription_id} if subscription_id else {}


def _leave(
    kernel: Kernel, principal: Principal, objects: Mapping[str, str], detail: Mapping[str, Any]
) -> Recorded:
    receipt = Receipt(
        action="skill.index",
        actor=principal.actor,
        via=principal.via,
        agent=principal.source_id,
        objects=objects,
        detail=detail,
    )
    return record_read(kernel.writer, principal.space_id, receipt)
