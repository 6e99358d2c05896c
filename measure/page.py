"""The page docs/personal-data-measured.md, written by the run that measured its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from measure.plain import Plain
from tarimba.personal_data import scoring
from tarimba.personal_data.evaluation import Outcome
from tarimba.personal_data.scoring import Rate

_WHAT = """\
Each share has its 95% Wilson interval. A value counts as found when a finding overlaps it, so that the note is
refused and points there; "named right" also asks for the right kind. Companies' numbers (`cnpj`) are taken as
permitted. The sets are development sets: they show what got worse, and prove nothing about texts that nobody here
has seen. Debatable notes are those that two people would judge differently; most hold a role mailbox or a test card.

Presidio runs with the small English spaCy model, at its default threshold, asked for the kinds that the sets mark.
scrubadub runs its default detectors, which look for no names. The plain expressions are those of
`measure/rivals/regexes.py`. All systems read the same rows in one run.
"""


def page(
    machine: Mapping[str, Any],
    version: str,
    outcomes: Sequence[Outcome],
    ours: Outcome,
    missing: Mapping[str, str],
    technical: Sequence[Plain],
) -> str:
    """The page as Markdown."""
    return "\n".join(_lines(machine, version, outcomes, ours, missing, technical)).rstrip() + "\n"


def _lines(
    machine: Mapping[str, Any],
    version: str,
    outcomes: Sequence[Outcome],
    ours: Outcome,
    missing: Mapping[str, str],
    technical: Sequence[Plain],
) -> Iterator[str]:
    yield "<!-- Written by `python -m measure.pii --page FILE`: measure again, don't edit. -->"
    yield "\n# Personal data, measured\n"
    yield "What is refused and why: [concepts](concepts/refused.md). `tarimba pii eval DIR` measures any set.\n"
    yield _WHAT
    yield f"Detectors `{version}`, {machine['python']}, {machine['cpu']}, {machine['cores']} cores, {machine['at']}.\n"
    yield from _comparison(outcomes)
    for name, reason in missing.items():
        yield f"\n{name} was not measured: {reason}"
    yield "\n## All our layers, by kind and language\n"
    yield from _by_kind(ours)
    yield "\n## What was missed, and what was refused for nothing\n"
    yield from _failures(ours)
    yield "\n## Ordinary technical text\n"
    yield from _technical(technical)


def _comparison(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield _row(["", *(outcome.name for outcome in outcomes)])
    yield _row(["---"] * (len(outcomes) + 1))
    for measure in scoring.MEASURES:
        rates = [outcome.score.rate(measure) for outcome in outcomes]
        if any(rate.total for rate in rates):
            yield _row([measure, *map(_cell, rates)])
    yield _row(["median CPU a note", *(f"{outcome.as_json()['median_ms']:.2f} ms" for outcome in outcomes)])


def _by_kind(ours: Outcome) -> Iterator[str]:
    yield _row(["measure", "of", "rate"])
    yield _row(["---"] * 3)
    for measure in scoring.MEASURES:
        if measure == scoring.CONTROLS:
            continue
        for kind in filter(None, ours.score.kinds(measure)):
            yield _row([measure, f"`{kind}`", _cell(ours.score.rate(measure, kind=kind))])
        for lang in ours.score.languages(measure):
            yield _row([measure, lang, _cell(ours.score.rate(measure, lang=lang))])


def _failures(ours: Outcome) -> Iterator[str]:
    for measure in scoring.MEASURES:
        failures = ours.score.failures(measure)
        if failures:
            ids = ", ".join(f"{case.row} ({', '.join(case.said) or case.kind})" for case in failures)
            yield f"- {measure}: {ids}"


def _technical(technical: Sequence[Plain]) -> Iterator[str]:
    yield _row(["source", "paragraphs refused", "for a name alone"])
    yield _row(["---"] * 3)
    for one in technical:
        yield _row([one.source, _cell(one.rate), str(one.named.hits)])
    yield ""
    for one in technical:
        if one.refused:
            places = ", ".join(f"{place} ({', '.join(kinds)})" for place, kinds in one.refused)
            yield f"- {one.source}: {places}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(rate: Rate) -> str:
    if not rate.total:
        return "-"
    low, high = rate.interval
    return f"{rate.hits}/{rate.total}, {rate.share:.1%} ({low:.0%} to {high:.0%})"
