"""What a model wrote is read as one object of our schema, or not at all."""

from __future__ import annotations

import json

import pytest

from tarimba.distill.answer import read
from tarimba.distill.model import Offer, UnfitError

GOOD = {"nothing": False, "kind": "pitfall", "title": "t", "body": "b", "tags": ["x"]}
OFFER = Offer("pitfall", "t", "b", ("x",))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here it is: {json.dumps(GOOD)} I hope that helps.",
        f"<think>{{ maybe }}</think>{json.dumps(GOOD)}",
        json.dumps({**GOOD, "more": 1}),
    ],
)
def test_an_object_is_found_in_what_stands_around_it(content: str) -> None:
    assert read(content) == OFFER


def test_nothing_is_an_answer() -> None:
    assert read('{"nothing": true}') is None
    assert read(json.dumps({**GOOD, "nothing": True})) is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I would rather not.",
        "{",
        "[" * 100_000,
        "{" * 100_000 + "}",
        '["a"]',
        "null",
        json.dumps({**GOOD, "kind": "poem"}),
        json.dumps({**GOOD, "title": 5}),
        json.dumps({**GOOD, "body": None}),
        json.dumps({**GOOD, "tags": "x"}),
        json.dumps({**GOOD, "tags": [1]}),
        '{"kind": "pitfall"}',
        '{"nothing": "true"}',
    ],
)
def test_anything_else_is_unfit_and_is_not_quoted(content: str) -> None:
    with pytest.raises(UnfitError) as raised:
        read(content)
    assert "poem" not in raised.value.sentence
