"""Sets of entities as a database keeps them: for each 2,048 numbers which are in it, and how often. Pure.

Stored are: how many members come more than once (16 bits), for each of them its count and place (21 and 11 bits), then
the places of all: up to 127 numbers of 16 bits, or 2,048 bits where there are more. All little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

SIZE: Final = 2048
_PLACE: Final = 11
_BITS: Final = SIZE // 8
_LISTED_MAX: Final = _BITS // 2 - 1
COUNT_MAX: Final = (1 << 21) - 1

Members = dict[int, int]
"""Chunk number -> which of its entities: bit n is the entity `chunk * SIZE + n`."""


def changed(stored: bytes, by: Mapping[int, int]) -> bytes:
    """A chunk after the count of each place in `by` moved; empty when nothing is left.

    A count stays between 0 and 2,097,151: what would go below was never there.
    """
    counts = unpacked(stored)
    for place, moved in by.items():
        count = min(counts.get(place, 0) + moved, COUNT_MAX)
        if count > 0:
            counts[place] = count
        else:
            counts.pop(place, None)
    return packed(counts)


def packed(counts: Mapping[int, int]) -> bytes:
    """The bytes of a chunk: place -> count, at least 1."""
    if not counts:
        return b""
    places = sorted(counts)
    often = [counts[place] << _PLACE | place for place in places if counts[place] > 1]
    head = struct.pack(f"<H{len(often)}I", len(often), *often)
    if len(places) <= _LISTED_MAX:
        return head + struct.pack(f"<{len(places)}H", *places)
    return head + _bits_of(places).to_bytes(_BITS, "little")


def unpacked(stored: bytes) -> dict[int, int]:
    """Place -> count."""
    if not stored:
        return {}
    counts = dict.fromkeys(_places(bits(stored)), 1)
    for often in struct.unpack_from(f"<{_often(stored)}I", stored, 2):
        counts[often & SIZE - 1] = often >> _PLACE
    return counts


def bits(stored: bytes) -> int:
    """Who is in a chunk, as bits."""
    rest = stored[2 + 4 * _often(stored) :]
    if len(rest) == _BITS:
        return int.from_bytes(rest, "little")
    return _bits_of(struct.unpack(f"<{len(rest) // 2}H", rest))


def union(sets: Iterable[Members]) -> Members:
    """Who is in any of the sets."""
    found: Members = {}
    for members in sets:
        for chunk, here in members.items():
            found[chunk] = found.get(chunk, 0) | here
    return found


def common(sets: Iterable[Members]) -> Members:
    """Who is in all of the sets; nobody where there are no sets."""
    found: Members | None = None
    for members in sorted(sets, key=len):
        if found is None:
            found = members
            continue
        shared = ((chunk, here & members.get(chunk, 0)) for chunk, here in found.items())
        found = {chunk: here for chunk, here in shared if here}
    return found or {}


def size(members: Members) -> int:
    return sum(here.bit_count() for here in members.values())


def without(members: Members, others: Members) -> Members:
    """Who is in the first set only."""
    left = ((chunk, here & ~others.get(chunk, 0)) for chunk, here in members.items())
    return {chunk: here for chunk, here in left if here}


def numbers(members: Members, after: int = -1) -> Iterator[int]:
    """The numbers of the members behind `after`, in order."""
    for chunk in sorted(members):
        first = chunk * SIZE
        if first + SIZE > after:
            yield from (number for place in _places(members[chunk]) if (number := first + place) > after)


def _often(stored: bytes) -> int:
    return int.from_bytes(stored[:2], "little")


def _places(here: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    text = f"{here:b}"[::-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)


def _bits_of(places: Iterable[int]) -> int:
    here = bytearray(_BITS)
    for place in places:
        here[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(here, "little")
