"""Settling what an entity is: one with another, put away, or back in its place."""

from __future__ import annotations

from dataclasses import replace

from tarimba.errors import Refusal, invalid
from tarimba.graph import merging, removing, rules, store
from tarimba.graph.acting import Act, Change, Marks, Texts, commit
from tarimba.graph.model import By, Scope, Settled, Status
from tarimba.graph.rows import EntityRow
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def merge_entities(
    kernel: Kernel, scope: Scope, by: By, source: str, target: str, *, once_key: OnceKey | None = None
) -> Settled:
    """What was observed of `source`, and its relations, become those of `target`; the name stays taken.

    Raises 403, 404, 409 where one of them was merged away already or too much hangs on `source`, 422 for an entity
    with itself.
    """
    rules.require_name("source", source)
    rules.require_name("target", target)
    if source == target:
        raise invalid("target", "must be another entity: an entity is not merged into itself")
    texts = removing.read_ahead(kernel, scope, [source])

    def work(change: Change) -> Marks:
        found = store.entities_named(change.connection, change.graph, [source, target])
        gone, into = _there(found.get(source), "source"), _there(found.get(target), "target")
        merging.merge(change, gone, into)
        return {"changed": True, "hidden": into.status == "archived"}

    return _settled(kernel, Act(scope, by, "merge_entities"), texts, work, once_key)


def archive_entity(
    kernel: Kernel, scope: Scope, by: By, name: str, *, once_key: OnceKey | None = None
) -> Settled:
    """Hides an entity from reading and searching; its name still opens it. Raises 403, 404, 409 and 422."""
    return _put(kernel, Act(scope, by, "archive_entity"), name, "archived", once_key)


def unarchive_entity(
    kernel: Kernel, scope: Scope, by: By, name: str, *, once_key: OnceKey | None = None
) -> Settled:
    """Puts an entity back that was hidden. Raises 403, 404, 409 and 422."""
    return _put(kernel, Act(scope, by, "unarchive_entity"), name, "active", once_key)


def _put(kernel: Kernel, act: Act, name: str, status: Status, once_key: OnceKey | None) -> Settled:
    rules.require_name("name", name)

    def work(change: Change) -> Marks:
        found = store.entities_named(change.connection, change.graph, [name])
        row = _there(found.get(name), "name")
        change.names[name] = None
        if row.status == status:
            return {"changed": False}
        put(change, row, status)
        return {"changed": True}

    return _settled(kernel, act, Texts(kernel.words), work, once_key)


def put(change: Change, row: EntityRow, status: Status) -> None:
    """The entity has this status from now on."""
    number = change.tx.next_ordinal()
    after = replace(row, status=status, changed_at=change.tx.now, changed_no=number)
    store.put_entities(change.tx, change.graph.graph_no, [after])
    change.journal.entity(row, after)


def _settled(kernel: Kernel, act: Act, texts: Texts, work: merging.Work, once_key: OnceKey | None) -> Settled:
    written = commit(kernel, act, texts, work, once_key)
    return Settled(written.marks["changed"], written.receipt, written.marks.get("hidden", False))


def _there(row: EntityRow | None, field: str) -> EntityRow:
    if row is None:
        raise Refusal("not_found", f"{field}: there is no such entity.")
    if row.status == "merged":
        raise Refusal("conflict", f"{field}: this entity was merged into another.")
    return row
