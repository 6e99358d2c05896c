"""The parts of the index of a graph: sets of entities, words in shards, folded texts, scores."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.graph import folding, postings, ranking, vocabulary

PLACES = st.integers(0, postings.SIZE - 1)
WORDS = st.text("abcdé_-1", min_size=1, max_size=6)


@given(st.lists(st.dictionaries(PLACES, st.integers(-3, 4), max_size=60), max_size=8))
def test_counts_are_kept_as_a_plain_dictionary_keeps_them(changes: list[dict[int, int]]) -> None:
    stored, plain = b"", dict[int, int]()
    for change in changes:
        stored = postings.changed(stored, change)
        for place, moved in change.items():
            plain[place] = max(plain.get(place, 0) + moved, 0)
    kept = {place: count for place, count in plain.items() if count}
    assert postings.unpacked(stored) == kept
    assert (stored == b"") == (not kept)
    assert postings.bits(stored) == sum(1 << place for place in kept)


@pytest.mark.parametrize("size", [511, 512, postings.SIZE])
def test_many_members_take_no_more_room_than_their_bits(size: int) -> None:
    stored = postings.changed(b"", dict.fromkeys(range(size), 1))
    assert len(stored) <= 2 + postings.SIZE // 8
    assert list(postings.numbers({3: postings.bits(stored)})) == [3 * postings.SIZE + n for n in range(size)]
    assert postings.changed(stored, dict.fromkeys(range(size), -1)) == b""
    fewer = postings.changed(stored, dict.fromkeys(range(1, size), -1))
    assert fewer == postings.changed(b"", {0: 1})


@pytest.mark.parametrize("size", [3, 510, 511, 512, 700])
def test_members_that_come_behind_the_others_give_the_bytes_that_all_at_once_give(size: int) -> None:
    counts = {place * 5: 1 + place % 3 for place in range(size)}
    stored = b""
    for place, count in counts.items():
        stored = postings.changed(stored, {place: count})
    assert stored == postings.changed(b"", counts)
    assert postings.unpacked(stored) == counts


@given(st.lists(st.sets(st.integers(0, 3 * postings.SIZE), max_size=40), max_size=4), st.integers(-1, 20_000))
def test_sets_of_entities_join_and_meet_as_sets_do(sets: list[set[int]], after: int) -> None:
    members = [_members(one) for one in sets]
    union = set().union(*sets)
    assert list(postings.numbers(postings.union(members))) == sorted(union)
    common = set.intersection(*sets) if sets else set()
    assert list(postings.numbers(postings.common(members))) == sorted(common)
    assert postings.size(postings.union(members)) == len(union)
    assert list(postings.numbers(postings.union(members), after)) == sorted(n for n in union if n > after)
    assert list(postings.numbers(postings.first(postings.union(members), 5))) == sorted(union)[:5]


def _members(numbers: set[int]) -> postings.Members:
    found: postings.Members = {}
    for number in numbers:
        chunk, place = divmod(number, postings.SIZE)
        found[chunk] = found.get(chunk, 0) | 1 << place
    return found


@given(st.sets(WORDS, max_size=30), st.text("abcdé_-1", min_size=1, max_size=3))
def test_a_shard_gives_the_words_that_hold_a_part(words: set[str], part: str) -> None:
    shard = [vocabulary.stored(words)]
    assert vocabulary.lines_of(shard[0]) == words
    for before, after, holds in (
        ("", "", lambda word: part in word),
        ("\n", "", lambda word: word.startswith(part)),
        ("", "\n", lambda word: word.endswith(part)),
        ("\n", "\n", lambda word: word == part),
    ):
        found = vocabulary.holding(shard, f"{before}{part}{after}", 100)
        assert found is not None
        assert sorted(found) == sorted(word for word in words if holds(word))
    assert vocabulary.has_word(shard[0], part) == (part in words)


def test_a_part_that_too_many_words_hold_says_nothing() -> None:
    shard = [vocabulary.stored({"ab", "abc", "xab"})]
    assert vocabulary.holding(shard, "ab", 2) is None
    assert vocabulary.holding(shard, "ab", 3) == ["ab", "abc", "xab"]


def test_the_words_of_a_form() -> None:
    shard = vocabulary.stored(
        {vocabulary.form_line("cas", word) for word in ("casa", "casas")} | {"ocas\tocaso"}
    )
    assert sorted(vocabulary.words_of_form(shard, "cas")) == ["casa", "casas"]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  Conciliação\n\tBANCÁRIA ", "conciliacao bancaria"),
        ("Straße ﬁm Łódź", "strasse fim lodz"),
        ("cafe\u0301 = café", "cafe = cafe"),
        ("\u00a0\u3000", ""),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert folding.fold(text) == folded
    assert folding.fold(folded) == folded


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_what_is_within_a_text_is_made_of_its_pieces(before: str, part: str, after: str) -> None:
    whole, inner = folding.fold(before + part + after), folding.fold(part)
    if inner in whole:
        pieces, kept = folding.pieces(inner), folding.vocabulary(whole)
        for at, piece in enumerate(pieces):
            is_open = folding.goes_on(piece) and at in (0, len(pieces) - 1)
            assert piece in kept or (is_open and any(piece in word for word in kept))


def test_the_words_of_a_question() -> None:
    assert folding.telling("onde fica o e-mail do setor") == ("fica", "mail", "setor")
    assert folding.readings("e-mail do setor") == (("mail", "setor"), ("email", "setor"))
    assert folding.readings("de a o de") == (("de", "a", "o"),)
    assert folding.readings("?") == ()


@given(st.integers(1, 200_000), st.integers(0, 200_000))
def test_the_rarity_of_a_word_is_its_logarithm(total: int, having: int) -> None:
    having = min(having, total)
    exact = math.log2(1 + (total - having + 0.5) / (having + 0.5)) * 1024
    assert abs(ranking.rarity(total, having) - max(exact, 1)) <= 1.001


@given(st.integers(1, 20_000), st.integers(1, 50), st.integers(1, 500))
def test_a_word_tells_more_the_more_often_it_comes_and_less_in_long_entities(
    worth: int, count: int, length: int
) -> None:
    score = ranking.saturated(worth, count, length)
    assert score <= ranking.saturated(worth, count + 1, length) <= worth * 22 // 10
    assert ranking.saturated(worth, count, length + 50) <= score
    exact = worth * count * 2.2 / (count + 1.2 * (0.5 + 0.5 * length / 24))
    assert abs(score - exact) <= 1


def test_equals_are_in_the_order_in_which_they_were_made() -> None:
    assert ranking.ordered({9: 5, 3: 5, 7: 8}) == [7, 3, 9]


@pytest.mark.parametrize(
    ("by_words", "by_meaning", "order"),
    [
        # An exact name is before what only means something like it, and both together before either.
        ({1: ranking.UNIT}, [2, 3], [1, 2, 3]),
        ({1: ranking.UNIT}, [2, 1], [1, 2]),
        # A single one of many words is no reason against the meaning.
        ({1: ranking.UNIT // 5}, [2, 3, 4], [2, 3, 4, 1]),
        ({}, [5, 4], [5, 4]),
    ],
)
def test_two_rankings_become_one(
    by_words: Mapping[int, int], by_meaning: list[int], order: list[int]
) -> None:
    scores = ranking.fused(by_words, by_meaning)
    assert ranking.ordered(scores) == order
    assert all(0 < score <= ranking.UNIT for score in scores.values())
