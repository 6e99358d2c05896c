"""How every administrative change runs: authorise, then under the lock of the space look again, and once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt, Recorded
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once

_RECEIPT_ID = "receipt_id"
_RECEIPT_LEAF = "receipt_leaf"


def commit_change(
    kernel: Kernel, principal: Principal, act: str, key: OnceKey | None, work: Callable[[Tx], Done]
) -> Done:
    """Runs `work` if the caller may do `act` (a key of `GRANTS`) and has not done this request before."""
    allow(principal, act)

    def commit(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, key, lambda: work(tx))

    return kernel.writer.commit(principal.space_id, commit)


def leave(
    tx: Tx,
    by: Principal,
    action: str,
    objects: Mapping[str, str],
    detail: Mapping[str, Any],
    agent: str | None = None,
) -> Recorded:
    """The receipt of one change, and the end of every cache of the space."""
    tx.changed()
    return record(tx, Receipt(action, by.actor, by.via, agent=agent, objects=objects, detail=detail))


def done(status: int, recorded: Recorded | None, **ids: str) -> Done:
    """What the change left. The receipt's id and leaf are kept with it, so a replay names the same receipt."""
    if recorded is None:
        return Done(status, ids)
    return Done(status, ids | {_RECEIPT_ID: recorded.id, _RECEIPT_LEAF: recorded.leaf}, recorded.seq)


def receipt_of(change: Done) -> Recorded | None:
    """The receipt that the change left, now or when it was first asked for; None when nothing differed."""
    if change.seq is None:
        return None
    return Recorded(change.ids[_RECEIPT_ID], change.seq, change.ids[_RECEIPT_LEAF])


def taken(what: str, field: str) -> Refusal:
    """409: `field` names something that exists already."""
    return Refusal("conflict", f"{field}: there is {what} with it in this space already.")
