"""Measuring detectors on a folder of sets: reading the rows, running each system over them, showing the table."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import Any, Final

from tarimba.personal_data import scoring
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Finding
from tarimba.personal_data.names import Names
from tarimba.personal_data.scoring import Case, Entity, Rate, Role, Row, Score
from tarimba.personal_data.structured import Structured

# The sets speak of persons and of Pix keys by another name than the wire, gold texts as their annotators did.
_WIRE_KINDS: Final = MappingProxyType(
    {"person": "name", "PER": "name", "PERSON": "name", "pix_evp": "pix_key"}
)
_EXPECTED: Final[Mapping[str, Role]] = MappingProxyType({"refuse": "evasion", "allow": "control"})
_NAMES_ALONE: Final = frozenset({"PER", "PERSON"})


class SetError(Exception):
    """A set cannot be read. The sentence names the file and the line, never what stands there."""


@dataclass(frozen=True, slots=True)
class System:
    """Something that finds personal data in a row's text."""

    name: str
    find: Callable[[Row], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one system did on some rows; `costs` are milliseconds of CPU, one for each row, or empty."""

    name: str
    score: Score
    costs: tuple[float, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.name,
            "measures": {name: self._measure(name) for name in scoring.MEASURES if self._has(name)},
            "median_ms": round(statistics.median(self.costs), 3) if self.costs else None,
            "worst_ms": round(max(self.costs), 3) if self.costs else None,
        }

    def _has(self, measure: str) -> bool:
        return self.score.rate(measure).total > 0

    def _measure(self, measure: str) -> dict[str, Any]:
        rate, score = self.score.rate, self.score
        return {
            **rate(measure).as_json(),
            "kinds": {kind: rate(measure, kind=kind).as_json() for kind in score.kinds(measure) if kind},
            "languages": {lang: rate(measure, lang=lang).as_json() for lang in score.languages(measure)},
            "failures": [_failure(case) for case in score.failures(measure)],
        }


def read_sets(directory: Path) -> tuple[Row, ...]:
    """The rows of every `*.jsonl` directly in a folder, files in the order of their names. Raises SetError."""
    files = sorted(directory.glob("*.jsonl"))
    if not files:
        raise SetError(f"{directory}: there is no .jsonl file in this folder.")
    return tuple(row for file in files for row in _read(file))


def local_systems(*, by_layer: bool) -> tuple[System, ...]:
    """The detectors of this package as a whole; with `by_layer` each layer alone and all but the model before it."""
    whole = _system("all layers", Detectors.local())
    if not by_layer:
        return (whole,)
    return (
        _system("structured", Detectors.of(Structured())),
        _system("lists", Detectors.of(Names(model=False))),
        _system("model", Detectors.of(Names(lists=False))),
        _system("all but model", Detectors.local(model=False)),
        whole,
    )


def _system(name: str, detectors: Detectors) -> System:
    return System(name, lambda row: detectors.spans(row.text))


def run(system: System, rows: Sequence[Row], *, allow: frozenset[str] = frozenset()) -> Outcome:
    """Scores a system on the rows and measures the CPU that each takes."""
    costs: list[float] = []

    def timed(row: Row) -> Sequence[Finding]:
        start = process_time()
        found = system.find(row)
        costs.append((process_time() - start) * 1000)
        return found

    if rows:
        # What is loaded on first use is no cost of the first row.
        system.find(rows[0])
    return Outcome(system.name, scoring.score(rows, timed, allow=allow), tuple(costs))


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The lines of the comparison: one column for each outcome, one row for each measure."""
    yield _line("", [outcome.name for outcome in outcomes])
    for measure in scoring.MEASURES:
        rates = [outcome.score.rate(measure) for outcome in outcomes]
        if any(rate.total for rate in rates):
            yield _line(measure, [_cell(rate) for rate in rates])
    if any(outcome.costs for outcome in outcomes):
        yield _line("CPU a note: median, worst", [_cost(outcome.costs) for outcome in outcomes])


def details(outcome: Outcome) -> Iterator[str]:
    """The lines of one outcome: every measure by kind and by language, and its failures by id."""
    score = outcome.score
    for measure in scoring.MEASURES:
        if not score.rate(measure).total:
            continue
        yield ""
        yield _line(measure, [_cell(score.rate(measure))])
        for kind in filter(None, score.kinds(measure)):
            yield _line(f"  {kind}", [_cell(score.rate(measure, kind=kind))])
        for lang in score.languages(measure):
            yield _line(f"  in {lang}", [_cell(score.rate(measure, lang=lang))])
        failures = score.failures(measure)
        if failures:
            yield f"  {'refused' if measure in scoring.UNWANTED else 'missed'}: {_listed(failures)}"


def _line(head: str, cells: Sequence[str]) -> str:
    return "  ".join([head.ljust(38), *(cell.ljust(28) for cell in cells)]).rstrip()


def _cell(rate: Rate) -> str:
    if not rate.total:
        return "-"
    low, high = rate.interval
    return f"{rate.hits}/{rate.total} {rate.share:.1%} [{low:.0%}, {high:.0%}]"


def _cost(costs: Sequence[float]) -> str:
    return f"{statistics.median(costs):.2f} ms, {max(costs):.1f} ms" if costs else "-"


def _listed(failures: Sequence[Case]) -> str:
    return ", ".join(f"{case.row} ({', '.join(case.said) or case.kind or '-'})" for case in failures)


def _failure(case: Case) -> dict[str, Any]:
    return {"id": case.row, "kind": case.kind, "said": list(case.said)}


def _read(file: Path) -> Iterator[Row]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield _row(json.loads(line))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise SetError(
                f"{file}:{number} is not a row of a set: it needs id, text and entities."
            ) from None


def _row(raw: Mapping[str, Any]) -> Row:
    text = str(raw["text"])
    entities = tuple(_entities(raw, len(text)))
    kind = str(raw.get("kind", ""))
    return Row(
        str(raw["id"]), str(raw.get("lang") or ""), _role(raw, entities), text, entities, _wire_kind(kind)
    )


def _role(raw: Mapping[str, Any], entities: Sequence[Entity]) -> Role:
    if "expect" in raw:
        return _EXPECTED[raw["expect"]]
    if "spans" in raw:
        return "personal" if entities else "nameless"
    if raw.get("debatable"):
        return "debatable"
    if "personal" in raw:
        return "personal" if raw["personal"] else "clean"
    return "turn"


def _entities(raw: Mapping[str, Any], size: int) -> Iterator[Entity]:
    """The marks of a row. Gold texts mark places and organisations too, which are nobody's."""
    marks = raw.get("entities", ())
    if "spans" in raw:
        marks = [mark for mark in raw["spans"] if mark["kind"] in _NAMES_ALONE]
    for mark in marks:
        if not 0 <= mark["start"] < mark["end"] <= size:
            raise ValueError("a mark lies outside of its text")
        yield Entity(_wire_kind(mark["kind"]), mark["start"], mark["end"])


def _wire_kind(kind: str) -> str:
    return _WIRE_KINDS.get(kind, kind)
