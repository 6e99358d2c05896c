"""What is asked and answered, read strictly on both sides."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.model_server.contract import (
    Ask,
    ContractError,
    Entity,
    ask_json,
    entities_json,
    read_ask,
    read_entities,
)

ITEM = {"entity_type": "PERSON", "start": 0, "end": 5, "score": 0.85}
ASK = {"text": "Maria", "language": "pt"}
SECRET = "Fulana"
texts = st.text(max_size=50)
scores = st.floats(0, 1)
names = st.from_regex(r"[A-Z][A-Z0-9_]{0,20}", fullmatch=True)


@given(
    st.builds(
        Ask,
        texts,
        st.sampled_from(["pt", "en", "es"]),
        st.none() | st.frozensets(names, min_size=1, max_size=8),
        scores,
    )
)
def test_a_request_is_read_as_it_was_written(ask: Ask) -> None:
    assert read_ask(ask_json(ask)) == ask


@given(st.lists(st.builds(Entity, names, st.integers(0, 40), st.integers(41, 80), scores)))
def test_an_answer_is_read_as_it_was_written(entities: list[Entity]) -> None:
    assert read_entities(entities_json(entities), 80) == tuple(entities)


def test_an_answer_of_presidio_is_read_with_its_further_members() -> None:
    item = ITEM | {"analysis_explanation": None, "recognition_metadata": {"recognizer_name": "x"}}
    assert read_entities(json.dumps([item]).encode(), 5) == (Entity("PERSON", 0, 5, 0.85),)


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize(
    "changed",
    [
        {"start": -1},
        {"end": 6},
        {"start": 5},
        {"start": 3, "end": 2},
        {"start": "0"},
        {"start": 0.0},
        {"start": False},
        {"end": True},
        {"end": None},
        {"entity_type": None},
        {"entity_type": "person"},
        {"entity_type": ""},
        {"entity_type": "P" * 65},
        {"score": 1.01},
        {"score": -0.1},
        {"score": True},
        {"score": None},
        {"score": "0.9"},
        {"score": float("nan")},
    ],
)
def test_an_item_that_breaks_the_contract_is_no_answer(changed: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        read_entities(json.dumps([ITEM, ITEM | changed]).encode(), 5)


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize("missing", ITEM)
def test_an_item_without_a_member_is_no_answer(missing: str) -> None:
    item = {name: value for name, value in ITEM.items() if name != missing}
    with pytest.raises(ContractError):
        read_entities(json.dumps([item]).encode(), 5)


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"null",
        b'"x"',
        b"[1]",
        b"[[]]",
        b"<html></html>",
        b"[",
        b"\xff\xfe",
        b"[" * 100_000,
        b'[{"start": ' + b"9" * 5000 + b"}]",
    ],
)
def test_a_body_of_another_form_is_no_answer(body: bytes) -> None:
    with pytest.raises(ContractError):
        read_entities(body, 5)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": None},
        {"text": [SECRET]},
        {"text": {"a": SECRET}},
        {"language": SECRET},
        {"language": ["pt"]},
        {"entities": []},
        {"entities": SECRET},
        {"entities": [SECRET]},
        {"entities": [["PERSON"]]},
        {"entities": ["PERSON"] * 65},
        {"score_threshold": SECRET},
        {"score_threshold": 2},
        {"return_decision_process": True},
        {"ad_hoc_recognizers": [SECRET]},
        {SECRET: 1},
    ],
)
def test_a_request_that_breaks_a_rule_is_refused_without_its_value(changed: dict[str, Any]) -> None:
    with pytest.raises(ContractError) as raised:
        read_ask(json.dumps(ASK | changed).encode())
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("missing", ASK)
def test_a_request_needs_text_and_language(missing: str) -> None:
    with pytest.raises(ContractError, match="text and language"):
        read_ask(json.dumps({name: value for name, value in ASK.items() if name != missing}).encode())


def test_what_presidios_clients_send_besides_is_taken() -> None:
    besides = {
        "correlation_id": "1",
        "return_decision_process": False,
        "entities": None,
        "score_threshold": None,
    }
    assert read_ask(json.dumps(ASK | besides).encode()) == Ask("Maria", "pt")
