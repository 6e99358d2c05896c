"""What another host needs to have the same directory: the list of an agent's whole set, and files by their hash."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read
from tarimba.skills.disk_set import DiskSet, disk_set, one_of
from tarimba.skills.records import File
from tarimba.skills.seats import Called, Seat, for_index
from tarimba.skills.staging import Tree
from tarimba.skills.swapping import tag_of

PAGE_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class SetPage:
    """Some of a set, sorted by name: `skills` is None when the caller has the set already. `tag` is the whole set's."""

    tag: str
    count: int
    skills: Sequence[tuple[Tree, Sequence[File]]] | None
    receipt: Recorded
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Blob:
    """The bytes of one file."""

    data: bytes
    receipt: Recorded


def read_set(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    *,
    known: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE_MAX,
) -> SetPage:
    """The set of an agent in a subscription, an agent's key its own. `known` is the tag of what the caller has.

    A cursor is good while the set is the same: raises 422 for one of another. Raises 403, 404 and 503 too.
    """
    with kernel.database.read() as connection:
        seat = for_index(connection, principal, called)
        whole = disk_set(connection, seat.space_id, seat.subscription_id, seat.source_id)
        tag = tag_of(whole.trees)
        key = kernel.keys.of(seat.space_id)
        scope = json.dumps(["skills.set", principal.kind, principal.id, sorted(seat.objects.items()), tag])
        first = 0 if cursor is None else read_cursor(key, scope, cursor)
        names = [] if known == tag else sorted(whole.trees)[first : first + limit]
        skills = [(whole.trees[name], _files(connection, whole, name)) for name in names]
    end = first + limit
    after = write_cursor(key, scope, end) if known != tag and end < len(whole.trees) else None
    detail = {"set_hash": tag, "count": len(whole.trees), "first": first, "told": len(names)}
    receipt = _leave(kernel, principal, seat, detail)
    return SetPage(tag, len(whole.trees), None if known == tag else skills, receipt, after)


def read_blob(kernel: Kernel, principal: Principal, called: Called, name: str, digest: str) -> Blob:
    """A file of the skill `name` of an agent's set, by the SHA-256 of its bytes. Raises 403 and 404."""
    with kernel.database.read() as connection:
        seat = for_index(connection, principal, called)
        one = one_of(connection, seat.space_id, seat.subscription_id, seat.source_id, name)
        data = one.data(connection, name, digest)
    if data is None:
        raise not_found("file")
    return Blob(data, _leave(kernel, principal, seat, {"file": digest}))


def _files(connection: Connection, whole: DiskSet, name: str) -> Sequence[File]:
    found = whole.files(connection, name)
    if found is None:
        raise Refusal("unavailable", "What is published changes at this moment. Try again.", retry_after=1)
    return found


def _leave(kernel: Kernel, principal: Principal, seat: Seat, detail: Mapping[str, Any]) -> Recorded:
    receipt = Receipt(
        "skill.index", principal.actor, principal.via, seat.source_id, seat.objects, {**detail, "for": "sync"}
    )
    return record_read(kernel.writer, principal.space_id, receipt)
