"""What a block is made of and what it is."""

from dataclasses import dataclass
from typing import Final

MatchSet = frozenset[str]
SECTION_TOKENS: Final = 200
"""Of the notes at the end of a task's context, delimiters included."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that the reader may see, rendered and counted when it was written.

    `age` is the place of its chain's first version in the space's sequence: smaller is older. `tokens` counts
    `line` with its newline.
    """

    note_id: str
    kind: str
    version: int
    age: int
    tags: tuple[str, ...]
    line: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Block:
    """The text for a prompt, the ids of its notes in the order of the text, and how many did not fit."""

    text: str
    notes: tuple[str, ...]
    etag: str
    tokens: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Section:
    """The notes of a task in the form of a block, and what was asked for."""

    block: Block
    view: str
    object_type: str | None
