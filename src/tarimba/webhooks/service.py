"""Announcing what happened: an event joins the outbox in the transaction of the change itself.

Delivery is another matter: an event that is in the outbox has happened, and one that is not has not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import insert

from tarimba.ids import new_id
from tarimba.storage import Tx
from tarimba.storage.tables import outbox
from tarimba.webhooks.measuring import backlog

__all__ = ["announce", "backlog"]

_INSERT = insert(outbox)


def announce(tx: Tx, event_type: str, subject: str, data: Mapping[str, str | int | None]) -> str:
    """Puts an event into the outbox of the space. Returns its id.

    `subject` is the id whose events are delivered in order (a note's chain, an agent). `data` holds ids, codes
    and counts only: never a title, a text or a tag.
    """
    event_id = new_id()
    row = {
        "space_id": tx.space_id,
        "ordinal": tx.next_ordinal(),
        "event_id": event_id,
        "type": event_type,
        "subject": subject,
        "payload": json.dumps(dict(data), separators=(",", ":")),
        "created_at": tx.now,
    }
    tx.write(_INSERT, [row])
    return event_id
