"""Moving the oldest receipts out of the database: a full tile at a time, once all in it are old enough.

Written first, read back and hashed; then, in one short transaction, the file is recorded and the rows go. Whatever ends
the process on the way, the receipts are in one of the two places, and the next run writes the same file again.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy import Connection

from tarimba.clock import DAY, SECOND, from_datetime
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.proof import cold_store, store
from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import is_signed
from tarimba.receipts.cold import ColdFile, packed
from tarimba.receipts.cold_places import Place, PlaceError
from tarimba.receipts.merkle import leaf_hash, verify_inclusion
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.service import record
from tarimba.receipts.tiles import WIDTH
from tarimba.receipts.tree import LogTree
from tarimba.storage import Tx

_SERVER: Final = Actor("system", "worker")
_PAUSE: Final = 60 * SECOND
_log = structlog.get_logger("tarimba.proof")


class Cooling:
    """The upkeep of one process. Several may do it at once: who commits a tile first has moved it."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        # By space: before when there is nothing to look at.
        self._not_before: dict[str, int] = {}

    def piece(self) -> bool:
        """Moves one tile of each space that has one. Whether there may be more. Nothing while requests queue."""
        days, place = self._kernel.settings.cold_after_days, self._kernel.cold.place
        if days is None or place is None or self._kernel.writer.is_busy:
            return False
        with self._kernel.database.read() as connection:
            spaces = cold_store.spaces_with_tiles(connection)
        now = self._kernel.clock.now_us()
        due = [space_id for space_id in spaces if self._not_before.get(space_id, 0) <= now]
        moved = [self._move(place, space_id, now - days * DAY) for space_id in due]
        return any(moved)

    def _move(self, place: Place, space_id: str, before: int) -> bool:
        """Whether there may be another one. What goes wrong is told, and tried again in a minute."""
        try:
            waits = move(self._kernel, place, space_id, before)
        except PlaceError as error:
            _log.error("cold.not_written", space_id=space_id, error=str(error))
            waits = _PAUSE
        except Refusal as refusal:
            _log.error("cold.refused", space_id=space_id, code=refusal.code)
            waits = _PAUSE
        if waits:
            self._not_before[space_id] = self._kernel.clock.now_us() + waits
        return not waits


def move(kernel: Kernel, place: Place, space_id: str, before: int) -> int:
    """Moves the oldest tile of a space if every receipt in it is from before that moment (microseconds).

    Returns 0, or how long it is until the tile is old enough. Raises `PlaceError`, and `Refusal`: 409 for a tile that
    the last signed checkpoint does not vouch for.
    """
    with kernel.database.read() as connection:
        first = cold_store.end(connection, space_id)
        found = list(LogReader(connection, space_id, kernel.cold).span(first, first + WIDTH))
        entries = _vouched(kernel, connection, space_id, found)
    youngest = max(map(_moment, found))
    if youngest >= before:
        return youngest - before + 1
    file, data = packed(space_id, first, entries)
    place.put(file.name, data)
    back = place.get(file.name, file.size + 1)
    if back is None or hashlib.sha256(back).hexdigest() != file.digest:
        raise PlaceError("differs")
    leaves = b"".join(one.leaf for one in found)
    kernel.writer.commit(space_id, lambda tx: _settle(tx, file, place, leaves))
    return 0


def _vouched(kernel: Kernel, connection: Connection, space_id: str, found: list[Stored]) -> list[bytes]:
    """The canonical bytes of receipts, which are those that the last checkpoint was signed over."""
    entries = [_canonical(one) for one in found]
    last = store.last_checkpoint(connection, space_id)
    keys = store.signing_keys(connection, space_id)
    if last is None or not any(is_signed(last, key.public) for key in keys):
        raise _refused("no signed checkpoint reaches it")
    first = found[0]
    # The path of the first leaf leads over all the others of its tile.
    path = LogTree(connection, space_id, kernel.cold).inclusion(first.seq, last.size)
    is_whole = all(leaf_hash(entry) == one.leaf for entry, one in zip(entries, found, strict=True))
    if not is_whole or not verify_inclusion(first.seq, last.size, first.leaf, path, last.root):
        raise _refused("it was altered: run `tarimba receipts verify`")
    return entries


def _settle(tx: Tx, file: ColdFile, place: Place, leaves: bytes) -> None:
    """Records the file and lets the rows go. Nothing when another process was here first."""
    if cold_store.end(tx.connection, tx.space_id) != file.first_seq:
        return
    if not cold_store.take_out(tx, file, leaves):
        raise _refused("its rows changed meanwhile")
    cold_store.add(tx, file)
    detail = {"first_seq": file.first_seq, "count": file.count, "digest": file.digest, "place": place.kind}
    record(tx, Receipt("receipts.cool", _SERVER, "worker", detail=detail))


def _canonical(stored: Stored) -> bytes:
    try:
        return canonical(stored.document)
    except ValueError:
        raise _refused("it was altered: run `tarimba receipts verify`") from None


def _moment(stored: Stored) -> int:
    return from_datetime(datetime.fromisoformat(str(stored.document["at"])))


def _refused(why: str) -> Refusal:
    return Refusal("conflict", f"A tile of the log is not moved to cold storage: {why}.")
