"""How a search by meaning ranks: integers only, so that every machine and both databases give the same order. Pure.

BM25 (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009) over entities. How often a word comes is in how
many of an entity's texts it is, the name counting for three. Two rankings become one by the reciprocals of the ranks
(Cormack, Clarke, Büttcher: Reciprocal Rank Fusion, 2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

NAME_WORTH: Final = 3
UNIT: Final = 1 << 20
"""What a score of 1 is as an integer."""

WORDS_MOST: Final = UNIT * 22 // 10
"""What the score by words comes near to: every word of the query comes very often."""
RANKED_MAX: Final = 200
"""How many of each ranking the other is joined with."""

_FRACTION_BITS: Final = 10
# k1 = 1.2 and b = 0.5, in tenths; an entity of 24 words is neither long nor short.
_K1: Final = 12
_B: Final = 5
_TENTHS: Final = 10
_PIVOT: Final = 24
_FUSION: Final = 60


def rarity(total: int, having: int) -> int:
    """How much a word tells that `having` of `total` entities have, in 1,024ths, rounded down.

    It is log2(1 + (total - having + 0.5) / (having + 0.5)).
    """
    return max(_log2(2 * max(total, having) + 2, 2 * having + 1), 1)


def saturated(worth: int, count: int, length: int) -> int:
    """What a word adds to the score of an entity with `length` words, when it comes `count` times.

    Never as much as `worth * 2.2`, which many repetitions come near to.
    """
    longer = _K1 * ((_TENTHS - _B) * _PIVOT + _B * length)
    above = worth * count * (_TENTHS + _K1) * _TENTHS * _PIVOT
    return above // (count * _TENTHS * _TENTHS * _PIVOT + longer)


def scored(
    worths: Sequence[int], counts: Mapping[int, Sequence[int]], lengths: Mapping[int, int], most: int
) -> dict[int, int]:
    """The score of each entity: `UNIT` where every word of the query comes once, up to 2.2 times that.

    `counts` tells for an entity how often each word comes, `lengths` how many words it has; `most` is the worth of all
    words of the query, also of those that no entity has.
    """
    return {
        number: UNIT
        * sum(
            saturated(worth, count, lengths.get(number, 0))
            for worth, count in zip(worths, mine, strict=True)
            if count
        )
        // most
        for number, mine in counts.items()
    }


def ordered(scores: Mapping[int, int]) -> list[int]:
    """The numbers of entities, best first; of equals the oldest."""
    return sorted(scores, key=lambda number: (-scores[number], number))


def fused(by_words: Mapping[int, int], by_meaning: Sequence[int]) -> dict[int, int]:
    """The score of each entity by both rankings: who is first by meaning, with no word of the query, has `UNIT` / 2.

    What words say counts by how much of the query they cover, twice over: a rank by a single one of its words is
    hardly a reason. Never above `UNIT`.
    """
    scores = {number: _share(rank) // 2 for rank, number in enumerate(by_meaning, 1)}
    for rank, number in enumerate(ordered(by_words)[:RANKED_MAX], 1):
        covered = min(by_words[number], UNIT)
        vote = _share(rank) * covered // UNIT * covered // UNIT
        scores[number] = scores.get(number, 0) + vote // 2
    return scores


def _share(rank: int) -> int:
    return UNIT * (_FUSION + 1) // (_FUSION + rank)


def _log2(above: int, below: int) -> int:
    """log2(above / below) for above >= below, in 1,024ths: bit by bit, by squaring."""
    whole = (above // below).bit_length() - 1
    # Between 1 and 2, with 32 bits behind the point.
    rest = (above << 32) // (below << whole)
    fraction = 0
    for _ in range(_FRACTION_BITS):
        rest = rest * rest >> 32
        fraction <<= 1
        if rest >> 33:
            rest >>= 1
            fraction |= 1
    return whole << _FRACTION_BITS | fraction
