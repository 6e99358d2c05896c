"""How a search ranks."""

import random
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tarimba.notes.ranking import ATTEMPTS_MAX, ROWS_MAX, Hit, Word, attempts, ranked, weighed

HITS = st.lists(
    st.builds(Hit, st.integers(1, 9), st.integers(1, 6), st.integers(1, 13), st.just(1)),
    unique_by=lambda hit: (hit.age, hit.term),
)
WORDS = (Word((1, 2), 5, 9), Word((3,), 40, 4), Word((4, 5, 6), 900, 1))


def ranks(words: Sequence[Word], *hits: Hit) -> list[int]:
    return ranked(words, hits)


def test_a_rare_word_outweighs_a_common_one() -> None:
    common, rare = Word((1,), 90, 1), Word((2,), 2, 11)
    assert ranks([rare, common], Hit(1, 1, 6, 1), Hit(2, 2, 1, 1)) == [2, 1]


def test_where_a_word_stands_counts() -> None:
    assert ranks(WORDS[:1], Hit(1, 1, 1, 1), Hit(2, 1, 6, 1)) == [2, 1]


def test_forms_of_one_word_count_once() -> None:
    both, one = [Hit(1, 1, 3, 1), Hit(1, 2, 3, 1)], [Hit(2, 1, 3, 1)]
    # Equal scores, so the older comes first: two forms are not two words.
    assert ranks(WORDS[:1], *both, *one) == [1, 2]
    assert ranks(WORDS[:1], *one, Hit(1, 2, 2, 1)) == [2, 1]


def test_ties_break_by_version_then_age() -> None:
    assert ranks(WORDS[:1], Hit(3, 1, 1, 1), Hit(2, 1, 1, 1), Hit(4, 1, 1, 2)) == [4, 2, 3]


@given(HITS, st.randoms(use_true_random=False))
def test_no_physical_order_moves_the_answer(hits: list[Hit], shuffle: random.Random) -> None:
    expected = ranked(WORDS, hits)
    shuffled = [*hits, *hits[: len(hits) // 2]]
    shuffle.shuffle(shuffled)
    assert ranked(WORDS, shuffled) == expected
    assert sorted(expected) == sorted({hit.age for hit in hits})


def test_words_that_no_note_has_say_nothing_and_the_rarest_come_first() -> None:
    words = weighed([(1, 2), (3,), (4,), (3,)], {1: 8, 2: 3, 3: 2}, 100)
    assert [word.terms for word in words] == [(3,), (1, 2)]
    assert words[0].worth > words[1].worth
    # Two forms of a word are mostly in the same notes: the commoner one counts these.
    assert weighed([(1, 2)], {1: 50, 2: 50}, 100)[0].worth == weighed([(1,)], {1: 50}, 100)[0].worth


def test_rare_words_find_and_common_ones_only_add() -> None:
    few, many, most = Word((1,), 5, 9), Word((2,), ROWS_MAX - 5, 2), Word((3,), ROWS_MAX, 1)
    assert attempts([few, many, most]) == [[few, many], [most]]
    assert attempts([few, most]) == [[few], [most]]
    # When all are common, the rarest of them still finds.
    assert attempts([most]) == [[most]]
    assert len(attempts([most] * 30)) == ATTEMPTS_MAX
