"""Known customers that conversations tell of: handles that somebody proved to have, never names.

Such a customer has the id of its profile, so that it moves, ends and is forgotten with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import bindparam, delete, select, update

from tarimba.personal_data import known_store as store
from tarimba.personal_data.handles import HANDLE_TYPES, handle
from tarimba.personal_data.known_customers import known_mac
from tarimba.storage import Tx
from tarimba.storage.known_macs import owners_of
from tarimba.storage.tables import known_customer
from tarimba.vault import SpaceKey

_MOVE: Final = (
    update(known_customer)
    .where(known_customer.c.space_id == bindparam("of"), known_customer.c.customer_id == bindparam("who"))
    .values(customer_id=bindparam("to_whom"))
)


def hashed_handle(key: SpaceKey, handle_type: str, written: str) -> tuple[str, str] | None:
    """MAC and kind of a handle of one of `HANDLE_TYPES`, the same wherever it comes from; None if it can't be one."""
    found = handle(handle_type, written) if handle_type in HANDLE_TYPES else None
    return (known_mac(key, found), found.kind) if found else None


def learn(tx: Tx, handles: Mapping[str, tuple[str, str]]) -> int:
    """Makes MACs known, each with its kind and the customer's id. Returns how many no customer had.

    No stored note becomes suspect: what a rule finds was refused in it before.
    """
    there = {mac for mac, _ in owners_of(tx.connection, tx.space_id, handles)} if handles else set()
    new = [(mac, kind, who) for mac, (kind, who) in handles.items() if mac not in there]
    store.add(tx, new)
    return len(new)


def reassign(tx: Tx, into: Mapping[str, str]) -> None:
    """Customers turned out to be others."""
    mine = (known_customer.c.space_id == tx.space_id, known_customer.c.customer_id.in_(sorted(into)))
    known = tx.all(select(known_customer.c.customer_id).where(*mine).distinct()) if into else ()
    if known:
        tx.write(
            _MOVE,
            [{"of": tx.space_id, "who": one.customer_id, "to_whom": into[one.customer_id]} for one in known],
        )


def unlearn(tx: Tx, customer_ids: Sequence[str], macs: Sequence[str] = ()) -> Counter[str]:
    """Deletes all that is known of these customers and of whoever has one of these MACs. Returns how many, by kind."""
    who = {*customer_ids, *(owner for _, owner in owners_of(tx.connection, tx.space_id, macs))}
    theirs = (known_customer.c.space_id == tx.space_id, known_customer.c.customer_id.in_(who))
    found = Counter(row.kind for row in tx.all(select(known_customer.c.kind).where(*theirs)))
    if found:
        tx.write(delete(known_customer).where(*theirs))
    return found
