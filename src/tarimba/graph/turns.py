"""Which turns are under way in a workspace, as its harness tells: from which conversation a fact came is known by them.

Never guessed: with no open turn, or with two, it is not known.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Final

from tarimba.clock import HOUR, rfc3339
from tarimba.errors import Refusal
from tarimba.graph import turn_store as store
from tarimba.graph.access import scope_of
from tarimba.identity.model import Principal
from tarimba.identity.service import recheck
from tarimba.kernel import Kernel
from tarimba.storage import Tx

OPEN_FOR: Final = HOUR
"""After so long nobody will end it any more: its harness stopped."""
OPEN_MAX: Final = 1000


def start_turn(kernel: Kernel, workspace: Principal, conversation_id: str, turn_id: str | None) -> str:
    """From now on a turn of the conversation is open; the same one again begins anew.

    Returns when it is forgotten if nobody ends it (RFC 3339). Raises 409 for too many at once.
    """
    scope, key = scope_of(workspace), _key(kernel, workspace, conversation_id, turn_id)

    def commit(tx: Tx) -> str:
        recheck(tx, workspace)
        store.forget(tx, tx.now - OPEN_FOR)
        store.end(tx, scope, key)
        if store.count(tx, scope) >= OPEN_MAX:
            raise Refusal("conflict", f"A workspace has at most {OPEN_MAX} open turns: end some.")
        store.add(tx, scope, key, conversation_id)
        return rfc3339(tx.now + OPEN_FOR)

    return kernel.writer.commit(workspace.space_id, commit)


def end_turn(kernel: Kernel, workspace: Principal, conversation_id: str, turn_id: str | None) -> int:
    """Ends one turn, or without `turn_id` every turn of the conversation. Returns how many were open."""
    scope, key = scope_of(workspace), _key(kernel, workspace, conversation_id, turn_id)

    def commit(tx: Tx) -> int:
        recheck(tx, workspace)
        store.forget(tx, tx.now - OPEN_FOR)
        if turn_id is None:
            return store.end_conversation(tx, scope, conversation_id)
        return store.end(tx, scope, key)

    return kernel.writer.commit(workspace.space_id, commit)


def open_conversation(kernel: Kernel, workspace: Principal) -> str | None:
    """The conversation of the one open turn of a workspace; None when none is open, or more than one."""
    after = kernel.writer.now(workspace.space_id) - OPEN_FOR
    with kernel.database.read() as connection:
        found = store.conversations(connection, scope_of(workspace), after, limit=2)
    return found[0] if len(found) == 1 else None


def forget_turns(kernel: Kernel) -> bool:
    """Forgets, in every space, the turns that nobody ended in time. Whether more may wait: never."""
    before = kernel.clock.now_us() - OPEN_FOR
    with kernel.database.read() as connection:
        spaces = store.spaces_with_old(connection, before)
    for space_id in spaces:
        kernel.writer.commit(space_id, partial(store.forget, before=before))
    return False


def _key(kernel: Kernel, workspace: Principal, conversation_id: str, turn_id: str | None) -> str:
    """A turn without an id of its own is known by its conversation, so that telling of it twice opens one."""
    return kernel.keys.of(workspace.space_id).mac("open-turn", json.dumps([conversation_id, turn_id]))
