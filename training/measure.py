"""Measure the models alone on carriers of a hand that training did not see, and on sets of texts with known answers.

`python -m training.measure --lists DIR --hands NAME ... [--models FILE ...] [--sets DIR]`
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_judges import Judges
from tarimba.personal_data.name_model import NameModel
from tarimba.personal_data.name_tokens import words_of
from training.build_gazetteer import HERE, TARGET
from training.compose import PERSON, Sample, carriers, samples
from training.fillers import Fillers
from training.train import MODELS

SEED: Final = 7
SHOWN: Final = 0.4
THRESHOLDS: Final = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


class Judge:
    def __init__(self, models: Sequence[Path], gazetteer: Path) -> None:
        self.known = Gazetteer.read(gazetteer.read_bytes())
        self.model = NameModel(self.known, Judges([model.read_bytes() for model in models]))

    def best(self, text: str, start: int = 0, end: int | None = None) -> float:
        """The best score of a name that overlaps [start, end) of the text."""
        stop = len(text) if end is None else end
        names = self.model.names(words_of(text, self.known))
        return max((n.score for n in names if n.start < stop and n.end > start), default=0.0)


def held_out(hands: list[str], lists: Path) -> list[Sample]:
    paths = [HERE / "carriers" / f"{hand}.jsonl" for hand in hands]
    return list(samples(carriers(paths), Fillers(lists, random.Random(SEED)), 3))


def report(found: Iterable[float], clean: Iterable[float]) -> Iterator[str]:
    scores, others = list(found), list(clean)
    for threshold in THRESHOLDS:
        share = sum(score >= threshold for score in scores) / max(1, len(scores))
        alarm = sum(score >= threshold for score in others) / max(1, len(others))
        found_of, alarm_of = f"{share:6.1%} of {len(scores)}", f"{alarm:6.1%} of {len(others)}"
        yield f"  at {threshold}: names found {found_of}, clean refused {alarm_of}"


def of_samples(judge: Judge, made: list[Sample]) -> Iterator[str]:
    def scored(personal: bool) -> Iterator[float]:
        for sample in made:
            spans = [(start, end) for start, end, label in sample.spans if label == PERSON]
            if personal:
                yield from (judge.best(sample.text, start, end) for start, end in spans)
            elif not spans:
                yield judge.best(sample.text)

    yield from report(scored(True), scored(False))


def wrong(judge: Judge, made: list[Sample]) -> Iterator[str]:
    """What is missed, and what is taken for a name in texts without one."""
    for sample in made:
        persons = [(start, end) for start, end, label in sample.spans if label == PERSON]
        missed = [sample.text[a:b] for a, b in persons if judge.best(sample.text, a, b) < SHOWN]
        names = () if persons else judge.model.names(words_of(sample.text, judge.known))
        taken = [sample.text[name.start : name.end] for name in names if name.score >= SHOWN]
        if missed or taken:
            yield f"missed {missed} taken {taken} in {sample.text[:300]!r}"


def of_sets(judge: Judge, directory: Path) -> Iterator[str]:
    rows = {name: [json.loads(line) for line in (directory / f"{name}.jsonl").open(encoding="utf-8")]
            for name in ("synthetic_positive", "negative")}  # fmt: skip
    persons = [
        judge.best(row["text"], entity["start"], entity["end"])
        for row in rows["synthetic_positive"] for entity in row["entities"] if entity["kind"] == "person"
    ]  # fmt: skip
    clean = [judge.best(row["text"]) for row in rows["negative"] if not row["debatable"]]
    yield from report(persons, clean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--hands", nargs="*", default=[])
    parser.add_argument("--models", nargs="*", type=Path, default=MODELS)
    parser.add_argument("--gazetteer", type=Path, default=TARGET)
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    judge = Judge(options.models, options.gazetteer)
    if options.hands:
        made = held_out(options.hands, options.lists)
        print(*of_samples(judge, made), sep="\n")
        print(*islice(wrong(judge, made), options.show), sep="\n")
    if options.sets:
        print(*of_sets(judge, options.sets), sep="\n")


if __name__ == "__main__":
    main()
