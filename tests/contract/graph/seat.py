"""A member's seat in a company: the graph filled and read as the tools do it, results as the tools write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, insert, select

from tarimba.graph import service, wire
from tarimba.graph.model import (
    Addition,
    By,
    Deletion,
    NewEntity,
    NewObservation,
    NewRelation,
    Reading,
    Scope,
    Sight,
)
from tarimba.graph.tokens import Claim, mint
from tarimba.identity.seats import working_at
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor
from tarimba.storage.tables import (
    graph,
    graph_entity,
    graph_observation,
    graph_relation,
    person,
    subscription,
    subscription_member,
)
from tests.e2e.company import Company

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Seat:
    kernel: Kernel
    scope: Scope
    by: By

    def within(self, conversation_id: str | None) -> Seat:
        """The same seat, at work in a conversation."""
        return replace(self, by=replace(self.by, conversation_id=conversation_id))

    def create(self, *entities: NewEntity, **options: Any) -> dict[str, Any]:
        return wire.created(service.create_entities(*self._me, entities, **options))

    def relate(self, *triples: Triple, **options: Any) -> dict[str, Any]:
        relations = [NewRelation(*one) for one in triples]
        return wire.related(service.create_relations(*self._me, relations, **options))

    def observe(self, additions: Mapping[str, Sequence[str]], **options: Any) -> list[dict[str, Any]]:
        new = [Addition(name, tuple(map(NewObservation, texts))) for name, texts in additions.items()]
        results: list[dict[str, Any]] = wire.added(service.add_observations(*self._me, new, **options))[
            "results"
        ]
        return results

    def delete(self, *names: str, **options: Any) -> int:
        return service.delete_entities(*self._me, names, **options).deleted

    def forget(self, deletions: Mapping[str, Sequence[str]], **options: Any) -> int:
        gone = [Deletion(name, tuple(texts)) for name, texts in deletions.items()]
        return service.delete_observations(*self._me, gone, **options).deleted

    def unrelate(self, *triples: Triple, **options: Any) -> int:
        return service.delete_relations(*self._me, [NewRelation(*one) for one in triples], **options).deleted

    def merge(self, source: str, target: str, **options: Any) -> bool:
        return service.merge_entities(*self._me, source, target, **options).changed

    def archive(self, name: str) -> bool:
        return service.archive_entity(*self._me, name).changed

    def unarchive(self, name: str) -> bool:
        return service.unarchive_entity(*self._me, name).changed

    def read(self, **reading: Any) -> Sight:
        return service.read_graph(*self._me, Reading(**reading))

    def open(self, *names: str, cursor: str | None = None) -> Sight:
        return service.open_nodes(*self._me, names, cursor=cursor)

    def details(self, *names: str, cursor: str | None = None) -> Sight:
        return service.get_entity_details(*self._me, names, cursor=cursor)

    def recent(self, hours: int = 24, cursor: str | None = None) -> Sight:
        return service.get_recent_changes(*self._me, hours, cursor=cursor)

    def counts(self) -> tuple[int, int, int]:
        """Entities, observations and relations, as the graph's own row says."""
        columns = graph.c
        mine = (
            columns.space_id == self.scope.space_id,
            columns.subscription_id == self.scope.subscription_id,
        )
        with self.kernel.database.read() as connection:
            query = select(columns.entities, columns.observations, columns.relations).where(*mine)
            row = connection.execute(query).first()
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

    def stored(self) -> tuple[int, int, int]:
        """The same, counted in the rows."""
        mine = (
            graph.c.space_id == self.scope.space_id,
            graph.c.subscription_id == self.scope.subscription_id,
        )
        number = select(graph.c.graph_no).where(*mine).scalar_subquery()
        counted = []
        with self.kernel.database.read() as connection:
            for table in (graph_entity, graph_observation, graph_relation):
                of_it = (table.c.space_id == self.scope.space_id, table.c.graph_no == number)
                found = connection.scalar(select(func.count()).select_from(table).where(*of_it))
                counted.append(int(found or 0))
        return counted[0], counted[1], counted[2]

    @property
    def _me(self) -> tuple[Kernel, Scope, By]:
        return self.kernel, self.scope, self.by


def seat_in(kernel: Kernel, space_id: str, source_id: str, person_id: str) -> Seat:
    """A new seat: the person, in a subscription of its own."""
    subscription_id = new_id()
    mine = {"space_id": space_id, "subscription_id": subscription_id}
    with kernel.database.write() as connection:
        names = {"slug": subscription_id, "name": "Desk", "created_at": 0, "ordinal": 0}
        connection.execute(insert(subscription).values(**mine, **names))
        connection.execute(insert(subscription_member).values(**mine, person_id=person_id))
    scope = Scope(space_id, subscription_id, source_id, person_id)
    return Seat(kernel, scope, By(Actor("agent", source_id), "mcp"))


def seat_of(kernel: Kernel, company: Company) -> Seat:
    """A new seat of the company's member with `billing`."""
    with kernel.database.read() as connection:
        mine = (person.c.space_id == company.space_id, person.c.slug == "member")
        person_id = connection.scalar(select(person.c.person_id).where(*mine))
    return seat_in(kernel, company.space_id, company.sources["billing"], str(person_id))


def token_of(seat: Seat, secret: str) -> str:
    """The token by which a server with that secret opens the seat's graph."""
    scope = seat.scope
    ids = (scope.space_id, scope.subscription_id, scope.source_id, scope.person_id)
    with seat.kernel.database.read() as connection:
        workspace = working_at(connection, *ids, "mcp")
    assert workspace is not None
    assert workspace.epoch is not None
    return mint(secret.encode(), Claim(*ids, workspace.epoch))


def entity(name: str, *texts: str, kind: str = "thing") -> NewEntity:
    return NewEntity(name, kind, tuple(map(NewObservation, texts)))


def pages(read: Callable[[str | None], Sight]) -> Iterator[Sight]:
    """Every page, by their cursors."""
    sight = read(None)
    yield sight
    while sight.next_cursor is not None:
        sight = read(sight.next_cursor)
        yield sight
