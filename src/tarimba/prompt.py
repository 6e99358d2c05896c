"""The system prompt of an agent's turn: its parts in one order, the same bytes for everybody as far as can be.

What all turns of an agent share comes first, so that a provider's cache keeps it. Needs nothing but Python itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

__all__ = ["ORDER", "Document", "Kind", "Part", "Parts", "Prompt", "compose"]

Kind = Literal[
    "persona", "notes", "managed", "shared_index",
    "own_index", "agent_memory", "memory", "standing_notes", "project", "customer",
]  # fmt: skip
ORDER: Final[tuple[Kind, ...]] = (
    "persona", "notes", "managed", "shared_index",
    "own_index", "agent_memory", "memory", "standing_notes", "project", "customer",
)  # fmt: skip
"""The one order. From `own_index` on it differs from member to member."""

STABLE: Final[frozenset[Kind]] = frozenset(ORDER[: ORDER.index("own_index")])

_AGENT_MEMORY: Final = "memory/MEMORY.md"
_STANDING_NOTES: Final = "memory/MEMORY_CUSTOM.md"


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the workspace: `name` is its path there, as the agent opens it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a turn may have; what is empty leaves nothing behind.

    `persona` and `project` stand in the order given, `managed` and `memory` by name. `notes` is the text of the agent's
    block. The two of the index are what `GET /v1/skills/index` gives, up to the last shared line and from there on.
    `customer` is the text of the customer's context.
    """

    persona: tuple[Document, ...] = ()
    notes: str = ""
    managed: tuple[Document, ...] = ()
    shared_index: str = ""
    own_index: str = ""
    agent_memory: str = ""
    memory: tuple[Document, ...] = ()
    standing_notes: str = ""
    project: tuple[Document, ...] = ()
    customer: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part stands in the text, in bytes of UTF-8. `name` is that of a document, else empty."""

    kind: Kind
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text, its parts in order, and the byte offsets behind which a provider's cache is told to keep.

    There are at most two breakpoints: behind the agent's notes, and behind what all members share.
    """

    text: str
    parts: tuple[Part, ...]
    breakpoints: tuple[int, ...]

    def blocks(self) -> tuple[str, ...]:
        """The text cut at the breakpoints, for providers that take it so; joined they are the text again."""
        data = self.text.encode()
        cuts = [0, *self.breakpoints, len(data)]
        pieces = (data[start:end].decode() for start, end in pairwise(cuts))
        return tuple(piece for piece in pieces if piece)


def compose(parts: Parts) -> Prompt:
    """Puts the parts together. Equal parts give equal bytes, and parts that begin alike a text that begins alike.

    Raises `UnicodeEncodeError` for text that UTF-8 can't hold.
    """
    data = bytearray()
    placed: list[Part] = []
    for kind, name, text in _texts(parts):
        # What parts two of them belongs to the later one: the text up to here stays as it is without it.
        data += _between(placed, kind).encode()
        start = len(data)
        data += text.encode()
        placed.append(Part(kind, name, start, len(data)))
    return Prompt(data.decode(), tuple(placed), _breakpoints(placed))


def _texts(parts: Parts) -> Iterator[tuple[Kind, str, str]]:
    """(kind, name, text) of those that are there, in order."""
    for kind in ORDER:
        for name, text in _of(parts, kind):
            kept = text.strip("\n")
            if kept.strip():
                yield kind, name, kept if kind in {"persona", "managed"} or not name else _titled(name, kept)


def _of(parts: Parts, kind: Kind) -> Iterable[tuple[str, str]]:
    match kind:
        case "agent_memory":
            return [(_AGENT_MEMORY, parts.agent_memory)]
        case "standing_notes":
            return [(_STANDING_NOTES, parts.standing_notes)]
        case "persona" | "project":
            return [(one.name, one.text) for one in getattr(parts, kind)]
        case "managed" | "memory":
            return sorted((one.name, one.text) for one in getattr(parts, kind))
        case _:
            return [("", getattr(parts, kind))]


def _titled(name: str, text: str) -> str:
    """A file that its writers gave no title: the agent must know which one it reads."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)
    return f"# {shown}\n\n{text}"


def _between(placed: list[Part], kind: Kind) -> str:
    if not placed:
        return ""
    # The lines of the own skills go on the list of the shared ones.
    return "\n" if kind == "own_index" and placed[-1].kind == "shared_index" else "\n\n"


def _breakpoints(placed: list[Part]) -> tuple[int, ...]:
    notes = [one.end for one in placed if one.kind == "notes"]
    stable = [one.end for one in placed if one.kind in STABLE]
    return tuple(dict.fromkeys((*notes, *stable[-1:])))
