"""Deleting from the graph: entities, observations, relations. What is not there counts nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tarimba.graph import removing, rules
from tarimba.graph.acting import Act, Change, Marks, Texts, commit
from tarimba.graph.model import By, Deleted, Deletion, NewRelation, Scope
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def delete_entities(
    kernel: Kernel, scope: Scope, by: By, names: Sequence[str], *, once_key: OnceKey | None = None
) -> Deleted:
    """Deletes entities, what was merged into them, and every relation that names them. Raises 403 and 422."""
    rules.require_names("entityNames", names)
    texts = removing.read_ahead(kernel, scope, names)
    act = Act(scope, by, "delete_entities")
    return _delete(kernel, act, texts, lambda change: removing.remove_entities(change, names), once_key)


def delete_observations(
    kernel: Kernel, scope: Scope, by: By, deletions: Sequence[Deletion], *, once_key: OnceKey | None = None
) -> Deleted:
    """Deletes observations by their very text. Raises 403 and 422."""
    rules.require_deletions(deletions)
    texts = Texts(kernel.words)
    for deletion in deletions:
        for text in deletion.texts:
            texts.of(text)
    act = Act(scope, by, "delete_observations")
    return _delete(
        kernel, act, texts, lambda change: removing.remove_observations(change, deletions), once_key
    )


def delete_relations(
    kernel: Kernel, scope: Scope, by: By, relations: Sequence[NewRelation], *, once_key: OnceKey | None = None
) -> Deleted:
    """Deletes relations by both ends and type. Raises 403 and 422."""
    rules.require_relations(relations)
    act, texts = Act(scope, by, "delete_relations"), Texts(kernel.words)
    return _delete(kernel, act, texts, lambda change: removing.remove_relations(change, relations), once_key)


def _delete(
    kernel: Kernel, act: Act, texts: Texts, remove: Callable[[Change], int], once_key: OnceKey | None
) -> Deleted:
    def work(change: Change) -> Marks:
        return {"deleted": remove(change)}

    written = commit(kernel, act, texts, work, once_key)
    return Deleted(written.marks["deleted"], written.receipt)
