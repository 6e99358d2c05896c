"""What a change did to the rows of a graph: recorded row by row, so that it can be shown and undone.

A step names one row: as it was before (None when it was made) and a mark of what it became (None when it was deleted).
The mark tells later whether the row still is as the change left it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from sqlalchemy import insert

from tarimba.graph.model import By
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow
from tarimba.storage import Tx
from tarimba.storage.tables import graph_change

Kind = Literal["entity", "observation", "relation"]
AnyRow = EntityRow | ObservationRow | RelationRow
R = TypeVar("R", EntityRow, ObservationRow, RelationRow)
_VERSION: Final = 1
_LETTERS: Final[dict[Kind, str]] = {"entity": "e", "observation": "o", "relation": "r"}
_KINDS: Final[dict[str, Kind]] = {letter: kind for kind, letter in _LETTERS.items()}


@dataclass(frozen=True, slots=True)
class Step:
    """One row. `number` is its own; `within` the entity that an observation is in after the change, else 0."""

    kind: Kind
    number: int
    within: int
    before: AnyRow | None
    mark: str | None


@dataclass(slots=True)
class Journal:
    """The steps of one change, in the order in which they were done."""

    steps: list[Step] = field(default_factory=list)

    def entity(self, before: EntityRow | None, after: EntityRow | None) -> None:
        row = _either(before, after)
        self.steps.append(Step("entity", row.entity_no, 0, before, after.mark if after else None))

    def observation(self, before: ObservationRow | None, after: ObservationRow | None) -> None:
        row = _either(after, before)
        mark = after.mark if after else None
        self.steps.append(Step("observation", row.observation_no, row.entity_no, before, mark))

    def relation(self, before: RelationRow | None, after: RelationRow | None) -> None:
        row = _either(before, after)
        self.steps.append(Step("relation", row.relation_no, 0, before, after.mark if after else None))


@dataclass(frozen=True, slots=True)
class Listed:
    """How a change is listed: its place among the others, and the id by which it is undone."""

    number: int
    change_id: str
    action: str


def add_change(tx: Tx, graph_no: int, listed: Listed, by: By, steps: Sequence[Step], receipt_id: str) -> None:
    """Stores what a change did."""
    row = {
        "space_id": tx.space_id,
        "graph_no": graph_no,
        "change_no": listed.number,
        "change_id": listed.change_id,
        "action": listed.action,
        "actor_type": by.actor.type,
        "actor_id": by.actor.id,
        "conversation_id": by.conversation_id,
        "before": written(steps) if steps else "",
        "undone_by": None,
        "receipt_id": receipt_id,
        "at": tx.now,
    }
    tx.write(insert(graph_change), [row])


def add_unrecorded(tx: Tx, graph_no: int, listed: Listed, by: By, receipt_id: str) -> None:
    """Lists a change that is too large to be recorded row by row: it can't be undone."""
    add_change(tx, graph_no, listed, by, (), receipt_id)


def written(steps: Sequence[Step]) -> str:
    """The steps as they are stored."""
    rows = [_step_json(step) for step in steps]
    return json.dumps({"v": _VERSION, "rows": rows}, ensure_ascii=False, separators=(",", ":"))


def steps_of(before: str) -> tuple[Step, ...]:
    """The steps of a stored change; none when their time is over."""
    return tuple(_step(row) for row in json.loads(before)["rows"]) if before else ()


def steps_json(before: str) -> list[Any]:
    """The steps as JSON for whoever takes out what is stored of them; none when their time is over."""
    rows: list[Any] = json.loads(before)["rows"] if before else []
    return rows


def _step_json(step: Step) -> list[Any]:
    before: list[Any] | None = None
    if isinstance(step.before, EntityRow):
        row = step.before
        before = [row.name, row.entity_type, row.status, row.merged_into, row.observations]
        before += [row.conversation_id, row.created_at, row.changed_at, row.changed_no]
    elif isinstance(step.before, ObservationRow):
        seen = step.before
        before = [seen.entity_no, seen.content, seen.confidence, seen.conversation_id, seen.created_at]
    elif isinstance(step.before, RelationRow):
        before = [*step.before.triple, step.before.conversation_id, step.before.created_at]
    return [_LETTERS[step.kind], step.number, step.within, before, step.mark]


def _step(row: list[Any]) -> Step:
    letter, number, within, before, mark = row
    kind = _KINDS[letter]
    return Step(kind, number, within, None if before is None else _row(kind, number, before), mark)


def _row(kind: Kind, number: int, before: list[Any]) -> AnyRow:
    if kind == "entity":
        return EntityRow(number, *before)
    if kind == "observation":
        return ObservationRow(before[0], number, *before[1:])
    return RelationRow(number, *before)


def _either(first: R | None, second: R | None) -> R:
    row = first or second
    assert row is not None
    return row
