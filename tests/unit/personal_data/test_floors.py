"""Floors on the development sets: what was found once stays found, what was clean stays clean."""

import pytest

from tarimba.personal_data.model import STRUCTURED_KINDS
from tests.unit.personal_data.sets import Row, detectors, rows, rules_only

COMPANY_ALLOWED = frozenset({"cnpj"})
# Half of a telephone number whose other half is in the tags: test_fields.py has both halves.
SPLIT_OVER_FIELDS = "eva-083"


def _found(row: Row, kind: str, start: int, end: int) -> bool:
    return any(
        finding.kind == kind and finding.start < end and finding.end > start
        for finding in detectors().spans(row.text)
    )


def test_every_structured_entity_is_found_under_its_kind() -> None:
    wanted = [(row, entity) for row in rows("synthetic_positive") for entity in row.structured]
    missed = [
        (row.id, entity.kind)
        for row, entity in wanted
        if not _found(row, entity.kind, entity.start, entity.end)
    ]
    assert len(wanted) == 147
    assert not missed


def test_rules_refuse_no_clean_note() -> None:
    clean = [row for row in rows("negative") if not row.raw["debatable"]]
    refused = [(row.id, f.kind) for row in clean for f in rules_only().spans(row.text)]
    assert len(clean) == 414
    assert not refused


def test_rules_leave_notes_with_nothing_but_a_name_to_other_layers() -> None:
    named = [row for row in rows("synthetic_positive") if not row.structured]
    assert not [(row.id, f.kind) for row in named for f in rules_only().spans(row.text)]


def test_evasions_of_structured_kinds_are_refused() -> None:
    evasions = [r for r in rows("evasion") if r.raw["expect"] == "refuse" and r.raw["kind"] != "person"]
    passed = {row.id for row in evasions if not rules_only().spans(row.text)}
    assert len(evasions) == 84
    assert passed == {SPLIT_OVER_FIELDS}


def test_controls_pass_in_a_space_that_allows_companies() -> None:
    controls = [row for row in rows("evasion") if row.raw["expect"] == "allow"]
    refused = {
        row.id for row in controls if not detectors().check({"body": row.text}, allow=COMPANY_ALLOWED).clean
    }
    assert len(controls) == 16
    assert not refused


def test_masks_cover_every_structured_entity_of_a_turn() -> None:
    entities = [(row, entity) for row in rows("turns") for entity in row.structured]
    bare = []
    for row, entity in entities:
        masked = {place for f in detectors().spans(row.text) for place in range(f.start, f.end)}
        # A URI scheme or the brackets around an address tell nothing.
        value = row.text[entity.start : entity.end].removeprefix("mailto:").strip("<>()")
        start = row.text.index(value, entity.start)
        if not masked.issuperset(range(start, start + len(value))):
            bare.append(row.id)
    assert len(entities) == 53
    assert not bare


@pytest.mark.parametrize("name", ["synthetic_positive", "evasion", "turns", "negative"])
def test_a_masked_text_is_clean(name: str) -> None:
    left = []
    for row in rows(name):
        text = row.text
        for finding in reversed(detectors().spans(row.text)):
            text = f"{text[: finding.start]}[...]{text[finding.end :]}"
        if detectors().spans(text):
            left.append(row.id)
    assert not left


def test_only_declared_kinds_are_reported() -> None:
    names = ("synthetic_positive", "evasion", "turns", "negative")
    kinds = {finding.kind for name in names for row in rows(name) for finding in detectors().spans(row.text)}
    assert kinds <= STRUCTURED_KINDS | {"name"}
