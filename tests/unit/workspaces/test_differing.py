"""What differs between two texts: the lines make up both of them, however they are made."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tarimba.workspaces.differing import SHOWN_MAX, difference

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "-a", "+", "@@ -1 +1 @@"])).map("\n".join)


@given(TEXTS, TEXTS)
def test_the_lines_make_up_both_texts(before: str, now: str) -> None:
    found = difference(before, now)
    assert (found.text == "") == (before == now)
    if before == now:
        return
    mark, *lines = found.text.split("\n")
    start = int(mark.split()[1]) * -1 - 1
    for text, kinds in ((before, " -"), (now, " +")):
        shown = [line[1:] for line in lines if line[0] in kinds]
        whole = text.split("\n")
        assert whole[start : start + len(shown)] == shown
    old, new = before.split("\n"), now.split("\n")
    assert old[:start] == new[:start]
    unseen = len(old) - start - sum(line[0] in " -" for line in lines)
    assert old[len(old) - unseen :] == new[len(new) - unseen :]


def test_texts_that_would_take_long_to_compare_are_shown_one_after_the_other() -> None:
    before = "\n".join(f"{number % 7}" for number in range(100_000))
    now = "\n".join(f"{number % 5}" for number in range(100_000))
    found = difference(before, now)
    assert found.is_cut
    assert len(found.text) <= SHOWN_MAX
    assert {line[0] for line in found.text.split("\n")[4:] if line} == {"-"}


def test_one_long_line_is_cut_too() -> None:
    found = difference("", "x" * 300_000)
    assert (found.is_cut, len(found.text) <= SHOWN_MAX) == (True, True)
