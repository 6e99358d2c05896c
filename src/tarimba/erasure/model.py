"""The values of exporting, importing and erasing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tarimba.receipts.model import Recorded


@dataclass(frozen=True, slots=True)
class Erased:
    """`deleted` counts versions and proposals."""

    source_id: str
    deleted: int
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Export:
    """A document in pieces. Its receipt is durable before the first piece is made."""

    pieces: Iterator[bytes]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was refused: where it stands, the code, and a sentence that quotes nothing of it."""

    array: str
    index: int
    code: str
    detail: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """How many versions of how many notes and how many proposals were kept, and the rows that were not.

    `refused` names the first of them, `refused_count` counts all.
    """

    versions: int
    notes: int
    proposals: int
    receipt: Recorded
    refused_count: int
    refused: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ErasedMember:
    """`is_complete`: nothing is left in the database and on this host's disk, also no byte of what was erased."""

    person_id: str
    is_complete: bool
    receipt: Recorded
