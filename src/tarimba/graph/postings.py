"""Sets of entities as a database keeps them: for each 8,192 numbers which are in it, and how often. Pure.

Stored are: how many members come more than once (16 bits), for each of them its count and place (19 and 13 bits), then
the places of all: up to 511 numbers of 16 bits, or 8,192 bits where there are more. All little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

SIZE: Final = 8192
_PLACE: Final = 13
_BITS: Final = SIZE // 8
_LISTED_MAX: Final = _BITS // 2 - 1
COUNT_MAX: Final = (1 << 19) - 1

Members = dict[int, int]
"""Chunk number -> which of its entities: bit n is the entity `chunk * SIZE + n`."""


def changed(stored: bytes, by: Mapping[int, int]) -> bytes:
    """A chunk after the count of each place in `by` moved; empty when nothing is left.

    A count stays between 0 and 524,287: what would go below was never there.
    """
    appended = _appended(stored, by)
    if appended is not None:
        return appended
    often = _counts(stored)
    here = _Places(stored[2 + 4 * len(often) :])
    for place, moved in by.items():
        count = min(often.pop(place, 1 if here.has(place) else 0) + moved, COUNT_MAX)
        here.put(place, is_there=count > 0)
        if count > 1:
            often[place] = count
    head = struct.pack(
        f"<H{len(often)}I", len(often), *(often[place] << _PLACE | place for place in sorted(often))
    )
    rest = here.packed()
    return head + rest if rest else b""


def _appended(stored: bytes, by: Mapping[int, int]) -> bytes | None:
    """The chunk with new members behind all others, as new entities are: nothing that is there is looked through.

    None where this is another change.
    """
    if not stored or min(by.values(), default=0) < 1:
        return None
    places = sorted(by)
    ends = 2 + 4 * _often(stored)
    rest = stored[ends:]
    has_bits = len(rest) == _BITS
    last = (
        int.from_bytes(rest, "little").bit_length() - 1 if has_bits else int.from_bytes(rest[-2:], "little")
    )
    if places[0] <= last or not (has_bits or len(rest) // 2 + len(places) <= _LISTED_MAX):
        return None
    counts = [min(by[place], COUNT_MAX) << _PLACE | place for place in places if by[place] > 1]
    head = (_often(stored) + len(counts)).to_bytes(2, "little") + stored[2:ends]
    here = bytearray(rest)
    if has_bits:
        for place in places:
            here[place >> 3] |= 1 << (place & 7)
    else:
        here += struct.pack(f"<{len(places)}H", *places)
    return b"".join((head, struct.pack(f"<{len(counts)}I", *counts), here))


class _Places:
    """The places of a chunk while they change: as they are stored, so that a change costs what it changes."""

    def __init__(self, rest: bytes) -> None:
        self._bits = bytearray(rest) if len(rest) == _BITS else None
        self._listed = set() if self._bits is not None else set(struct.unpack(f"<{len(rest) // 2}H", rest))

    def has(self, place: int) -> bool:
        if self._bits is None:
            return place in self._listed
        return bool(self._bits[place >> 3] >> (place & 7) & 1)

    def put(self, place: int, *, is_there: bool) -> None:
        if self._bits is None:
            (self._listed.add if is_there else self._listed.discard)(place)
        elif is_there:
            self._bits[place >> 3] |= 1 << (place & 7)
        else:
            self._bits[place >> 3] &= ~(1 << (place & 7))

    def packed(self) -> bytes:
        """The bits, or the places one by one where that is shorter."""
        if self._bits is not None:
            here = int.from_bytes(self._bits, "little")
            if here.bit_count() > _LISTED_MAX:
                return bytes(self._bits)
            self._listed = set(_places(here))
        if len(self._listed) > _LISTED_MAX:
            return _bits_of(self._listed).to_bytes(_BITS, "little")
        return struct.pack(f"<{len(self._listed)}H", *sorted(self._listed))


def unpacked(stored: bytes) -> dict[int, int]:
    """Place -> count, of everybody."""
    return counts_among(stored, (1 << SIZE) - 1)


def counts_among(stored: bytes, wanted: int) -> dict[int, int]:
    """Place -> count, of those of the bits in `wanted` that are there."""
    often = _counts(stored)
    return {place: often.get(place, 1) for place in _places(bits(stored) & wanted)}


def bits(stored: bytes) -> int:
    """Who is in a chunk, as bits."""
    if not stored:
        return 0
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


def first(members: Members, most: int) -> Members:
    """The first so many members."""
    found: Members = {}
    for number in islice(numbers(members), most):
        chunk, place = divmod(number, SIZE)
        found[chunk] = found.get(chunk, 0) | 1 << place
    return found


def numbers(members: Members, after: int = -1) -> Iterator[int]:
    """The numbers of the members behind `after`, in order."""
    for chunk in sorted(members):
        start = chunk * SIZE
        if start + SIZE > after:
            yield from (number for place in _places(members[chunk]) if (number := start + place) > after)


def _often(stored: bytes) -> int:
    return int.from_bytes(stored[:2], "little")


def _counts(stored: bytes) -> dict[int, int]:
    """The counts above one."""
    counts = struct.unpack_from(f"<{_often(stored)}I", stored, 2) if stored else ()
    return {count & SIZE - 1: count >> _PLACE for count in counts}


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
