"""Upkeep: what was rejected does not stay. Its text and reason go, its receipts do not."""

from __future__ import annotations

from sqlalchemy import Connection

from tarimba.clock import DAY
from tarimba.identity import settings as space_settings
from tarimba.kernel import Kernel
from tarimba.proposals import store
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx

SCRUBBED_AT_ONCE = 50
_WORKER = Actor("system", "worker")


def scrub_due(kernel: Kernel) -> bool:
    """Deletes text and reason of proposals whose rejection is `rejected_text_days` ago, a few in each space.

    True when there may be more of them.
    """
    with kernel.database.read() as connection:
        due = [
            space_id
            for space_id, since in store.spaces_with_rejected(connection)
            if since <= kernel.writer.now(space_id) - _kept_for(connection, space_id)
        ]
    done = [kernel.writer.commit(space_id, _scrub) for space_id in due]
    return SCRUBBED_AT_ONCE in done


def _scrub(tx: Tx) -> int:
    until = tx.now - _kept_for(tx.connection, tx.space_id)
    count = store.scrub(tx, until, SCRUBBED_AT_ONCE)
    if count:
        record(tx, Receipt("erase.scrubbed", _WORKER, "worker", detail={"rejected_proposals": count}))
    return count


def _kept_for(connection: Connection, space_id: str) -> int:
    """Microseconds, by the setting in force now."""
    return space_settings.load(connection, space_id).rejected_text_days * DAY
