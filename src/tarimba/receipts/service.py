"""Recording receipts: under a transaction for acts, through the writer for reads."""

from __future__ import annotations

from tarimba.clock import rfc3339
from tarimba.ids import new_id
from tarimba.receipts.canonical import canonical
from tarimba.receipts.merkle import leaf_hash
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.writer import GroupCommit
from tarimba.storage import Entry, Tx


def record(tx: Tx, receipt: Receipt) -> Recorded:
    """Appends the receipt of an act inside the act's own transaction."""
    entry = _entry(receipt, tx.space_id, tx.now)
    return Recorded(entry.receipt_id, tx.append(entry), entry.leaf.hex())


def record_read(writer: GroupCommit, space_id: str, receipt: Receipt) -> Recorded:
    """Appends the receipt of a read and returns when it is durable. Raises `unavailable`."""
    return writer.append(space_id, _entry(receipt, space_id, writer.now(space_id)))


def _entry(receipt: Receipt, space_id: str, at_us: int) -> Entry:
    receipt_id = new_id()
    stored = canonical(receipt.as_json(receipt_id, space_id, rfc3339(at_us)))
    return Entry(receipt_id, leaf_hash(stored), stored)
