"""The log of a space as static files: one tile on demand, or all of them into a folder that any server can serve.

A tile of hashes tells nothing of what is in the log. A bundle of entries holds receipts, so it is for whoever may read
those, and reading one leaves one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.proof import checkpoints, store, witnessing
from tarimba.receipts import search
from tarimba.receipts.canonical import canonical
from tarimba.receipts.checkpoint import SignedCheckpoint
from tarimba.receipts.checkpoint import read as read_checkpoints
from tarimba.receipts.merkle import leaf_hash, verify_consistency
from tarimba.receipts.model import Recorded
from tarimba.receipts.reading import LogReader
from tarimba.receipts.tiles import CHECKPOINT, ENTRIES, WIDTH, Tile, pack, tiles_of
from tarimba.receipts.tree import LogTree


@dataclass(frozen=True, slots=True)
class Written:
    """What a run wrote: the checkpoint, and how many files are new of how many that the log has."""

    checkpoint: SignedCheckpoint
    new: int
    files: int


def tile(kernel: Kernel, principal: Principal, path: str) -> bytes:
    """The hashes of a tile by its path below `tile/`. Raises 403 and 404."""
    allow(principal, "checkpoints")
    return _one(kernel, principal, path)[1]


def entries(kernel: Kernel, principal: Principal, path: str) -> tuple[bytes, Recorded]:
    """The receipts under a tile by its path below `tile/entries/`, and the receipt of having read them.

    Raises 403, 404, and 409 for an altered receipt.
    """
    allow(principal, "receipts")
    wanted, data = _one(kernel, principal, f"{ENTRIES}/{path}")
    detail = {"asked": {"tile": wanted.index}, "returned": wanted.width}
    return data, search.leave(kernel, principal, detail)


def _one(kernel: Kernel, principal: Principal, path: str) -> tuple[Tile, bytes]:
    try:
        wanted = Tile.parse(f"tile/{path}")
    except ValueError:
        raise not_found("tile") from None
    with kernel.database.read() as connection:
        end = (wanted.index * WIDTH + wanted.width) * WIDTH ** (wanted.level or 0)
        if end > store.size(connection, principal.space_id):
            raise not_found("tile")
        return wanted, _Log(kernel, connection, principal.space_id).bytes_of(wanted)


def write(kernel: Kernel, principal: Principal, folder: Path) -> Written:
    """Brings a folder to the log as it is now, the checkpoint last: only what it does not have yet is written.

    Partial tiles go once the full one is there. Interrupted, the next run goes on. Leaves a receipt in the log.
    Raises 403, 409 for an altered receipt or a folder that is not of this log's beginning, 503 and `OSError`.
    """
    allow(principal, "receipts")
    search.leave(kernel, principal, {"asked": {"all": "tiles"}})
    made = witnessing.cosigned(kernel, principal.space_id, checkpoints.make(kernel, principal.space_id))
    _refuse_other(kernel, principal.space_id, folder, made)
    missing = [one for one in tiles_of(made.size) if not (folder / one.name).is_file()]
    for one in missing:
        # A snapshot for each file: a long log does not hold the database's old rows for long.
        with kernel.database.read() as connection:
            data = _Log(kernel, connection, principal.space_id).bytes_of(one)
        _put(folder / one.name, data)
        _drop_partial(folder, one)
    _put(folder / CHECKPOINT, made.note.encode())
    return Written(made, len(missing), sum(1 for _ in tiles_of(made.size)))


class _Log:
    """The tiles of one log in one snapshot."""

    def __init__(self, kernel: Kernel, connection: Connection, space_id: str) -> None:
        self._tree = LogTree(connection, space_id, kernel.cold)
        self._reader = LogReader(connection, space_id, kernel.cold)

    def bytes_of(self, wanted: Tile) -> bytes:
        first = wanted.index * WIDTH
        places = range(first, first + wanted.width)
        if wanted.level is None:
            return _packed(list(self._entries(places)))
        return b"".join(self._tree.node(wanted.level, place) for place in places)

    def _entries(self, places: range) -> Iterator[bytes]:
        """The canonical bytes of receipts, each of which has its stored hash: nothing altered is published."""
        for seq in places:
            stored = self._reader.read(seq)
            entry = canonical(stored.document)
            if leaf_hash(entry) != stored.leaf:
                says = f"The receipt at seq {seq} was altered and is not published: run `tarimba receipts verify`."
                raise Refusal("conflict", says)
            yield entry


def _packed(entries: list[bytes]) -> bytes:
    try:
        return pack(entries)
    except ValueError:
        raise Refusal("conflict", "A receipt has 64 KiB or more: tiles have no room for it.") from None


def _refuse_other(kernel: Kernel, space_id: str, folder: Path, made: SignedCheckpoint) -> None:
    """What is in the folder is never written again, so it must be the beginning of this very log."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return
    found = read_checkpoints(path.read_text(encoding="utf-8"))
    if not found or found[0].origin != made.origin:
        raise Refusal(
            "conflict", "The folder holds the tiles of another log: give each log a folder of its own."
        )
    if not _grew(kernel, space_id, found[0], made):
        raise Refusal(
            "conflict",
            "The folder holds receipts that the log does not have any more, as after a restore from a backup: give the "
            "log a new folder, and keep this one.",
        )


def _grew(kernel: Kernel, space_id: str, old: SignedCheckpoint, new: SignedCheckpoint) -> bool:
    if not 0 < old.size <= new.size:
        return False
    with kernel.database.read() as connection:
        proof = LogTree(connection, space_id, kernel.cold).consistency(old.size, new.size)
    return verify_consistency(old.size, new.size, old.root, new.root, proof)


def _put(path: Path, data: bytes) -> None:
    """The whole file or none of it, durable."""
    path.parent.mkdir(parents=True, exist_ok=True)
    waiting = path.with_name(f".{path.name}.new")
    with waiting.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    waiting.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _drop_partial(folder: Path, written: Tile) -> None:
    """Narrower ones of the same tile: what they held is in the file that was just written."""
    base = folder / written.full.name
    partial = base.with_name(f"{base.name}.p")
    if not partial.is_dir():
        return
    for path in partial.iterdir():
        if written.is_full or path.name != str(written.width):
            path.unlink()
    if written.is_full:
        partial.rmdir()
