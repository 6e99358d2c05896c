"""Refusals in words for a model."""

import pytest

from tarimba.errors import Refusal
from tarimba.mcp.refusals import fields, words


def test_personal_data_is_named_by_kind_and_place() -> None:
    findings = [
        {"kind": "cpf", "field": "body", "start": 3, "end": 14},
        {"kind": "phone", "field": "title", "start": 0, "end": 9},
        {"kind": "phone", "field": "title", "start": 0, "end": 9},
    ]
    extra = {"kinds": ["cpf", "phone"], "findings": findings}
    refusal = Refusal("personal_data_in_agent_memory", "Notes hold nothing about people.", extra=extra)
    assert words(refusal) == (
        "Personal data does not belong in a note: Notes hold nothing about people. Remove: cpf, phone. "
        "It is in body, characters 3 to 14 (cpf); title, characters 0 to 9 (phone)."
    )
    assert fields(refusal) == {
        "code": "personal_data_in_agent_memory",
        "detail": "Notes hold nothing about people.",
        **extra,
    }


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 seconds."),
        (119, "119 seconds."),
        (1800, "1800 seconds (about 30 minutes)."),
        (3541, "60 minutes)."),
    ],
)
def test_a_cap_says_when_to_try_again(seconds: int, said: str) -> None:
    refusal = Refusal("rate_limited", "Enough for now.", retry_after=seconds)
    assert words(refusal).endswith(said)
    assert fields(refusal)["retry_after"] == seconds


def test_other_refusals_are_their_title_and_detail() -> None:
    assert words(Refusal("agent_memory_off", "Ask a person.")) == (
        "The agent memory is off in this space: Ask a person."
    )
