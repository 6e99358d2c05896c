"""What undoing a change means, row by row: how each is now, and how it was. Pure.

Later changes stand in the way where a row is no longer as the change left it, or where its old place is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from tarimba.errors import Refusal
from tarimba.graph.changes import Kind, Step
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow

_FIRST: Final = "Undo the later changes first, the latest before the others."


@dataclass(frozen=True, slots=True)
class Net:
    """A row over all steps of a change: before the first, and its place and mark after the last."""

    kind: Kind
    number: int
    within: int
    before: EntityRow | ObservationRow | RelationRow | None
    mark: str | None


@dataclass(slots=True)
class Rows:
    """Rows by number."""

    entities: dict[int, EntityRow] = field(default_factory=dict)
    observations: dict[int, ObservationRow] = field(default_factory=dict)
    relations: dict[int, RelationRow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """`present` are the rows that the change left, `past` those that were there before it, in the same numbers."""

    present: Rows
    past: Rows

    @property
    def moved(self) -> dict[int, int]:
        """By how much the observations of each entity become more or fewer."""
        moved: dict[int, int] = {}
        for rows, by in ((self.present, -1), (self.past, 1)):
            for row in rows.observations.values():
                moved[row.entity_no] = moved.get(row.entity_no, 0) + by
        return moved

    @property
    def leaving(self) -> list[EntityRow]:
        """Entities that go, or become part of another again."""
        return [row for row in self.present.entities.values() if row.status != "merged" and self._leaves(row)]

    def _leaves(self, row: EntityRow) -> bool:
        past = self.past.entities.get(row.entity_no)
        return past is None or past.status == "merged"


def nets(steps: Iterable[Step]) -> list[Net]:
    """The steps of a change, one net for each row that differs."""
    found: dict[tuple[Kind, int], Net] = {}
    for step in steps:
        key = (step.kind, step.number)
        first = found.get(key)
        before = step.before if first is None else first.before
        found[key] = Net(step.kind, step.number, step.within, before, step.mark)
    return [one for one in found.values() if one.before is not None or one.mark is not None]


def planned(found: Sequence[Net], present: Rows) -> Plan:
    """The plan, if every row is as the change left it. Raises 409 otherwise."""
    now = Rows()
    for net in found:
        row = _standing(present, net)
        if (row.mark if row else None) != net.mark:
            in_the_way("What this change left was changed since.")
        _put(now, row)
    return Plan(now, past_of(found))


def past_of(found: Iterable[Net]) -> Rows:
    """The rows as they were before the change."""
    rows = Rows()
    for net in found:
        _put(rows, net.before)
    return rows


def require_names(plan: Plan, named: Mapping[str, EntityRow]) -> None:
    """Raises 409 unless the old names are free; `named` are the entities that have them now."""
    for row in plan.past.entities.values():
        holder = named.get(row.name)
        if holder is None or holder.entity_no == row.entity_no:
            continue
        after = plan.past.entities.get(holder.entity_no)
        is_free = holder.entity_no in plan.present.entities and (after is None or after.name != row.name)
        if not is_free:
            in_the_way("An entity has a name now that one would get back.")


def require_homes(plan: Plan, now: Mapping[int, EntityRow]) -> None:
    """Raises 409 unless what observations and merges go back to is there; `now` are those entities by number."""
    after = {number: row for number, row in now.items() if number not in plan.present.entities}
    after |= plan.past.entities
    for seen in plan.past.observations.values():
        home = after.get(seen.entity_no)
        if home is None or home.status == "merged":
            in_the_way("An entity is gone that an observation would go back to.")
    for row in plan.past.entities.values():
        if row.merged_into is not None and row.merged_into not in after:
            in_the_way("An entity is gone that another was merged into.")


def in_the_way(why: str) -> NoReturn:
    """409, saying what hinders."""
    raise Refusal("conflict", f"{why} {_FIRST}")


def restored(row: EntityRow, observations: int, changed_at: int, changed_no: int) -> EntityRow:
    """An entity as it was, changed now; one that was merged away keeps the time of that."""
    at = row.changed_at if row.status == "merged" else changed_at
    return replace(row, observations=observations, changed_at=at, changed_no=changed_no)


def _standing(present: Rows, net: Net) -> EntityRow | ObservationRow | RelationRow | None:
    if net.kind == "entity":
        return present.entities.get(net.number)
    if net.kind == "observation":
        return present.observations.get(net.number)
    return present.relations.get(net.number)


def _put(rows: Rows, row: EntityRow | ObservationRow | RelationRow | None) -> None:
    if isinstance(row, EntityRow):
        rows.entities[row.entity_no] = row
    elif isinstance(row, ObservationRow):
        rows.observations[row.observation_no] = row
    elif row is not None:
        rows.relations[row.relation_no] = row
