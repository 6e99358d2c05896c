"""What the model was trained on shares no sentence with what it is measured on."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tarimba.personal_data.fold import plain
from tests.unit.personal_data.sets import rows

CARRIERS = Path(__file__).parents[3] / "training" / "carriers"
SETS = ("synthetic_positive", "negative", "evasion", "turns")
STRANGERS = Path(__file__).parents[2] / "data"
TOGETHER = 5
# A disease, a law and what call centres say: they stood in carriers before the hands of later looks wrote them too.
FIXED = frozenset(
    map(
        tuple,
        map(
            str.split,
            (
                "suspeita de doenca de chagas",
                "a lei maria da penha",
                "agent may i have your",
                "may i have your name",
                "com quem eu falo cliente",
            ),
        ),
    )
)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", plain(text))
    for start in range(len(words) - TOGETHER + 1):
        yield tuple(words[start : start + TOGETHER])


def _measured() -> Iterator[str]:
    yield from (row.text for name in SETS for row in rows(name))
    for path in sorted([*STRANGERS.glob("pii_generality*/*.jsonl"), *STRANGERS.glob("pii_hard/*/*.jsonl")]):
        yield from (json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines())


def test_no_carrier_shares_five_words_in_a_row_with_a_development_set() -> None:
    measured = {run for text in _measured() for run in _runs(text)}
    texts = [
        json.loads(line)["text"]
        for path in sorted(CARRIERS.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    fixed = [part for text in texts for part in re.split(r"\{[A-Z]+\}", text)]
    shared = {run for part in fixed for run in _runs(part)} & measured
    assert len(texts) > 1000
    assert shared <= FIXED
