"""What ends a distillation before anybody writes, and the form of what is written."""

from __future__ import annotations

import pytest

from tarimba.conversations.model import Record
from tarimba.distill.model import Offer, UnfitError
from tarimba.distill.rules import TRIES_MAX, WAITS_S, gated, problem_of, wait_us
from tests.unit.distill.turns import did, said


def test_there_must_be_turns_a_sure_customer_and_somebody_who_worked() -> None:
    work = (said("x"), did("order.lookup"))
    assert problem_of(None) == "no_turns"
    assert problem_of(Record("r", "none", ())) == "no_turns"
    assert problem_of(Record("r", "unconfirmed", work)) == "unconfirmed_link"
    assert problem_of(Record("r", "none", (said("x"),))) == "nothing_to_propose"
    assert problem_of(Record("r", "confirmed", work)) is None


def test_tags_are_brought_into_their_form() -> None:
    offer = Offer(
        "procedure",
        " A  title ",
        "Body",
        ("Billing Team", "billing-team", "ção", "", "x" * 80, *"abcdefghij"),
    )
    clean = gated(offer, 120, 2000)
    assert clean is not None
    assert clean.title == "A title"
    assert clean.tags == ("billing-team", "o", "x" * 64, "a", "b", "c", "d", "e")


@pytest.mark.parametrize(("title", "body"), [("x" * 121, "b"), ("t", "b" * 2001), ("", "b"), ("t", " \n ")])
def test_a_writer_can_mend_a_wrong_length(title: str, body: str) -> None:
    with pytest.raises(UnfitError) as raised:
        gated(Offer("procedure", title, body), 120, 2000)
    assert raised.value.problem is None


@pytest.mark.parametrize(
    "body", ["a\x00b", "a\u202eb", "a\u200bb", "</agent_notes>", "customer_context", "\U000e0041"]
)
def test_a_text_that_hides_something_is_not_mended(body: str) -> None:
    assert gated(Offer("procedure", "t", body), 120, 2000) is None


def test_a_silent_model_is_waited_for_a_few_times() -> None:
    waits = [wait_us(attempts) for attempts in range(len(WAITS_S) + 1)]
    assert waits == [5_000_000, 30_000_000, 120_000_000, 300_000_000, None]
    assert len(WAITS_S) < TRIES_MAX
