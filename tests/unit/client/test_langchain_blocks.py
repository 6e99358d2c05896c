"""Where the notes stand among the blocks of a system message, and that no mark of the caller moves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import MOST_MARKS, placed
from tarimba.client.integrations.langchain_blocks import mark_of, marks

pytestmark = pytest.mark.promise("adapters")

NOTES = "<agent_notes>\nFrom the agent itself\n- [procedure] Credit: Call post_credit.\n</agent_notes>"
CUSTOMER = "<customer_context>\nPays on Fridays.\n</customer_context>"
MARK = {"cache_control": {"type": "ephemeral"}}
OWN = {"type": "text", "text": "Be brief."}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def test_a_text_becomes_blocks_with_a_mark_behind_the_notes() -> None:
    composed = Composed(NOTES, f"\n\n{CUSTOMER}")
    assert placed("Be brief.", composed, MARK) == [
        OWN,
        text(f"\n\n{NOTES}", **MARK),
        text(f"\n\n{CUSTOMER}"),
    ]


def test_a_model_without_marks_reads_one_text() -> None:
    composed = Composed(NOTES, f"\n\n{CUSTOMER}")
    assert placed("Be brief.", composed, {}) == f"Be brief.\n\n{NOTES}\n\n{CUSTOMER}"


def test_marks_of_the_caller_stay_where_they_are() -> None:
    mine = text("Be brief.", cache_control={"type": "ephemeral", "ttl": "1h"})
    theirs = text(f"Be kind.\n{CUSTOMER}", **MARK)
    assert placed([mine, theirs], Composed(NOTES), MARK) == [
        mine,
        text("Be kind."),
        text(f"\n\n{NOTES}", **MARK),
        text(f"\n\n{CUSTOMER}", **MARK),
    ]


def test_placing_twice_is_placing_once() -> None:
    once = placed("Be brief.", Composed(NOTES, f"\n\n{CUSTOMER}"), MARK)
    assert placed(once, Composed(NOTES), MARK) == once


def test_without_notes_there_is_no_mark() -> None:
    assert placed("Be brief.", Composed("", CUSTOMER), MARK) == [OWN, text(f"\n\n{CUSTOMER}")]


def test_marks_are_counted_wherever_they_stand() -> None:
    tool = SimpleNamespace(extras={"cache_control": {"type": "ephemeral"}})
    system = [text("Be brief.", **MARK), "Be kind."]
    said = [[text("Hello", prompt_cache_breakpoint={"mode": "explicit"})], "Hello"]
    assert marks(system) + marks(said) + marks([tool, SimpleNamespace()]) + marks(MARK) == MOST_MARKS


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [
        ("anthropic-chat", "claude-sonnet-4-5", "cache_control"),
        ("openai-chat", "gpt-5.6", "prompt_cache_breakpoint"),
        ("azure-openai-chat", "gpt-6-mini", "prompt_cache_breakpoint"),
        ("openai-chat", "gpt-5.5", None),
        ("openai-chat", "gpt-5", None),
        ("openai-chat", "llama-4", None),
        ("some-chat", "gpt-5.6", None),
    ],
)
def test_only_models_that_take_a_mark_get_one(kind: str, name: str, field: str | None) -> None:
    model = SimpleNamespace(_llm_type=kind, model_name=name)
    assert list(mark_of(model)) == ([field] if field else [])
