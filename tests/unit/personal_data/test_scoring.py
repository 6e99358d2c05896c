"""The scores: what counts as found, the intervals, how sets are read, and what a table may show."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from measure import plain
from measure.rivals import regexes
from measure.rivals.environment import MissingRivalError, interpreter
from tarimba.cli.pii import pii
from tarimba.personal_data import scoring
from tarimba.personal_data.evaluation import SetError, System, details, read_sets, run, table
from tarimba.personal_data.model import Finding
from tarimba.personal_data.scoring import Entity, Rate, Role, Row, cases, score
from tests.unit.personal_data.sets import DIRECTORY, detectors

# A ratchet: hand-written logs, code and data that are refused today. What is refused of a large corpus is measured.
SAMPLES_REFUSED_MAX = 3
TEXT = "Ask Ana Prado, mailto:ap@x.io"
NAME = Entity("name", 4, 13)
MAIL = Entity("email", 15, 29)


def _row(role: Role = "personal", **more: Any) -> Row:
    return Row("r1", "en", role, TEXT, **more)


def _found(kind: str, start: int, end: int) -> list[Finding]:
    return [Finding(kind, start, end, "l")]


# Wilson, n = 10 and 50: values of the published formula, computed by hand to four places.
@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (45, 50, 0.7864, 0.9565)],
)
def test_intervals_are_those_of_wilson(hits: int, total: int, low: float, high: float) -> None:
    assert Rate(hits, total).interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_an_interval_holds_its_share_and_shrinks_with_more_cases(counted: tuple[int, int]) -> None:
    hits, total = counted
    low, high = Rate(hits, total).interval
    assert 0 <= low <= hits / total + 1e-12
    assert hits / total - 1e-12 <= high <= 1
    wider = Rate(4 * hits, 4 * total).interval
    assert wider[1] - wider[0] < high - low


def test_no_cases_prove_nothing() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)


def test_a_structured_value_is_found_where_it_is_touched_and_named_under_its_kind() -> None:
    row = _row(entities=(MAIL,))
    hits = {case.measure: case.hit for case in cases(row, _found("phone", 20, 24))}
    assert hits == {scoring.FOUND: True, scoring.NAMED: False}
    assert not any(case.hit for case in cases(row, _found("email", 0, 15)))


def test_a_name_is_found_where_it_is_touched() -> None:
    (hit,) = cases(_row(entities=(NAME,)), _found("name", 4, 7))
    (miss,) = cases(_row(entities=(NAME,)), _found("name", 13, 15))
    assert (hit.measure, hit.hit, miss.hit) == (scoring.NAMES, True, False)


def test_a_turn_is_masked_only_when_no_letter_is_left() -> None:
    row = _row("turn", entities=(NAME, MAIL))
    (name, mail) = cases(row, [*_found("name", 4, 7), *_found("email", 22, 29)])
    assert (name.hit, mail.hit) == (False, True)


def test_permitted_kinds_refuse_no_clean_note_but_count_in_an_evasion() -> None:
    found = _found("cnpj", 0, 3)
    for role, hit in (("clean", False), ("control", False), ("evasion", True)):
        (case,) = cases(_row(role), found, frozenset({"cnpj"}))  # type: ignore[arg-type]
        assert case.hit == hit


def test_in_public_text_only_a_name_is_a_false_alarm() -> None:
    assert [c.hit for c in cases(_row("nameless"), _found("phone", 0, 3))] == [False]
    assert [c.hit for c in cases(_row("nameless"), _found("name", 0, 3))] == [True]


def test_failures_are_misses_of_what_is_wanted_and_hits_of_what_is_not() -> None:
    rows = [_row(entities=(NAME,)), Row("r2", "pt", "clean", "x"), Row("r3", "pt", "clean", "yes")]
    result = score(rows, lambda row: _found("name", 0, 1) if row.id == "r3" else [])
    assert [case.row for case in result.failures(scoring.NAMES)] == ["r1"]
    assert [case.row for case in result.failures(scoring.CLEAN)] == ["r3"]
    assert result.rate(scoring.CLEAN, lang="pt") == Rate(1, 2)
    assert result.rate(scoring.CLEAN, lang="en") == Rate(0, 0)


def _written(folder: Path, *rows: dict[str, Any]) -> Path:
    lines = "\n".join(json.dumps(row) for row in rows)
    (folder / "rows.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    return folder


def test_every_form_of_a_row_is_read_for_what_it_proves(tmp_path: Path) -> None:
    mark = {"start": 4, "end": 13}
    folder = _written(
        tmp_path,
        {"id": "a", "lang": "en", "personal": True, "text": TEXT, "entities": [{**mark, "kind": "person"}]},
        {"id": "b", "personal": False, "debatable": False, "text": "x"},
        {"id": "c", "personal": False, "debatable": True, "text": "x"},
        {"id": "d", "kind": "pix_evp", "text": "x", "expect": "refuse"},
        {"id": "e", "kind": "none", "text": "x", "expect": "allow"},
        {"id": "f", "text": TEXT, "entities": [{**mark, "kind": "person"}]},
        {"id": "g", "text": TEXT, "spans": [{**mark, "kind": "PER"}, {**mark, "kind": "LOC"}]},
        {"id": "h", "text": TEXT, "spans": [{**mark, "kind": "ORG"}]},
    )
    rows = read_sets(folder)
    roles = ["personal", "clean", "debatable", "evasion", "control", "turn", "personal", "nameless"]
    assert [row.role for row in rows] == roles
    assert [row.entities for row in rows if row.entities] == [(NAME,)] * 3
    assert rows[3].kind == "pix_key"


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a"},
        {"text": "secret"},
        {"id": "a", "text": "secret", "expect": "secret"},
        {"id": "a", "text": "secret", "entities": [{"start": 3, "end": 99, "kind": "cpf"}]},
        {"id": "a", "text": "secret", "entities": [{"start": "secret", "end": 9, "kind": "cpf"}]},
        ["secret"],
    ],
)
def test_a_row_that_cannot_be_read_is_named_by_its_line_and_not_quoted(row: Any, tmp_path: Path) -> None:
    with pytest.raises(SetError, match=r"rows\.jsonl:2 ") as raised:
        read_sets(_written(tmp_path, {"id": "ok", "text": "x"}, row))
    assert "secret" not in str(raised.value)


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetError, match=r"no \.jsonl file"):
        read_sets(tmp_path)


def test_a_table_shows_kinds_languages_intervals_and_misses_but_no_text() -> None:
    rows = [_row(entities=(NAME, MAIL)), Row("r2", "pt", "clean", "Ask Bruno")]
    outcome = run(System("nobody", lambda row: _found("email", 22, 29) if row.id == "r1" else []), rows)
    shown = "\n".join([*table([outcome]), *details(outcome)])
    assert "names found                             0/1 0.0% [0%, 79%]" in shown
    assert "missed: r1 (name)" in shown
    assert "  in pt " in shown
    assert not {"Ana", "Prado", "Bruno", "ap@x.io"} & set(shown.split())
    assert len(outcome.costs) == len(rows)


def test_the_command_prints_the_table_of_a_folder(tmp_path: Path) -> None:
    folder = _written(tmp_path, {"id": "e1", "kind": "cpf", "text": "CPF 529.982.247-25", "expect": "refuse"})
    shown = CliRunner().invoke(pii, ["eval", str(folder), "--layers"])
    assert shown.exit_code == 0
    assert "evasions refused" in shown.output
    assert "structured" in shown.output.splitlines()[0]
    assert "529" not in shown.output
    told = json.loads(CliRunner().invoke(pii, ["eval", str(folder), "--json"]).output)
    assert told[-1]["measures"]["evasions refused"]["hits"] == 1


def test_the_command_names_the_line_of_a_row_that_cannot_be_read(tmp_path: Path) -> None:
    shown = CliRunner().invoke(pii, ["eval", str(_written(tmp_path, {"id": "x"}))])
    assert shown.exit_code == 1
    assert "rows.jsonl:1 " in shown.output


def test_our_structured_layer_beats_plain_regexes_on_every_measure() -> None:
    rows = read_sets(DIRECTORY)
    ours = run(System("ours", lambda row: detectors().spans(row.text)), rows, allow=frozenset({"cnpj"})).score
    theirs = run(System("plain", regexes.find), rows, allow=frozenset({"cnpj"})).score
    for measure in (scoring.FOUND, scoring.NAMED, scoring.EVASIONS):
        assert ours.rate(measure).hits > theirs.rate(measure).hits
    for measure in (scoring.CLEAN, scoring.CONTROLS):
        assert ours.rate(measure).hits < theirs.rate(measure).hits


def test_a_rival_whose_environment_cannot_be_made_is_told_and_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(MissingRivalError):
        interpreter(tmp_path / "file" / "rivals")


def test_ordinary_technical_text_is_not_refused() -> None:
    samples = [part for file in plain.sources(plain.SAMPLES) for part in plain.paragraphs(file)]
    refused = plain.measured("samples", samples, detectors())
    assert refused.rate.total > 100
    assert refused.rate.hits <= SAMPLES_REFUSED_MAX, refused.refused
