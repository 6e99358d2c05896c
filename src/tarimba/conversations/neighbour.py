"""The memory of customers beside the agents' notes: what it is asked, whoever keeps it.

Tarimba is no customer memory. It keeps a small one, made of the turns that agents record, so that an agent has
something to begin with. A company that has its own gives it to `tarimba.app.serve` as `customers`, and every route of
the context and the history answers from there. What stays ours in any case: who may ask, receipts, the budget and the
delimiters of the text, cursors, subject tokens, and the notes that a task view ends with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

TalkKind = Literal["conversation", "task"]
Level = Literal["V0", "V1", "V2", "V3", "V4", "no_customer"]

LEVELS: Final = ("V0", "V1", "V2", "V3", "V4")
"""How far it is proven that the customer is who they say, the least first."""


@dataclass(frozen=True, slots=True)
class CustomerHandle:
    """What an agent calls a customer by: a telephone, an address, an id of a system (`scope`). As it was sent."""

    type: str
    value: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation or task that the agent is in. `mac` stands for the caller's own id, which is not told."""

    kind: TalkKind
    mac: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks about whom.

    `customer` is what the memory made of a handle; None leaves it to `talk`. `across_vendors` lets the agent read what
    agents of other vendors recorded. `level` is what the agent says was proven.
    """

    space_id: str
    source_id: str
    vendor_id: str
    across_vendors: bool = False
    customer: str | None = None
    talk: Talk | None = None
    level: Level = "V0"


@dataclass(frozen=True, slots=True)
class Pin:
    """Until when the turns of a context go: up to an ordinal of the space's sequence, given at a time (us)."""

    ordinal: int
    at: int


@dataclass(frozen=True, slots=True)
class Said:
    """A turn in a context. `role` is one of customer, ai_agent, human_agent, system, action, system_event."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Pack:
    """The last turns, newest first, and the level that is really proven, at most the one that was asked for."""

    turns: tuple[Said, ...]
    level: Level


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a history that is wanted; `since` (inclusive) and `until` (exclusive) in microseconds."""

    since: int | None = None
    until: int | None = None
    channels: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a history. `kind` is `episode` (something said), `action` or `system_event`; `at` in microseconds.

    `place` rises with the age of the space: a timeline goes on below that of its last item.
    """

    item_id: str
    kind: str
    text: str
    at: int
    place: int


@dataclass(frozen=True, slots=True)
class Opened:
    """An item with what was said around it, oldest first."""

    item_id: str
    kind: str
    lines: tuple[str, ...]


class CustomerMemory(Protocol):
    """What a memory of customers answers. Each may wait (for a network, say) and may raise `Refusal`.

    No answer may depend on what the asking agent must not read. Texts are masked: they hold no personal data.
    """

    def customer(self, space_id: str, handle: CustomerHandle) -> str:
        """What the memory calls the customer, known or not: at most 128 bytes, and itself no personal data."""
        ...

    def pack(self, asked: Asked, pin: Pin | None) -> Pack:
        """The last turns for a context; with the same pin the same ones until the conversation ends.

        At V0, or when the customer is known only by somebody's claim, no turns but those of `asked.talk`.
        """
        ...

    def search(self, asked: Asked, query: str, window: Window, limit: int) -> tuple[Item, ...]:
        """At most `limit` items about the customer that match the query, best first; for an odd query none."""
        ...

    def timeline(self, asked: Asked, window: Window, before: int | None, limit: int) -> tuple[Item, ...]:
        """At most `limit` items about the customer, newest first, below the place `before`."""
        ...

    def opened(self, asked: Asked, item_id: str) -> Opened | None:
        """The item; None for none and for another customer's. Without customer and talk, any that may be read."""
        ...
