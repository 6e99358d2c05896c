"""How good detectors are: what they found of what is there, and what they refused for nothing. Pure.

Every share comes with its 95% Wilson interval: most kinds have a handful of cases, and a bare 100% would lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal

from tarimba.personal_data.model import Finding

NAME: Final = "name"
Role = Literal["personal", "clean", "debatable", "evasion", "control", "turn", "nameless"]
"""What a row proves. `turn`: to be masked, not refused. `nameless`: public text in which only names are marked."""

Z95: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Entity:
    """Personal data that somebody marked at the code points [start, end) of a row's text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """One text of a set. `kind` is what an evasion hides or a control looks like, else empty."""

    id: str
    lang: str
    role: Role
    text: str
    entities: tuple[Entity, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `total` cases."""

    hits: int
    total: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 of no cases."""
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson score interval (Wilson 1927), within 0 and 1; everything is possible without cases."""
        if not self.total:
            return 0.0, 1.0
        spread = Z95 * Z95 / self.total
        middle = (self.share + spread / 2) / (1 + spread)
        half = sqrt(self.share * (1 - self.share) * spread + spread * spread / 4) / (1 + spread)
        return max(0.0, middle - half), min(1.0, middle + half)

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        return {"hits": self.hits, "total": self.total, "low": round(low, 4), "high": round(high, 4)}


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was to be found or to be left alone, and whether it was. `said` are the kinds reported."""

    measure: str
    row: str
    lang: str
    kind: str
    hit: bool
    said: tuple[str, ...] = ()


# Each measure with what a hit means and whether hits are wanted.
FOUND: Final = "structured kinds found"
NAMED: Final = "structured kinds named right"
NAMES: Final = "names found"
CLEAN: Final = "clean notes refused"
DEBATABLE: Final = "debatable notes refused"
EVASIONS: Final = "evasions refused"
CONTROLS: Final = "controls refused"
MASKED: Final = "turn entities masked whole"
NAMELESS: Final = "texts without a name refused for one"
UNWANTED: Final = frozenset({CLEAN, DEBATABLE, CONTROLS, NAMELESS})
MEASURES: Final = (FOUND, NAMED, NAMES, CLEAN, DEBATABLE, EVASIONS, CONTROLS, MASKED, NAMELESS)

_REFUSALS: Final[Mapping[Role, str]] = {
    "clean": CLEAN,
    "debatable": DEBATABLE,
    "evasion": EVASIONS,
    "control": CONTROLS,
    "nameless": NAMELESS,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Every case of a run over some rows."""

    cases: tuple[Case, ...]

    def rate(self, measure: str, *, kind: str | None = None, lang: str | None = None) -> Rate:
        """The rate of a measure, of one kind or one language if given."""
        chosen = [
            case.hit
            for case in self.cases
            if case.measure == measure and kind in (None, case.kind) and lang in (None, case.lang)
        ]
        return Rate(sum(chosen), len(chosen))

    def kinds(self, measure: str) -> list[str]:
        return sorted({case.kind for case in self.cases if case.measure == measure})

    def languages(self, measure: str) -> list[str]:
        """The languages that the sets name; rows without one are counted in the whole alone."""
        return sorted({case.lang for case in self.cases if case.measure == measure and case.lang})

    def failures(self, measure: str) -> list[Case]:
        """The misses of a measure whose hits are wanted, the hits of one whose hits are not."""
        return [case for case in self.cases if case.measure == measure and case.hit == (measure in UNWANTED)]


def score(
    rows: Iterable[Row], find: Callable[[Row], Sequence[Finding]], *, allow: frozenset[str] = frozenset()
) -> Score:
    """The cases of every row; `allow` holds kinds that refuse no clean note and no control."""
    return Score(tuple(case for row in rows for case in cases(row, find(row), allow)))


def cases(row: Row, found: Sequence[Finding], allow: frozenset[str] = frozenset()) -> Iterator[Case]:
    """What one row tells about what was found in it."""
    if row.role == "turn":
        for entity in row.entities:
            yield Case(MASKED, row.id, row.lang, entity.kind, _covered(row.text, entity, found))
    elif row.role == "personal":
        for entity in row.entities:
            yield from _entity_cases(row, entity, found)
    else:
        kinds = [finding.kind for finding in found if _counts(row.role, finding.kind, allow)]
        said = tuple(sorted(set(kinds)))
        yield Case(_REFUSALS[row.role], row.id, row.lang, row.kind, bool(said), said)


def _counts(role: Role, kind: str, allow: frozenset[str]) -> bool:
    if role == "nameless":
        return kind == NAME
    return role == "evasion" or kind not in allow


def _entity_cases(row: Row, entity: Entity, found: Sequence[Finding]) -> Iterator[Case]:
    """A stretch counts as found when a finding overlaps it: the note is refused, and points there."""
    touching = [f for f in found if f.start < entity.end and f.end > entity.start]
    said = tuple(sorted({finding.kind for finding in touching}))
    if entity.kind == NAME:
        yield Case(NAMES, row.id, row.lang, NAME, bool(said), said)
    else:
        yield Case(FOUND, row.id, row.lang, entity.kind, bool(said), said)
        yield Case(NAMED, row.id, row.lang, entity.kind, entity.kind in said, said)


def _covered(text: str, entity: Entity, found: Sequence[Finding]) -> bool:
    """Whether the mask leaves no letter and no digit of the entity, a scheme in front of an address aside."""
    value = text[entity.start : entity.end]
    start = entity.start + (len("mailto:") if value.lower().startswith("mailto:") else 0)
    masked = {at for finding in found for at in range(finding.start, finding.end)}
    return all(at in masked or not text[at].isalnum() for at in range(start, entity.end))
