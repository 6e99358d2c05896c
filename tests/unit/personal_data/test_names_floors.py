"""Floors for names on the development sets: all layers together, and what a person's stricter writing changes."""

import json
from pathlib import Path

import pytest

from tarimba.personal_data.model import Finding, Strictness
from tests.unit.personal_data.sets import Row, detectors, rows

DATA = Path(__file__).parents[2] / "data"
NAMES_MIN = 0.95
CLEAN_MAX = 0.02
EVASIONS_MIN = 118
COMPANY_ALLOWED = frozenset({"cnpj"})


def _found(text: str, strictness: Strictness = "recall") -> list[Finding]:
    return [f for f in detectors().findings(text) if f.sure or strictness == "recall"]


def _missed(row: Row, strictness: Strictness) -> bool:
    (person,) = row.persons
    return not any(f.start < person.end and f.end > person.start for f in _found(row.text, strictness))


def _named() -> list[Row]:
    return [row for row in rows("synthetic_positive") if row.raw["split"] == "name"]


def _clean() -> list[Row]:
    return [row for row in rows("negative") if not row.raw["debatable"]]


def test_names_are_found() -> None:
    named = _named()
    missed = [row.id for row in named if _missed(row, "recall")]
    assert len(named) == 172
    assert len(missed) <= (1 - NAMES_MIN) * len(named), missed


def test_names_are_found_in_every_language() -> None:
    for lang in ("pt", "en", "es"):
        named = [row for row in _named() if row.raw["lang"] == lang]
        missed = [row.id for row in named if _missed(row, "recall")]
        assert len(missed) <= 0.2 * len(named), missed


def test_clean_notes_pass() -> None:
    clean = _clean()
    refused = [row.id for row in clean if _found(row.text)]
    assert len(clean) == 414
    assert len(refused) <= CLEAN_MAX * len(clean), refused


def test_a_person_is_refused_less_often_and_most_names_are_still_found() -> None:
    recall = {row.id for row in _clean() if _found(row.text)}
    precision = {row.id for row in _clean() if _found(row.text, "precision")}
    missed = [row.id for row in _named() if _missed(row, "precision")]
    assert precision < recall
    assert len(missed) <= 0.2 * len(_named()), missed


def test_evasions_are_refused() -> None:
    evasions = [row for row in rows("evasion") if row.raw["expect"] == "refuse"]
    refused = [row.id for row in evasions if _found(row.text)]
    assert len(evasions) == 122
    assert len(refused) >= EVASIONS_MIN


def test_controls_pass() -> None:
    controls = [row for row in rows("evasion") if row.raw["expect"] == "allow"]
    refused = [
        row.id for row in controls if not detectors().check({"body": row.text}, allow=COMPANY_ALLOWED).clean
    ]
    assert len(controls) == 16
    assert not refused


def test_persons_in_turns_are_masked() -> None:
    wanted = [(row, person) for row in rows("turns") for person in row.persons]
    bare = [
        row.id
        for row, person in wanted
        if not any(f.start < person.end and f.end > person.start for f in detectors().spans(row.text))
    ]
    assert len(bare) <= 0.1 * len(wanted), bare


@pytest.mark.parametrize(
    ("folder", "names_min", "refused_max"),
    [
        ("pii_generality", 0.87, 0.08),
        ("pii_generality_2", 0.93, 0.08),
        ("pii_generality_3", 0.95, 0.15),
        ("pii_generality_4", 0.94, 0.12),
        ("pii_hard", 0.91, 0.23),
    ],
)
def test_texts_by_other_hands_get_no_worse(folder: str, names_min: float, refused_max: float) -> None:
    texts = [
        json.loads(line)
        for path in (DATA / folder).rglob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    persons = [(text["text"], one) for text in texts for one in text["entities"] if one["kind"] == "person"]
    clean = [text for text in texts if not text["personal"]]
    missed = [
        person["start"]
        for text, person in persons
        if not any(f.start < person["end"] and f.end > person["start"] for f in _found(text))
    ]
    refused = [text["id"] for text in clean if _found(text["text"])]
    assert len(clean) >= 100
    assert len(missed) <= (1 - names_min) * len(persons)
    assert len(refused) <= refused_max * len(clean), refused
