"""Proving a receipt: from its own bytes, along the hashes of the tree, to the sealed head of the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts import search
from tarimba.receipts.canonical import canonical
from tarimba.receipts.index import position
from tarimba.receipts.merkle import Frontier, leaf_hash, verify_inclusion
from tarimba.receipts.model import Recorded
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.seal import seal
from tarimba.receipts.tree import LogTree
from tarimba.storage.tables import space_head


@dataclass(frozen=True, slots=True)
class Proof:
    """A receipt against the head of its log, which has `size` receipts and that `root` (32 bytes).

    `path` are the hashes from the leaf up. `is_whole`: the receipt as it is stored has its stored hash.
    `is_included`: from that hash the path leads to the root. `is_sealed`: nobody without the key of the space wrote
    this size and root.
    """

    stored: Stored
    size: int
    root: bytes
    path: tuple[bytes, ...]
    is_whole: bool
    is_included: bool
    is_sealed: bool

    @property
    def ok(self) -> bool:
        return self.is_whole and self.is_included and self.is_sealed


class Prover:
    """Proves receipts of one space in one snapshot."""

    def __init__(self, kernel: Kernel, connection: Connection, space_id: str) -> None:
        columns = (space_head.c.size, space_head.c.frontier, space_head.c.seal)
        row = connection.execute(select(*columns).where(space_head.c.space_id == space_id)).one()
        self._tree = LogTree(connection, space_id, kernel.cold)
        self.size = int(row.size)
        self.root = _root(bytes(row.frontier), self.size)
        self.is_sealed = seal(kernel.keys.of(space_id), self.size, self.root) == bytes(row.seal)

    def prove(self, stored: Stored) -> Proof:
        """The proof of what was read at that place."""
        leaf = _leaf(stored)
        path = self._tree.inclusion(stored.seq, self.size) if stored.seq < self.size else []
        is_included = verify_inclusion(stored.seq, self.size, leaf, path, self.root)
        is_whole = leaf == stored.leaf
        return Proof(stored, self.size, self.root, tuple(path), is_whole, is_included, self.is_sealed)


def prove(kernel: Kernel, principal: Principal, receipt_id: str) -> tuple[Proof, Recorded]:
    """One receipt with its proof, and the receipt of having asked. Raises 403, 404 and 503."""
    stored, recorded = search.get(kernel, principal, receipt_id)
    return _proved(kernel, principal.space_id, [stored])[0], recorded


def prove_at(kernel: Kernel, principal: Principal, seq: int) -> tuple[Proof, Recorded]:
    """The same for whatever is stored at a place of the log. Raises 403 and 404."""
    allow(principal, "receipts")
    with kernel.database.read() as connection:
        if not 0 <= seq < position(connection, principal.space_id).size:
            raise not_found("receipt")
        stored = LogReader(connection, principal.space_id, kernel.cold).read(seq)
    recorded = search.leave(kernel, principal, {"asked": {"seq": seq}, "returned": 1})
    return _proved(kernel, principal.space_id, [stored])[0], recorded


def _proved(kernel: Kernel, space_id: str, found: Iterable[Stored]) -> list[Proof]:
    with kernel.database.read() as connection:
        prover = Prover(kernel, connection, space_id)
        return [prover.prove(stored) for stored in found]


def _leaf(stored: Stored) -> bytes:
    """The hash that the receipt has by its own bytes; none for what has no canonical form."""
    try:
        return leaf_hash(canonical(stored.document))
    except ValueError:
        return b""


def _root(frontier: bytes, size: int) -> bytes:
    """The head's root; none where the head was damaged."""
    try:
        read = Frontier.from_bytes(frontier)
    except ValueError:
        return b""
    return read.root() if read.size == size else b""
