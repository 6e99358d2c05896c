"""What holds for every adapter, read from what the framework really sent to its model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tests.recipes.adapters import forms
from tests.recipes.adapters.endpoint import Sent
from tests.recipes.adapters.scene import CUSTOMERS, INSTRUCTIONS, QUESTION

NOTES_END = "</agent_notes>"


def text_of(sent: Sent) -> str:
    """Everything that the model reads, in order."""
    return "\x1e".join(piece.text for piece in forms.of(sent.path).pieces(sent.body))


def first_of_each(sent: Sequence[Sent]) -> list[Sent]:
    """The first request that holds each customer's context."""
    return [next(one for one in sent if customer in text_of(one)) for customer in CUSTOMERS]


def stands_between(sent: Sent, notes: str, customer: str) -> None:
    """The notes are there once, after the instructions, before the customer and the question."""
    text = text_of(sent)
    assert text.count(notes) == 1
    places = [text.index(INSTRUCTIONS), text.index(notes), text.index(customer), text.index(QUESTION)]
    assert all(before < after for before, after in pairwise(places)), places


def share_their_beginning(one: Sent, other: Sent) -> None:
    """Byte-equal up to the end of the notes: the tools, and every text before."""
    form = forms.of(one.path)
    assert form.tools(one.body) == form.tools(other.body)
    first, second = (text_of(each).encode() for each in (one, other))
    end = first.index(NOTES_END.encode()) + len(NOTES_END)
    assert first[:end] == second[:end]
    assert first != second


def is_marked_behind_the_notes(sent: Sent) -> None:
    """A provider's cache is told to keep everything up to the end of the notes, and at most four places in all."""
    pieces = forms.of(sent.path).pieces(sent.body)
    marked = [piece.text for piece in pieces if piece.marked]
    assert any(text.endswith(NOTES_END) for text in marked)
    assert len(marked) <= 4


def has_the_callers_marks_alone(sent: Sent) -> None:
    """Four marks, all on what the caller wrote, none on the notes."""
    marked = [piece.text for piece in forms.of(sent.path).pieces(sent.body) if piece.marked]
    assert len(marked) == 4
    assert marked[0] == INSTRUCTIONS
    assert not any(NOTES_END in text for text in marked)
