"""Deleting from the graph: entities, observations, relations. What is not there counts nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tarimba.graph.model import By, Deleted, Deletion, NewRelation, Scope
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def delete_entities(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, once_key: OnceKey | None = None
) -> Deleted:
    raise NotImplementedError


def delete_observations(
    kernel: Kernel, scope: Scope, by: By, deletions: Sequence[Deletion], *, once_key: OnceKey | None = None
) -> Deleted:
    raise NotImplementedError


def delete_relations(
    kernel: Kernel, scope: Scope, by: By, relations: Sequence[NewRelation], *, once_key: OnceKey | None = None
) -> Deleted:
    raise NotImplementedError
