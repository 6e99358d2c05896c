"""How every change of a graph runs: prepared outside, then under the lock of its space looked at again, and once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.graph import changes, indexing, rules, store
from tarimba.graph.changes import Journal, Listed
from tarimba.graph.model import ITEMS_MAX, By, Scope
from tarimba.graph.rows import Graph
from tarimba.identity.changes import done, receipt_of
from tarimba.identity.seats import working_at
from tarimba.identity.service import recheck
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes.words import Words
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record, record_read
from tarimba.settings import Settings
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once
from tarimba.vault import SpaceKey

Marks = Mapping[str, Any]
"""What a change came to, in numbers alone: kept with its Idempotency-Key, so that the answer can be built again."""


@dataclass(frozen=True, slots=True)
class Act:
    """Who does what with whose graph. `action` is the name of the use case."""

    scope: Scope
    by: By
    action: str


class Texts:
    """Texts as the index takes them. What is named before the lock is taken costs nothing under it."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._prepared: dict[tuple[str, bool], indexing.Prepared] = {}

    def of(self, text: str, *, is_name: bool = False) -> indexing.Prepared:
        key = (text, is_name)
        if key not in self._prepared:
            self._prepared[key] = indexing.prepare(self._words, text, is_name=is_name)
        return self._prepared[key]


@dataclass(slots=True)
class Change:
    """One change of one graph, under the lock of its space. `number` orders it, `change_id` names it among them."""

    tx: Tx
    graph: Graph
    by: By
    number: int
    texts: Texts
    settings: Settings
    change_id: str = field(default_factory=new_id)
    journal: Journal = field(default_factory=Journal)
    entities: int = 0
    observations: int = 0
    relations: int = 0
    names: dict[str, None] = field(default_factory=dict)

    @property
    def connection(self) -> Connection:
        return self.tx.connection

    def moves(self, *, entities: int = 0, observations: int = 0, relations: int = 0) -> None:
        """So many more, or fewer. Raises 409 when the graph would hold more than it may."""
        limits = self.settings
        present = self.graph.entities + self.entities
        rules.require_room("entities", present, max(entities, 0), limits.graph_entities_max)
        present = self.graph.observations + self.observations
        rules.require_room("observations", present, max(observations, 0), limits.graph_observations_max)
        self.entities += entities
        self.observations += observations
        self.relations += relations


@dataclass(frozen=True, slots=True)
class Written:
    """What a change came to, now or when it was first asked for; `at` is the time of the space then."""

    marks: Marks
    at: int
    receipt: Recorded


def commit(
    kernel: Kernel, act: Act, texts: Texts, work: Callable[[Change], Marks], once_key: OnceKey | None
) -> Written:
    """Runs `work` under the lock, records its steps, leaves its receipt. Raises 401, 403, 409 and what `work` does."""
    key = kernel.keys.of(act.scope.space_id)
    rules.require_conversation(act.by.conversation_id)

    def apply(tx: Tx) -> Done:
        change = _begun(tx, act, texts, kernel.settings)
        marks = work(change)
        recorded = _finished(change, act, key)
        return done(200, recorded, marks=json.dumps(marks), at=str(tx.now))

    def run(tx: Tx) -> Done:
        require_standing(tx.connection, act.scope, act.by)
        if act.by.principal is not None:
            recheck(tx, act.by.principal)
        return once(tx, once_key, lambda: apply(tx))

    found = kernel.writer.commit(act.scope.space_id, run)
    receipt = receipt_of(found)
    assert receipt is not None
    return Written(json.loads(found.ids["marks"]), int(found.ids["at"]), receipt)


def require_standing(connection: Connection, scope: Scope, by: By) -> None:
    """Raises 403 when the member is none any more, or the membership is not the one by which they came."""
    ids = (scope.space_id, scope.subscription_id, scope.source_id, scope.person_id)
    found = working_at(connection, *ids, by.via)
    if found is None or (by.epoch is not None and found.epoch != by.epoch):
        raise Refusal("scope_missing", "The membership that this graph hangs on is not in force.")


def leave_read(kernel: Kernel, act: Act, names: tuple[str, ...], **counts: int) -> Recorded:
    """The receipt of a read: which names were asked for, only who knows them can tell."""
    key = kernel.keys.of(act.scope.space_id)
    rules.require_conversation(act.by.conversation_id)
    detail = {"read": act.action, **counts, **_told(key, act.by, names)}
    receipt = Receipt("graph.read", act.by.actor, act.by.via, act.scope.source_id, act.scope.objects, detail)
    return record_read(kernel.writer, act.scope.space_id, receipt)


def _begun(tx: Tx, act: Act, texts: Texts, settings: Settings) -> Change:
    # Before any row of the change has one: what it makes has numbers above its own.
    number = tx.next_ordinal()
    graph = store.graph_of(tx.connection, act.scope) or store.add_graph(tx, act.scope)
    return Change(tx, graph, act.by, number, texts, settings)


def _finished(change: Change, act: Act, key: SpaceKey) -> Recorded:
    counts = (change.entities, change.observations, change.relations)
    if any(counts):
        store.count(change.tx, change.graph.graph_no, *counts)
    moved = dict(zip(("entities", "observations", "relations"), counts, strict=True))
    detail = {"change": act.action, **moved, **_told(key, act.by, tuple(change.names))}
    receipt = Receipt("graph.write", act.by.actor, act.by.via, act.scope.source_id, act.scope.objects, detail)
    recorded = record(change.tx, receipt)
    if change.journal.steps:
        listed = Listed(change.number, change.change_id, act.action)
        changes.add_change(
            change.tx, change.graph.graph_no, listed, act.by, change.journal.steps, recorded.id
        )
    return recorded


def _told(key: SpaceKey, by: By, names: tuple[str, ...]) -> dict[str, Any]:
    """Commitments to names and conversation; of an import's many names only the first."""
    told: dict[str, Any] = {"names": [key.commit(name) for name in names[:ITEMS_MAX]], "named": len(names)}
    return told | ({"conversation": key.commit(by.conversation_id)} if by.conversation_id else {})
