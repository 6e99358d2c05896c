"""The tree over a stored log: the roots of its parts, from few rows.

The roots of perfect subtrees of 256 leaves, of 65,536 and so on are stored (`log_node`) once they are complete, so a
proof reads some hundred hashes whatever the size. Where one is not stored yet it is computed from what is below it.
Nothing here is trusted: whoever proves compares with the sealed head.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from tarimba.receipts.cold import Cold, ColdLog
from tarimba.receipts.merkle import HASH_SIZE, consistency_ranges, inclusion_ranges, root
from tarimba.storage.tables import log_node, receipt_bundle

WIDTH: Final = 256
LEVELS: Final = 3
_NOTHING: Final = bytes(HASH_SIZE)
_BUNDLES: Final = receipt_bundle.c
_IN_SPACE: Final = _BUNDLES.space_id == bindparam("space_id")
_BEFORE: Final = (
    select(func.max(_BUNDLES.first_seq))
    .where(_IN_SPACE, _BUNDLES.first_seq <= bindparam("start"))
    .scalar_subquery()
)
_HASHES: Final = (
    select(_BUNDLES.first_seq, _BUNDLES.hashes)
    .where(_IN_SPACE, _BUNDLES.first_seq >= func.coalesce(_BEFORE, bindparam("start")))
    .where(_BUNDLES.first_seq < bindparam("end"))
    .order_by(_BUNDLES.first_seq)
)
_NODES: Final = select(log_node.c.place, log_node.c.hash).where(
    log_node.c.space_id == bindparam("space_id"),
    log_node.c.level == bindparam("level"),
    log_node.c.place >= bindparam("first"),
    log_node.c.place < bindparam("end"),
)


class LogTree:
    """The tree of one space in one snapshot. Remembers what it read. A leaf that is missing counts as zeros.

    What reads leaves raises 503 while the cold file that has them can't be read.
    """

    def __init__(self, connection: Connection, space_id: str, cold: Cold) -> None:
        self._connection = connection
        self._space_id = space_id
        self._cold = ColdLog(cold, connection, space_id)
        self._chunks: dict[int, list[bytes]] = {}
        self._rows: dict[tuple[int, int], Mapping[int, bytes]] = {}

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The hashes that lead from leaf `index` to the root of `size` leaves; `IndexError` without such a leaf."""
        return [self.part(start, end) for start, end in inclusion_ranges(index, size)]

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """The hashes that show the first `old_size` leaves unchanged; `IndexError` unless 0 < old <= new."""
        return [self.part(start, end) for start, end in consistency_ranges(old_size, new_size)]

    def part(self, start: int, end: int) -> bytes:
        """The root of the subtree over the leaves `[start, end)`, which must be one of the tree's."""
        level = 0
        while level < LEVELS and WIDTH ** (level + 1) <= end - start:
            level += 1
        if level == 0:
            return root(self._leaves(start, end))
        width = WIDTH**level
        whole = end - end % width
        nodes = [self.node(level, place) for place in range(start // width, whole // width)]
        return root([*nodes, self.part(whole, end)] if whole < end else nodes)

    def node(self, level: int, place: int) -> bytes:
        """The root of the perfect subtree number `place` of 256 ** `level` leaves: stored, else computed."""
        if level == 0:
            return self._leaves(place, place + 1)[0]
        row = level, place // WIDTH
        if row not in self._rows:
            self._rows[row] = self._stored(level, place - place % WIDTH)
        return self._rows[row].get(place) or self.computed(level, place)

    def computed(self, level: int, place: int) -> bytes:
        """The same from the level below."""
        if level == 1:
            return root(self._leaves(place * WIDTH, (place + 1) * WIDTH))
        below = range(place * WIDTH, (place + 1) * WIDTH)
        return root([self.node(level - 1, one) for one in below])

    def _stored(self, level: int, first: int) -> Mapping[int, bytes]:
        asked = {"space_id": self._space_id, "level": level, "first": first, "end": first + WIDTH}
        return {place: bytes(found) for place, found in self._connection.execute(_NODES, asked)}

    def _leaves(self, start: int, end: int) -> list[bytes]:
        """Of one chunk."""
        chunk = start // WIDTH
        if chunk not in self._chunks:
            self._chunks = {chunk: self._chunk(chunk * WIDTH)}
        return self._chunks[chunk][start % WIDTH : start % WIDTH + end - start]

    def _chunk(self, first: int) -> list[bytes]:
        asked = {"space_id": self._space_id, "start": first, "end": first + WIDTH}
        leaves = [_NOTHING] * WIDTH
        tile = self._cold.tile(first // WIDTH)
        if tile is not None:
            return [*tile.leaves, *leaves][:WIDTH]
        for first_seq, hashes in self._connection.execute(_HASHES, asked):
            for at in range(0, len(hashes) - HASH_SIZE + 1, HASH_SIZE):
                place = first_seq + at // HASH_SIZE - first
                if 0 <= place < WIDTH:
                    leaves[place] = bytes(hashes[at : at + HASH_SIZE])
        return leaves
