"""What members see of their own graph: nobody else does, not even an owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.graph import member_store, store
from tarimba.graph.model import By, Scope
from tarimba.graph.rows import EntityRow, Graph, ObservationRow, RelationRow
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, own_seat
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record_read

TYPES_MAX: Final = 100
RELATIONS_MAX: Final = 500
# What one conversation taught is paged through kind by kind: the place says in which of them, and where.
_KIND_BITS: Final = 61
_KINDS: Final = 3


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of entities. `ends_at` is the place where the next one begins, None at the end."""

    items: tuple[EntityRow, ...]
    into: Mapping[int, str]
    types: tuple[tuple[str, int], ...]
    counts: Mapping[str, int]
    ends_at: int | None
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Opened:
    """One entity with a page of its observations and the relations that touch it, as far as they are shown."""

    at: Graph
    entity: EntityRow
    into: str | None
    observations: tuple[ObservationRow, ...]
    relations: tuple[RelationRow, ...]
    more_relations: bool
    ends: frozenset[str]
    ends_at: int | None
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """`ends` are the names at the ends of the relations that an entity has."""

    entities: tuple[EntityRow, ...]
    into: Mapping[int, str]
    relations: tuple[RelationRow, ...]
    ends: frozenset[str]
    truncated: bool
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Learned:
    """What came from one conversation; observations with the name of their entity."""

    entities: tuple[EntityRow, ...]
    into: Mapping[int, str]
    observations: tuple[tuple[str, ObservationRow], ...]
    relations: tuple[RelationRow, ...]
    ends: frozenset[str]
    ends_at: int | None
    receipt: Recorded


def seat_of(connection: Connection, principal: Principal, called: Called) -> Scope:
    """Whose graph the member means. Raises 403 for who is none, 404 for a subscription of others, 422."""
    seat = own_seat(connection, principal, called, "own_memory")
    return Scope(seat.space_id, seat.subscription_id, seat.source_id, seat.person_id)


def by_of(principal: Principal) -> By:
    """A member as who does something."""
    return By(principal.actor, principal.via, principal=principal)


def list_entities(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    *,
    status: str,
    type_: str | None,
    after: int,
    limit: int,
) -> Listing:
    """Entities in the order in which they were made, from the place `after`. Raises 403, 404 and 422."""
    with kernel.database.read() as connection:
        scope = seat_of(connection, principal, called)
        at = store.graph_of(connection, scope)
        found = (
            []
            if at is None
            else member_store.entities(connection, at, status, type_, after=after, limit=limit + 1)
        )
        types = [] if at is None else member_store.types(connection, at, status, TYPES_MAX)
        items = found[:limit]
        into = _into(connection, at, items)
    counts = {
        "entities": at.entities if at else 0,
        "observations": at.observations if at else 0,
        "relations": at.relations if at else 0,
    }
    receipt = leave_read(kernel, principal, scope, "list", {"entities": len(items)})
    ends_at = items[-1].entity_no if len(found) > limit else None
    return Listing(tuple(items), into, tuple(types), counts, ends_at, receipt)


def open_entity(
    kernel: Kernel, principal: Principal, called: Called, name: str, *, after: int, limit: int
) -> Opened:
    """An entity with everything, whatever its status; its observations from the place `after`.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        scope = seat_of(connection, principal, called)
        at, entity = found_entity(connection, scope, name)
        seen = member_store.observations_after(connection, at, entity.entity_no, after, limit + 1)
        touching = member_store.relations_at(connection, at, [name], RELATIONS_MAX + 1)
        relations = touching[:RELATIONS_MAX]
        ends = _ends(connection, at, relations)
        into = _into(connection, at, [entity])
    shown = {"entity": name_hash(kernel, scope, name), "observations": len(seen[:limit])}
    receipt = leave_read(kernel, principal, scope, "entity", shown | {"relations": len(relations)})
    return Opened(
        at=at,
        entity=entity,
        into=into.get(entity.merged_into or 0),
        observations=tuple(seen[:limit]),
        relations=tuple(relations),
        more_relations=len(touching) > RELATIONS_MAX,
        ends=ends,
        ends_at=seen[limit - 1].observation_no if len(seen) > limit else None,
        receipt=receipt,
    )


def look_around(
    kernel: Kernel, principal: Principal, called: Called, name: str, *, hops: int, limit: int
) -> Neighbourhood:
    """What is within so many relations of an entity, the nearest first, at most `limit` entities.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        scope = seat_of(connection, principal, called)
        at, start = found_entity(connection, scope, name)
        around = _Around(connection, at, start, limit)
        for _ in range(hops):
            around.step()
        entities = tuple(around.entities.values())
        relations = tuple(around.relations.values())
        ends = _ends(connection, at, relations)
        into = _into(connection, at, entities)
    detail = {"entity": name_hash(kernel, scope, name), "hops": hops}
    counted = {"entities": len(entities), "relations": len(relations)}
    receipt = leave_read(kernel, principal, scope, "neighbourhood", detail | counted)
    return Neighbourhood(entities, into, relations, ends, around.truncated, receipt)


