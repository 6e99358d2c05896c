"""What lists know about a word: how common it is as a first name, as a surname, as a plain word, a place, a brand.

The package ships hashes and classes, never the words: a table of 32-bit checksums with three bytes each, and the
weights of three-letter groups that tell names from words. `training/build_gazetteer.py` writes the file.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from sys import byteorder
from typing import Final, NamedTuple
from zlib import crc32

FILE: Final = "gazetteer.bin"
MAGIC: Final = b"TGZ2"
HEADER: Final = struct.Struct("<4sI")
LETTERS: Final = 27
"""The alphabet of letter groups: the border of a word, then a to z."""
PHRASE_WORDS_MAX: Final = 5

_PAGE: Final = 20
_PAGES: Final = 1 << 12
_PLACE: Final = 1 << 8
_BRAND: Final = 1 << 9
_OPENS: Final = 1 << 10
_RANKS: Final = {ord(letter): rank for rank, letter in enumerate("abcdefghijklmnopqrstuvwxyz", start=1)}


class Entry(NamedTuple):
    """`first`, `last` and `word` are classes of frequency, 0 for unknown up to 7, 7 and 3 for the most common."""

    first: int
    last: int
    word: int
    place: bool
    brand: bool
    opens: bool
    """Whether a place or brand of several words starts with this one."""
    kin: int
    """A number for words of like meaning in any of the languages, 1 to 255; 0 for a word that has no kin."""

    def packed(self) -> int:
        """The first two bytes of the file; `kin` is the third."""
        flags = self.place * _PLACE | self.brand * _BRAND | self.opens * _OPENS
        return self.first | self.last << 3 | self.word << 6 | flags


NOTHING: Final = Entry(0, 0, 0, False, False, False, 0)


@lru_cache(maxsize=4096)
def _unpacked(value: int, kin: int) -> Entry:
    return Entry(
        value & 7,
        value >> 3 & 7,
        value >> 6 & 3,
        bool(value & _PLACE),
        bool(value & _BRAND),
        bool(value & _OPENS),
        kin,
    )


def key(words: str) -> int:
    """The checksum of one folded word, or of several with single blanks between them."""
    return crc32(words.encode())


def longer(phrase: int, word: str) -> int:
    """The checksum of a phrase with one folded word more."""
    return crc32(b" " + word.encode(), phrase)


def bare(word: str) -> str:
    """`o'malley` as lists spell it: omalley; `clark's` as clark."""
    return word.removesuffix("'s").replace("'", "")


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """Sorted checksums, what is known of each, and the weights of letter groups (-128 word ... 127 name)."""

    keys: array[int]
    values: array[int]
    kins: bytes
    groups: array[int]
    digest: int
    """Of the whole file: part of the detectors' version."""
    pages: array[int]
    """Where the checksums begin that start with each 12 bits: a look-up halves a page, not the whole table."""

    @classmethod
    def shipped(cls) -> Gazetteer:
        """The table of this package."""
        return cls.read((files("tarimba.personal_data") / "data" / FILE).read_bytes())

    @classmethod
    def read(cls, raw: bytes) -> Gazetteer:
        """The table in a file's bytes. `ValueError` if they are no such file."""
        magic, count = HEADER.unpack_from(raw)
        keys, values, groups = array("I"), array("H"), array("b")
        size = HEADER.size + 7 * count
        if magic != MAGIC or len(raw) != size + LETTERS**3:
            raise ValueError("not a gazetteer of this version")
        keys.frombytes(raw[HEADER.size : HEADER.size + 4 * count])
        values.frombytes(raw[HEADER.size + 4 * count : size - count])
        groups.frombytes(raw[size:])
        if byteorder == "big":
            keys.byteswap()
            values.byteswap()
        pages = array("I", (bisect_left(keys, page << _PAGE) for page in range(_PAGES + 1)))
        return cls(keys, values, raw[size - count : size], groups, crc32(raw), pages)

    def entry(self, word: str) -> Entry:
        """What is known of a folded word. Its apostrophes don't count, nor an English possessive."""
        return self.at(key(bare(word) if "'" in word else word))

    def at(self, wanted: int) -> Entry:
        """What is known of the word or phrase with this checksum."""
        page = wanted >> _PAGE
        end = self.pages[page + 1]
        place = bisect_left(self.keys, wanted, self.pages[page], end)
        if place < end and self.keys[place] == wanted:
            return _unpacked(self.values[place], self.kins[place])
        return NOTHING

    def sounds(self, word: str) -> int:
        """How much the letters of a folded word look like a name's: the mean weight of its groups, -128 to 127."""
        total, ranks = 0, [0, *(_RANKS.get(ord(letter), 0) for letter in word), 0]
        for left, middle, right in zip(ranks, ranks[1:], ranks[2:], strict=False):
            total += self.groups[(left * LETTERS + middle) * LETTERS + right]
        return total // max(1, len(word))
