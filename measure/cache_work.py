"""A thousand requests of two hundred customers to one agent, and three places for the agent's notes. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from measure.cache_rules import Block, Piece

CUSTOMERS: Final = 200
REQUESTS: Final = 1000
SEED: Final = 20260101
HOURS: Final = 4
INSTRUCTIONS: Final = Piece("instructions", 900)
TOOLS: Final = Piece("tools", 700)
CUSTOMER_TOKENS: Final = (120, 300)
QUESTION_TOKENS: Final = (15, 120)
ANSWER_TOKENS: Final = (60, 250)
PAUSE_SECONDS: Final = (20, 150)
"""Between two turns of one customer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request. `said` is the conversation so far, the question last; `approved`: the notes have changed."""

    at: float
    customer: Piece
    said: tuple[Piece, ...]
    approved: bool


def turns() -> list[Turn]:
    """The requests in the order of their time: the same ones in each run."""
    rng = random.Random(SEED)  # noqa: S311 - a work load, not a secret
    made = sorted(
        (turn for number, count in enumerate(_counts(rng)) for turn in _conversation(rng, number, count)),
        key=lambda turn: turn.at,
    )
    return [
        Turn(turn.at, turn.customer, turn.said, approved=place >= REQUESTS // 2)
        for place, turn in enumerate(made)
    ]


def _counts(rng: random.Random) -> list[int]:
    """How many turns each customer has: at least one, five in the mean."""
    counts = [1] * CUSTOMERS
    for _ in range(REQUESTS - CUSTOMERS):
        counts[rng.randrange(CUSTOMERS)] += 1
    return counts


def _conversation(rng: random.Random, number: int, count: int) -> Iterator[Turn]:
    customer = Piece(f"customer {number}", rng.randint(*CUSTOMER_TOKENS))
    at = rng.uniform(0, HOURS * 3600)
    said: list[Piece] = []
    for turn in range(count):
        said.append(Piece(f"question {number}.{turn}", rng.randint(*QUESTION_TOKENS)))
        yield Turn(at, customer, tuple(said), approved=False)
        said.append(Piece(f"answer {number}.{turn}", rng.randint(*ANSWER_TOKENS)))
        at += rng.uniform(*PAUSE_SECONDS)


def ours(turn: Turn, notes: Piece) -> list[Block]:
    """Notes behind the instructions, marked; then the customer."""
    beginning = [_block(TOOLS), _block(INSTRUCTIONS), _block(notes, marked=True), _block(turn.customer)]
    return [*beginning, *_said(turn)]


def behind(turn: Turn, notes: Piece) -> list[Block]:
    """Instructions, marked; then the customer, then the notes."""
    beginning = [_block(TOOLS), _block(INSTRUCTIONS, marked=True), _block(turn.customer), _block(notes)]
    return [*beginning, *_said(turn)]


def joined(turn: Turn, notes: Piece) -> list[Block]:
    """One system block of instructions, notes and customer, with the mark at its end: there is no other place in it."""
    return [
        _block(TOOLS),
        Block((INSTRUCTIONS, notes, turn.customer), marked=True),
        *_said(turn),
    ]


PLACEMENTS: Final[Mapping[str, Callable[[Turn, Piece], Sequence[Block]]]] = MappingProxyType(
    {"notes before the customer": ours, "notes after the customer": behind, "one joined block": joined}
)


def _block(piece: Piece, *, marked: bool = False) -> Block:
    return Block((piece,), marked=marked)


def _said(turn: Turn) -> list[Block]:
    """The conversation. Its end is marked in every placement: agents that know caches do that."""
    last = len(turn.said) - 1
    return [
        Block((piece,), marked=place == last, turn=place % 2 == 0) for place, piece in enumerate(turn.said)
    ]