def learned_in(
    kernel: Kernel,
    principal: Principal,
    called: Called,
    conversation_id: str,
    *,
    place: int,
    limit: int,
) -> Learned:
    """All that was learned in one conversation: entities first, then observations, then relations.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        scope = seat_of(connection, principal, called)
        at = store.graph_of(connection, scope)
        page = _Page(connection, at, conversation_id, limit)
        page.fill(place >> _KIND_BITS, place & ((1 << _KIND_BITS) - 1))
        ends = _ends(connection, at, page.relations)
        into = _into(connection, at, page.entities)
    detail = {
        "conversation": kernel.keys.of(scope.space_id).commit(conversation_id),
        "entities": len(page.entities),
        "observations": len(page.observations),
        "relations": len(page.relations),
    }
    receipt = leave_read(kernel, principal, scope, "conversation", detail)
    parts = tuple(page.entities), into, tuple(page.observations), tuple(page.relations)
    return Learned(*parts, ends, page.ends_at, receipt)


def found_entity(connection: Connection, scope: Scope, name: str) -> tuple[Graph, EntityRow]:
    """The entity of that name, whatever its status. Raises 404."""
    at = store.graph_of(connection, scope)
    entity = None if at is None else store.entities_named(connection, at, [name]).get(name)
    if at is None or entity is None:
        raise not_found("entity")
    return at, entity


def name_hash(kernel: Kernel, scope: Scope, name: str) -> str:
    """A name as receipts hold it."""
    return kernel.keys.of(scope.space_id).commit(name)


def leave_read(
    kernel: Kernel, principal: Principal, scope: Scope, what: str, detail: Mapping[str, Any]
) -> Recorded:
    """The receipt of a look at the graph."""
    receipt = Receipt(
        "graph.read",
        principal.actor,
        principal.via,
        agent=scope.source_id,
        objects=scope.objects,
        detail={"read": what, **detail},
    )
    return record_read(kernel.writer, scope.space_id, receipt)


class _Around:
    """A walk along relations, bounded in entities and in relations."""

    def __init__(self, connection: Connection, at: Graph, start: EntityRow, limit: int) -> None:
        self._connection = connection
        self._at = at
        self._limit = limit
        self._front = {start.name}
        self.entities = {start.name: start}
        self.relations: dict[int, RelationRow] = {}
        self.truncated = False

    def step(self) -> None:
        """One hop further from what the last one reached."""
        room = 4 * self._limit - len(self.relations)
        if not self._front or room <= 0:
            self.truncated = self.truncated or bool(self._front)
            return
        found = member_store.relations_at(self._connection, self._at, sorted(self._front), room + 1)
        self.truncated = self.truncated or len(found) > room
        relations = found[:room]
        names = {name for one in relations for name in (one.from_name, one.to_name)} - self.entities.keys()
        reached = store.entities_named(self._connection, self._at, sorted(names))
        ordered = sorted(reached.values(), key=lambda one: one.entity_no)
        taken = ordered[: self._limit - len(self.entities)]
        self.truncated = self.truncated or len(taken) < len(ordered)
        self.entities |= {one.name: one for one in taken}
        cut = {one.name for one in ordered[len(taken) :]}
        # A relation to what is not shown would look as if its end were missing.
        self.relations |= {
            one.relation_no: one for one in relations if not {one.from_name, one.to_name} & cut
        }
        self._front = {one.name for one in taken}


class _Page:
    """A page of what one conversation taught."""

    def __init__(self, connection: Connection, at: Graph | None, conversation_id: str, limit: int) -> None:
        self._connection = connection
        self._at = at
        self._conversation_id = conversation_id
        self._limit = limit
        self.entities: list[EntityRow] = []
        self.observations: list[tuple[str, ObservationRow]] = []
        self.relations: list[RelationRow] = []
        self.ends_at: int | None = None

    def fill(self, kind: int, after: int) -> None:
        """From the place `after` of a kind, through those behind it."""
        left = self._limit
        while self._at is not None and kind < _KINDS and self.ends_at is None:
            if left == 0:
                self.ends_at = kind << _KIND_BITS
                return
            numbers = self._read(self._at, kind, after, left)
            if len(numbers) > left:
                self.ends_at = kind << _KIND_BITS | numbers[left - 1]
                return
            left -= len(numbers)
            kind, after = kind + 1, 0

    def _read(self, at: Graph, kind: int, after: int, left: int) -> list[int]:
        """Takes up to `left` of one kind. The numbers of those, and one more where there is one."""
        asked = (self._connection, at, self._conversation_id, after, left + 1)
        if kind == 0:
            entities = member_store.learned_entities(*asked)
            self.entities = entities[:left]
            return [one.entity_no for one in entities]
        if kind == 1:
            observations = member_store.learned_observations(*asked)
            self.observations = observations[:left]
            return [one.observation_no for _, one in observations]
        relations = member_store.learned_relations(*asked)
        self.relations = relations[:left]
        return [one.relation_no for one in relations]


def _ends(
    connection: Connection, at: Graph | None, relations: list[RelationRow] | tuple[RelationRow, ...]
) -> frozenset[str]:
    names = {name for one in relations for name in (one.from_name, one.to_name)}
    if at is None or not names:
        return frozenset()
    return frozenset(store.entities_named(connection, at, sorted(names)))


def _into(
    connection: Connection, at: Graph | None, entities: list[EntityRow] | tuple[EntityRow, ...]
) -> dict[int, str]:
    """The names of what these were merged into, by number."""
    numbers = {one.merged_into for one in entities if one.merged_into is not None}
    if at is None or not numbers:
        return {}
    return {
        number: row.name for number, row in store.entities_numbered(connection, at, sorted(numbers)).items()
    }
