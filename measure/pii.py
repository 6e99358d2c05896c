"""How well personal data is found: our layers one by one and beside what others publish, on the same rows.

Run: python -m measure.pii [DIR] [--plain FILE] [--rivals FOLDER] [--page FILE] [--json FILE]
DIR defaults to the development sets.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import machine
from measure import plain
from measure.page import page
from measure.rivals import regexes
from measure.rivals.environment import MissingRivalError, interpreter, measured
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.evaluation import Outcome, System, details, local_systems, read_sets, run, table
from tarimba.personal_data.scoring import Row

ROOT: Final = Path(__file__).parents[1]
SETS: Final = ROOT / "tests" / "data" / "pii"
ENVIRONMENT: Final = ROOT / "build" / "rivals"
RIVALS: Final = ("presidio", "scrubadub")
# Companies are nobody's personal data where a space says so: the sets take it as said.
ALLOW: Final = frozenset({"cnpj"})


def main() -> None:
    options = _options()
    detectors = Detectors.local()
    rows = read_sets(options.directory)
    ours = [run(system, rows, allow=ALLOW) for system in local_systems(by_layer=True)]
    others = [run(System("plain regexes", regexes.find), rows, allow=ALLOW)]
    beside, missing = _rivals(options.rivals, rows)
    others += beside
    technical = [
        plain.measured(source.name, plain.paragraphs(source), detectors)
        for path in (plain.SAMPLES, *options.plain)
        for source in plain.sources(path)
    ]
    sys.stdout.write("\n".join(_lines(ours, others, missing, technical)) + "\n")
    if options.page is not None:
        told = page(machine.describe(), detectors.version, ours + others, ours[-1], missing, technical)
        options.page.write_text(told, encoding="utf-8")
    if options.json is not None:
        report = _report(detectors, ours + others, missing, technical)
        options.json.write_text(json.dumps(report, indent=1) + "\n")


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m measure.pii", description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, default=SETS, help="a folder of sets (*.jsonl)")
    parser.add_argument("--plain", type=Path, action="append", default=[], help="more technical text")
    parser.add_argument("--rivals", type=Path, default=ENVIRONMENT, help="their environment, built if absent")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the page of the documentation")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything as JSON")
    return parser.parse_args()


def _rivals(folder: Path, rows: Sequence[Row]) -> tuple[list[Outcome], dict[str, str]]:
    """What the rivals did, and why those that are missing are."""
    outcomes: list[Outcome] = []
    missing: dict[str, str] = {}
    for name in RIVALS:
        sys.stderr.write(f"{name} ...\n")
        try:
            outcomes.append(measured(name, interpreter(folder), rows, allow=ALLOW))
        except MissingRivalError as error:
            missing[name] = str(error)
    return outcomes, missing


def _lines(
    ours: Sequence[Outcome],
    others: Sequence[Outcome],
    missing: dict[str, str],
    technical: Sequence[plain.Plain],
) -> Iterator[str]:
    yield from table([*ours, *others])
    for name, reason in missing.items():
        yield f"{name}: not measured, its environment could not be made here: {reason}"
    yield from details(ours[-1])
    yield ""
    for source in technical:
        yield from source.lines()


def _report(
    detectors: Detectors,
    outcomes: Sequence[Outcome],
    missing: dict[str, str],
    technical: Sequence[plain.Plain],
) -> dict[str, Any]:
    return {
        "machine": machine.describe(),
        "detectors": detectors.version,
        "systems": [outcome.as_json() for outcome in outcomes],
        "missing": missing,
        "plain": [
            {"source": one.source, **one.rate.as_json(), "named": one.named.hits, "refused": one.refused}
            for one in technical
        ],
    }


if __name__ == "__main__":
    main()
