"""The readings of a text: the folded one, and those that its escapes, markup, words or codes add."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tarimba.personal_data.decoding import hidden, joined, unescaped, unmarked
from tarimba.personal_data.fold import fold
from tarimba.personal_data.spoken import drawn, spoken
from tarimba.personal_data.views import View


@dataclass(frozen=True, slots=True)
class Reading:
    """A view to be searched. With `needs_cue`, a number counts only where a cue word names it."""

    view: View
    needs_cue: bool = False


def readings(text: str) -> tuple[Reading, ...]:
    """At most six readings, each at most four times the text: work grows with the text and no faster."""
    folded = fold(text)
    found = list(_readings(folded))
    secret = hidden(folded)
    if secret.text:
        found += _readings(secret)
    return tuple(found)


def _readings(view: View) -> Iterator[Reading]:
    # The steps build on each other and none hides what an earlier one shows: the first and the last view tell all.
    yield Reading(view)
    last = spoken(joined(unmarked(unescaped(view))))
    if last is not view:
        yield Reading(last)
    letters = drawn(last)
    if letters is not last:
        yield Reading(letters, needs_cue=True)
