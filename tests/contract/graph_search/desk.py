"""A member's graph in a company: filled and searched as its workspace does it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert

from tarimba.graph import service
from tarimba.graph.model import (
    By,
    Meant,
    NewEntity,
    NewObservation,
    NewRelation,
    Scope,
    Sight,
)
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor
from tarimba.storage.tables import subscription, subscription_member
from tests.contract.notes.world import World


@dataclass(frozen=True, slots=True)
class Desk:
    """A seat, and what is done from it."""

    kernel: Kernel
    scope: Scope
    by: By

    def know(self, name: str, kind: str = "system", *texts: str) -> None:
        observations = tuple(NewObservation(text) for text in texts)
        service.create_entities(self.kernel, self.scope, self.by, [NewEntity(name, kind, observations)])

    def know_all(self, entities: Mapping[str, Sequence[str]], kind: str = "system") -> None:
        new = [
            NewEntity(name, kind, tuple(NewObservation(text) for text in texts))
            for name, texts in entities.items()
        ]
        for start in range(0, len(new), 100):
            service.create_entities(self.kernel, self.scope, self.by, new[start : start + 100])

    def relate(self, *triples: tuple[str, str, str]) -> None:
        relations = [NewRelation(*triple) for triple in triples]
        service.create_relations(self.kernel, self.scope, self.by, relations)

    def search(self, query: str, **options: Any) -> Sight:
        return service.search_nodes(self.kernel, self.scope, self.by, query, **options)

    def mean(self, query: str, **options: Any) -> Meant:
        return service.semantic_search(self.kernel, self.scope, self.by, query, **options)

    def names(self, query: str, **options: Any) -> list[str]:
        return [entity.name for entity in self.search(query, **options).entities]

    def meant(self, query: str, **options: Any) -> list[str]:
        return [hit.entity.name for hit in self.mean(query, **options).hits]

    def pages(self, query: str, **options: Any) -> list[Sight]:
        """All pages, by their cursors."""
        pages = [self.search(query, **options)]
        while pages[-1].next_cursor is not None:
            pages.append(self.search(query, cursor=pages[-1].next_cursor, **options))
        return pages

    def all_names(self, query: str, **options: Any) -> list[str]:
        return [entity.name for page in self.pages(query, **options) for entity in page.entities]

    def forget(self, names: Iterable[str]) -> None:
        listed = list(names)
        for start in range(0, len(listed), 100):
            service.delete_entities(self.kernel, self.scope, self.by, listed[start : start + 100])


def desk_of(world: World) -> Desk:
    """A new seat: the company's member, in a subscription of its own."""
    kernel, subscription_id = world.kernel, new_id()
    person_id = world.caller("member").id
    mine = {"space_id": world.space_id, "subscription_id": subscription_id}
    with kernel.database.write() as connection:
        names = {"slug": subscription_id, "name": "Desk", "created_at": 0, "ordinal": 0}
        connection.execute(insert(subscription).values(**mine, **names))
        connection.execute(insert(subscription_member).values(**mine, person_id=person_id))
    source_id = world.sources["billing"]
    scope = Scope(world.space_id, subscription_id, source_id, person_id)
    return Desk(kernel, scope, By(Actor("agent", source_id), "mcp"))
