"""A log as static files: tiles of hashes and bundles of entries, their names, and verifying a folder of them.

Pure, and free of the server: whoever verifies runs on this code. Source: C2SP tlog-tiles. A tile has up to 256 hashes;
level 0 are those of leaves, each level above those of full tiles of the one below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tarimba.receipts.checkpoint import SignedCheckpoint
from tarimba.receipts.kept import Kept
from tarimba.receipts.merkle import HASH_SIZE, root
from tarimba.receipts.report import Findings, Report
from tarimba.receipts.verify import Bundle, verify_log

WIDTH: Final = 256
CHECKPOINT: Final = "checkpoint"
ENTRIES: Final = "entries"
_LENGTH_BYTES: Final = 2
_ENTRY_MAX: Final = 2 ** (8 * _LENGTH_BYTES) - 1
# Levels of a tree of 2**53 leaves, which is as far as a `seq` goes.
_LEVELS: Final = 7
_NAME: Final = re.compile(
    r"tile/(?P<level>[0-6]|entries)/(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Tile:
    """Number `index` of its level: hashes, or at the level `None` the entries under those of level 0.

    `width` is how many it has: 256 when it is full.
    """

    level: int | None
    index: int
    width: int = WIDTH

    @property
    def is_full(self) -> bool:
        return self.width == WIDTH

    @property
    def full(self) -> Tile:
        """The one that takes its place once the log has grown."""
        return Tile(self.level, self.index)

    @property
    def name(self) -> str:
        """Its path below the log's prefix, `tile/0/x001/x234/067` or `tile/entries/000.p/12`."""
        digits = f"{self.index:03d}"
        digits = digits.rjust(-(-len(digits) // 3) * 3, "0")
        steps = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        path = "/".join([*(f"x{step}" for step in steps[:-1]), steps[-1]])
        partial = "" if self.is_full else f".p/{self.width}"
        return f"tile/{ENTRIES if self.level is None else self.level}/{path}{partial}"

    @classmethod
    def parse(cls, name: str) -> Tile:
        """The tile of such a path. Raises `ValueError`."""
        found = _NAME.fullmatch(name)
        if found is not None:
            level = None if found["level"] == ENTRIES else int(found["level"])
            index = int(re.sub("[x/]", "", found["index"]))
            tile = cls(level, index, int(found["width"] or WIDTH))
            if tile.name == name:
                return tile
        raise ValueError("this names no tile of a log")


def tiles_of(size: int) -> Iterator[Tile]:
    """Every tile of a log of that size: entries and level 0 side by side, then the levels above."""
    for tile in _level(0, size):
        yield Tile(None, tile.index, tile.width)
        yield tile
    for level in range(1, _LEVELS):
        yield from _level(level, size)


def _level(level: int, size: int) -> Iterator[Tile]:
    count = size // WIDTH**level
    yield from (Tile(level, index) for index in range(count // WIDTH))
    if count % WIDTH:
        yield Tile(level, count // WIDTH, count % WIDTH)


def pack(entries: list[bytes]) -> bytes:
    """A bundle of entries. Raises `ValueError` for one of 64 KiB and more, which the form has no room for."""
    if any(len(one) > _ENTRY_MAX for one in entries):
        raise ValueError("an entry has 65536 bytes or more")
    return b"".join(len(one).to_bytes(_LENGTH_BYTES, "big") + one for one in entries)


def unpack(data: bytes) -> list[bytes]:
    """The entries of a bundle, as far as it can be read."""
    found, at = [], 0
    while at + _LENGTH_BYTES <= len(data):
        end = at + _LENGTH_BYTES + int.from_bytes(data[at : at + _LENGTH_BYTES], "big")
        found.append(data[at + _LENGTH_BYTES : end])
        at = end
    return found


def verify_tiles(folder: Path, kept: Kept) -> Report:
    """Verifies the log in a folder, entry by entry, up to the newest of the kept checkpoints.

    Raises `OSError` for a folder that can't be read; a file that is missing is a finding.
    """
    newest = kept.newest
    stored = _Folder(folder, newest)
    space_id = newest.origin.rpartition("/")[2]
    report = verify_log(space_id, stored.bundles(), None, notes_of=_none, kept=kept.checkpoints)
    return report.joined(stored.above())


def _none(_etag: str) -> None:
    """Entries are whole: no block leaves its notes out."""


class _Folder:
    """The files of one log. Remembers the roots of the full tiles that it read: one hash for 256 receipts."""

    def __init__(self, folder: Path, newest: SignedCheckpoint) -> None:
        self._folder = folder
        self._size = newest.size
        self._roots: dict[int, bytes] = {}

    def bundles(self) -> Iterator[Bundle]:
        """The log as rows; what is missing is left out, so that the verifier names the gap."""
        for tile in _level(0, self._size):
            hashes, entries = self._read(tile), self._read(Tile(None, tile.index, tile.width))
            if hashes is None or entries is None:
                continue
            hashes = hashes[: tile.width * HASH_SIZE]
            if tile.is_full and len(hashes) == WIDTH * HASH_SIZE:
                self._roots[tile.index] = root(_split(hashes))
            # A receipt in canonical form has no line of its own, so a line break parts them.
            yield Bundle(tile.index * WIDTH, tile.width, hashes, b"\n".join(unpack(entries)[: tile.width]))

    def above(self) -> Findings:
        """What is wrong with the tiles above level 0, once the log was read."""
        found, below = Findings(), self._roots
        for level in range(1, _LEVELS):
            roots: dict[int, bytes] = {}
            for tile in _level(level, self._size):
                self._compare(tile, below, found)
                part = [below.get(tile.index * WIDTH + at) for at in range(tile.width)]
                if tile.is_full and None not in part:
                    roots[tile.index] = root([one for one in part if one is not None])
            below = roots
        return found

    def _compare(self, tile: Tile, below: dict[int, bytes], found: Findings) -> None:
        span = WIDTH**tile.level if tile.level else 1
        first = tile.index * WIDTH * span
        data = self._read(tile)
        if data is None:
            last = first + tile.width * span - 1
            says = f"A tile of level {tile.level} over seq {first} to {last} is missing."
            found.add("tile", first, says, last)
            return
        for at, one in enumerate(_split(data[: tile.width * HASH_SIZE])):
            wanted = below.get(tile.index * WIDTH + at)
            if wanted not in (None, one):
                start, end = first + at * span, first + (at + 1) * span - 1
                says = f"A tile of level {tile.level} does not have the root of seq {start} to {end}."
                found.add("tile", start, says, end)

    def _read(self, tile: Tile) -> bytes | None:
        """A partial tile may be gone once the full one is there."""
        for name in dict.fromkeys((tile.name, tile.full.name)):
            path = self._folder / name
            if path.is_file():
                return path.read_bytes()
        return None


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH_SIZE] for at in range(0, len(hashes), HASH_SIZE)]
