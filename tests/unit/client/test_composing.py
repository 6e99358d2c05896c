"""Where the notes stand: after the instructions, before the customer, and the same bytes up to there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.client import compose

BLOCK = "<agent_notes>\nFrom the agent itself\n- [pitfall] Dates: with a zone\n</agent_notes>"
ANA = "<customer_context>\n- customer: my invoice\n</customer_context>"
PLAIN = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="<>"))


@pytest.mark.promise("composed-prompt")
def test_the_notes_stand_between_the_instructions_and_the_customer() -> None:
    composed = compose("You collect what is due.", BLOCK, ANA)
    assert composed.shared == f"You collect what is due.\n\n{BLOCK}"
    assert composed.text == f"You collect what is due.\n\n{BLOCK}\n\n{ANA}"


@pytest.mark.promise("composed-prompt")
def test_a_context_that_the_instructions_hold_already_stays_behind_the_notes() -> None:
    composed = compose(f"You collect.\n\n{ANA}", BLOCK)
    assert composed.text == f"You collect.\n\n{BLOCK}\n\n{ANA}"


@pytest.mark.promise("composed-prompt")
@given(PLAIN, PLAIN, PLAIN)
def test_two_customers_share_every_byte_up_to_the_end_of_the_notes(
    instructions: str, one: str, other: str
) -> None:
    first, second = compose(instructions, BLOCK, one), compose(instructions, BLOCK, other)
    assert first.shared == second.shared
    assert first.shared.endswith("</agent_notes>")
    assert first.text.startswith(first.shared)


@pytest.mark.promise("composed-prompt")
@given(PLAIN, PLAIN)
def test_composing_twice_is_composing_once(instructions: str, context: str) -> None:
    once = compose(instructions, BLOCK, f"<customer_context>{context}</customer_context>")
    assert compose(once.text, BLOCK) == once
    # The notes of the last turn make room for those of this one.
    assert compose(once.text, BLOCK.replace("zone", "time zone")).text == once.text.replace(
        "zone", "time zone"
    )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("", BLOCK, ""), BLOCK),
        (("You collect.", "", ""), "You collect."),
        (("You collect.", "", "Ana"), "You collect.\n\nAna"),
        (("", "", "Ana"), "Ana"),
        (("", "", ""), ""),
    ],
)
def test_what_is_missing_leaves_nothing_behind(parts: tuple[str, str, str], text: str) -> None:
    assert compose(*parts).text == text
