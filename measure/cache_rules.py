"""What a provider's prompt cache keeps and finds, as the providers describe it. Pure.

A prompt is blocks of pieces. A piece is text that is the same wherever its `name` is the same; pieces of other names
differ from their first token on. A block is what a request sends as one content block, and may be marked as the end of
a prefix to be kept. Tokens that are found are read, those that are kept anew are written, the others are plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

Rule = Literal["prefix", "breakpoints", "blocks", "stored"]
Names = tuple[str, ...]

MARKS_MAX: Final = 4
"""Prefixes that one request may write, with Anthropic and with OpenAI."""
LOOK_BACK: Final = 20
"""Blocks that Anthropic looks at from a mark backwards, with the marked one."""
BREAKPOINTS_SEEN: Final = 80
"""Breakpoints of a request, the latest, among which OpenAI looks for a kept prefix."""
_HOUR: Final = 3600
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, by name; its length in tokens."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Block:
    """One content block. `turn` says that it is a message of the user, where OpenAI sets breakpoints of its own."""

    pieces: tuple[Piece, ...]
    marked: bool = False
    turn: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """A model's rule and prices, as `cache_prices.toml` describes them."""

    name: str
    rule: Rule
    input: float
    read: float
    write: float
    minimum: int
    ttl: int
    step: int = 1
    implicit: bool = False
    storage: float = 0.0


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens of one request or of many. `stored` is in token-hours."""

    read: int = 0
    written: int = 0
    plain: int = 0
    stored: float = 0.0

    def __add__(self, other: Use) -> Use:
        return Use(
            self.read + other.read,
            self.written + other.written,
            self.plain + other.plain,
            self.stored + other.stored,
        )

    @property
    def total(self) -> int:
        return self.read + self.written + self.plain

    def cost(self, price: Price) -> float:
        """US dollars."""
        weighed = self.read * price.read + self.written * price.write + self.plain
        return (weighed * price.input + self.stored * price.storage) / _MILLION


@dataclass
class Cache:
    """The cache of one model for one account. Requests come in the order of their time (seconds)."""

    price: Price
    kept: dict[Names, float] = field(default_factory=dict)
    """When each kept prefix was last used."""

    def ask(self, blocks: Sequence[Block], at: float) -> Use:
        """What a request costs, and what it leaves behind."""
        if self.price.rule == "prefix":
            return self._by_prefix(blocks, at)
        if self.price.rule == "stored":
            return self._stored(blocks, at)
        return self._by_marks(blocks, at)

    def _by_prefix(self, blocks: Sequence[Block], at: float) -> Use:
        """The longest beginning that any late request had; nothing is marked, and keeping costs nothing."""
        ends = _ends(blocks)
        found = max((tokens for names, tokens in ends if self._has(names, at)), default=0)
        self.kept |= {names: at for names, _ in ends}
        read = found - found % self.price.step if found >= self.price.minimum else 0
        return Use(read=read, plain=ends[-1][1] - read)

    def _by_marks(self, blocks: Sequence[Block], at: float) -> Use:
        """Prefixes are kept at marks alone, and found where the provider looks for them."""
        ends = _block_ends(blocks)
        marks = self._marks(blocks)
        hits = [place for place in self._looked_at(blocks, marks) if self._has(ends[place][0], at)]
        found = max((ends[place][1] for place in hits), default=0)
        wanted = [place for place in marks if ends[place][1] >= self.price.minimum]
        for place in {*wanted, *(place for place in hits if ends[place][1] == found)}:
            self.kept[ends[place][0]] = at
        last = max((ends[place][1] for place in wanted), default=0)
        written = max(0, last - found)
        return Use(read=found, written=written, plain=ends[-1][1] - found - written)

    def _stored(self, blocks: Sequence[Block], at: float) -> Use:
        """One cache that the caller makes of everything up to the first mark, and pays for as long as it stands."""
        ends = _block_ends(blocks)
        names, tokens = next((ends[place] for place, one in enumerate(blocks) if one.marked), ((), 0))
        if tokens < self.price.minimum:
            return Use(plain=ends[-1][1])
        rest = ends[-1][1] - tokens
        if at - self.kept.get(names, float("-inf")) <= self.price.ttl:
            return Use(read=tokens, plain=rest)
        # It stands for its time from when it was made, used or not. The request that makes it reads it.
        self.kept[names] = at
        return Use(read=tokens, written=tokens, plain=rest, stored=tokens * self.price.ttl / _HOUR)

    def _marks(self, blocks: Sequence[Block]) -> list[int]:
        """The places of the blocks at whose ends prefixes are kept: the latest, as many as a request may write."""
        explicit = [place for place, one in enumerate(blocks) if one.marked]
        if not self.price.implicit:
            return explicit[-MARKS_MAX:]
        own = [place for place, one in enumerate(blocks) if one.turn][-1:]
        return sorted({*explicit[-(MARKS_MAX - 1) :], *own})

    def _looked_at(self, blocks: Sequence[Block], marks: Sequence[int]) -> list[int]:
        if self.price.rule == "blocks":
            return sorted({at for mark in marks for at in range(max(0, mark - LOOK_BACK + 1), mark + 1)})
        seen = [place for place, one in enumerate(blocks) if one.marked or (self.price.implicit and one.turn)]
        return seen[-BREAKPOINTS_SEEN:]

    def _has(self, names: Names, at: float) -> bool:
        return at - self.kept.get(names, float("-inf")) <= self.price.ttl


def _ends(blocks: Sequence[Block]) -> list[tuple[Names, int]]:
    """Every beginning that ends with a piece: its names and its tokens."""
    found: list[tuple[Names, int]] = []
    names: Names = ()
    tokens = 0
    for piece in (piece for block in blocks for piece in block.pieces):
        names, tokens = (*names, piece.name), tokens + piece.tokens
        found.append((names, tokens))
    return found


def _block_ends(blocks: Sequence[Block]) -> list[tuple[Names, int]]:
    """The same for every beginning that ends with a block."""
    ends = _ends(blocks)
    found, last = [], -1
    for block in blocks:
        last += len(block.pieces)
        found.append(ends[last])
    return found
