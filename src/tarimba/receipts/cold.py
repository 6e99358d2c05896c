"""The oldest receipts where they went when they grew old: read from files outside the database, and trusted in nothing.

A file holds 256 receipts, a full tile of the tree, each in its canonical form in a line of its own, gzipped. The
database keeps its name, size and SHA-256 (`log_cold`); the roots above it stay in `log_node`. What is cold is the
beginning of the log, without a gap, and no row of `receipt_bundle` holds any of it.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import Connection, bindparam, func, select

from tarimba.errors import Refusal
from tarimba.receipts.cold_places import Place, PlaceError
from tarimba.receipts.merkle import leaf_hash
from tarimba.receipts.tiles import WIDTH, Tile
from tarimba.storage.tables import log_cold

# What the files that are kept in memory have together, unpacked.
CACHE_BYTES: Final = 32 * 1024 * 1024
_COLUMNS: Final = log_cold.c
_IN_SPACE: Final = _COLUMNS.space_id == bindparam("space_id")
_END: Final = select(func.max(_COLUMNS.first_seq + _COLUMNS.count)).where(_IN_SPACE)
_FILES: Final = select(log_cold).where(_IN_SPACE).order_by(_COLUMNS.first_seq)
_FILE: Final = _FILES.where(_COLUMNS.first_seq == bindparam("first_seq"))
_PAGE: Final = _FILES.where(_COLUMNS.first_seq > bindparam("after")).limit(500)
_log = structlog.get_logger("tarimba.receipts")


@dataclass(frozen=True, slots=True)
class ColdFile:
    """A file as the database knows it: the receipts from `first_seq` on, `size` bytes with that SHA-256 (hex)."""

    first_seq: int
    count: int
    name: str
    size: int
    digest: str

    @property
    def last_seq(self) -> int:
        return self.first_seq + self.count - 1


@dataclass(frozen=True, slots=True)
class ColdTile:
    """What is in it: receipts in their canonical form, and the hashes of their leaves."""

    lines: tuple[bytes, ...]
    leaves: tuple[bytes, ...]

    @property
    def bytes(self) -> int:
        return sum(map(len, self.lines))


class ColdLostError(Refusal):
    """A file is missing, or is not the one that was written. Carries the sentence for who verifies in `finding`."""

    def __init__(self, finding: str) -> None:
        self.finding = finding
        says = f"{finding} Put the file back from your copy of it; `tarimba receipts verify` names every such file."
        super().__init__("unavailable", says)


def packed(space_id: str, first_seq: int, entries: Sequence[bytes]) -> tuple[ColdFile, bytes]:
    """The file of a tile, and its bytes. A receipt in canonical form has no line break in it."""
    data = gzip.compress(b"\n".join(entries), mtime=0)
    digest = hashlib.sha256(data).hexdigest()
    tile = Tile(None, first_seq // WIDTH).name
    return ColdFile(first_seq, len(entries), f"{space_id}/{tile}.{digest}.jsonl.gz", len(data), digest), data


class Cold:
    """The cold files of an installation, and the last of them in memory. Without a place nothing can be read."""

    def __init__(self, place: Place | None = None, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.place = place
        self._cache_bytes = cache_bytes
        self._lock = threading.Lock()
        self._tiles: OrderedDict[str, ColdTile] = OrderedDict()
        self._bytes = 0

    def tile(self, file: ColdFile) -> ColdTile:
        """What is in a file. Raises `ColdLostError`, and 503 while its place does not answer."""
        with self._lock:
            known = self._tiles.get(file.digest)
            if known is not None:
                self._tiles.move_to_end(file.digest)
                return known
        tile = self.read(file)
        self._remember(file, tile)
        return tile

    def read(self, file: ColdFile) -> ColdTile:
        """The same anew from its place, whatever is in memory."""
        try:
            lines = tuple(gzip.decompress(self.data(file)).split(b"\n"))
        except (OSError, EOFError, zlib.error):
            raise _altered(file) from None
        return ColdTile(lines, tuple(map(leaf_hash, lines)))

    def data(self, file: ColdFile) -> bytes:
        """The bytes of a file, which are those that were written. Raises like `tile`."""
        if self.place is None:
            raise Refusal(
                "unavailable",
                f"The receipts of seq {file.first_seq} to {file.last_seq} lie in cold storage, and this process was "
                "given none: set TARIMBA_COLD_DIR or TARIMBA_COLD_URL to where they were moved.",
            )
        try:
            data = self.place.get(file.name, file.size + 1)
        except PlaceError as error:
            _log.error("cold.not_read", error=str(error))
            raise Refusal(
                "unavailable",
                f"The cold storage with the receipts of seq {file.first_seq} to {file.last_seq} does not answer. "
                "Try again.",
                retry_after=5,
            ) from error
        if data is None:
            raise ColdLostError(
                f"The cold file with seq {file.first_seq} to {file.last_seq} is missing: {file.name}."
            )
        if hashlib.sha256(data).hexdigest() != file.digest:
            raise _altered(file)
        return data

    def _remember(self, file: ColdFile, tile: ColdTile) -> None:
        with self._lock:
            if file.digest not in self._tiles:
                self._tiles[file.digest] = tile
                self._bytes += tile.bytes
            while self._bytes > self._cache_bytes and len(self._tiles) > 1:
                _, oldest = self._tiles.popitem(last=False)
                self._bytes -= oldest.bytes


class ColdLog:
    """The cold part of one log in one snapshot."""

    def __init__(self, cold: Cold, connection: Connection, space_id: str) -> None:
        self._cold = cold
        self._connection = connection
        self._space_id = space_id
        self._end: int | None = None

    @property
    def end(self) -> int:
        """The place of the first receipt that is in the database."""
        if self._end is None:
            self._end = self._connection.scalar(_END, {"space_id": self._space_id}) or 0
        return self._end

    def tile(self, index: int) -> ColdTile | None:
        """What is cold of a tile; None where the database knows no file of it. Raises like `Cold.tile`."""
        if not 0 <= index * WIDTH < self.end:
            return None
        asked = {"space_id": self._space_id, "first_seq": index * WIDTH}
        row = self._connection.execute(_FILE, asked).first()
        return None if row is None else self._cold.tile(_file(row))


def files(connection: Connection, space_id: str) -> Iterator[ColdFile]:
    """The cold files of a space as the database knows them, in the order of the log."""
    after = -1
    # By pages: who reads files may give up on one, and leaves no cursor open in the database.
    while page := connection.execute(_PAGE, {"space_id": space_id, "after": after}).all():
        yield from map(_file, page)
        after = page[-1].first_seq


def _file(row: object) -> ColdFile:
    return ColdFile(*(getattr(row, name) for name in ("first_seq", "count", "name", "size", "digest")))


def _altered(file: ColdFile) -> ColdLostError:
    return ColdLostError(
        f"The cold file with seq {file.first_seq} to {file.last_seq} was altered: {file.name}."
    )
