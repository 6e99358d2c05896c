"""Adding to the graph: entities, relations, observations."""

from __future__ import annotations

from collections.abc import Sequence

from tarimba.graph.model import Added, Addition, By, Created, NewEntity, NewRelation, Related, Scope
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def create_entities(
    kernel: Kernel, scope: Scope, by: By, entities: Sequence[NewEntity], *, once_key: OnceKey | None = None
) -> Created:
    raise NotImplementedError


def create_relations(
    kernel: Kernel, scope: Scope, by: By, relations: Sequence[NewRelation], *, once_key: OnceKey | None = None
) -> Related:
    raise NotImplementedError


def add_observations(
    kernel: Kernel, scope: Scope, by: By, additions: Sequence[Addition], *, once_key: OnceKey | None = None
) -> Added:
    raise NotImplementedError
