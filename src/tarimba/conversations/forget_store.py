"""SQL of forgetting and of what ends with time: whose it is, and rows in parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, insert, or_, select, update

from tarimba.conversations.model import Erasure
from tarimba.conversations.people_store import drop_profiles, everywhere
from tarimba.storage import Tx
from tarimba.storage.tables import (
    context_pin,
    conversation,
    conversation_alias,
    forget_request,
    handle,
    id_surrogate,
    profile,
    turn,
)

PART: Final = 500
_CONVERSATIONS: Final = 20
_NEW_REQUEST: Final = insert(forget_request)


def add_request(tx: Tx, request_id: str, kind: str, target_id: str, by: str) -> None:
    row = {
        "space_id": tx.space_id,
        "request_id": request_id,
        "target_kind": kind,
        "target_id": target_id,
        "status": "pending",
        "requested_at": tx.now,
        "requested_by": by,
        "ordinal": tx.next_ordinal(),
    }
    tx.write(_NEW_REQUEST, [row])


def set_status(tx: Tx, request_id: str, status: str) -> None:
    """`running`, or `completed` with its time."""
    mine = (forget_request.c.space_id == tx.space_id, forget_request.c.request_id == request_id)
    finished = tx.now if status == "completed" else None
    tx.write(update(forget_request).where(*mine).values(status=status, finished_at=finished))


def request(connection: Connection, space_id: str, request_id: str) -> Erasure | None:
    mine = (forget_request.c.space_id == space_id, forget_request.c.request_id == request_id)
    row = connection.execute(select(forget_request).where(*mine)).first()
    if row is None:
        return None
    return Erasure(
        row.request_id, row.status, row.target_kind, row.target_id, row.requested_at, row.finished_at
    )


def profiles(tx: Tx, profile_id: str | None, macs: Collection[str]) -> frozenset[str]:
    """The profile of that id, or those of these handles, with all that any vendor has of the same customer.

    Every vendor's proof counts here, whatever the space opens: rather too much is forgotten than too little.
    """
    by_handle = select(handle.c.profile_id).where(handle.c.space_id == tx.space_id, handle.c.mac.in_(macs))
    named = or_(profile.c.profile_id == profile_id, profile.c.profile_id.in_(by_handle))
    rows = tx.all(select(profile.c.profile_id).where(profile.c.space_id == tx.space_id, named))
    return everywhere(tx.connection, tx.space_id, [row.profile_id for row in rows])


def handle_macs(tx: Tx, profile_ids: Collection[str]) -> tuple[str, ...]:
    theirs = (handle.c.space_id == tx.space_id, handle.c.profile_id.in_(profile_ids))
    return tuple(row.mac for row in tx.all(select(handle.c.mac).where(*theirs)))


def drop_people(tx: Tx, profile_ids: Collection[str]) -> None:
    if profile_ids:
        drop_profiles(tx, sorted(profile_ids))


def conversations(tx: Tx, mac: str, caller_id: str) -> Sequence[Row[Any]]:
    """Rows of the conversation with that id, surrogate or further id, one for each agent that told of it."""
    aliased = select(conversation_alias.c.conversation_ref).where(
        conversation_alias.c.space_id == tx.space_id, conversation_alias.c.mac == mac
    )
    named = or_(
        conversation.c.mac == mac,
        conversation.c.caller_id == caller_id,
        conversation.c.conversation_ref.in_(aliased),
    )
    mine = (conversation.c.space_id == tx.space_id, conversation.c.kind == "conversation")
    return tx.all(select(conversation.c.conversation_ref, conversation.c.mac).where(*mine, named))


def macs_behind(tx: Tx, surrogate: str) -> tuple[str, ...]:
    """The commitment to the id that has this surrogate."""
    mine = (id_surrogate.c.space_id == tx.space_id, id_surrogate.c.surrogate == surrogate)
    return tuple(row.mac for row in tx.all(select(id_surrogate.c.mac).where(*mine)))


def delete_some(tx: Tx, profile_ids: Collection[str], macs: Collection[str], refs: Collection[str]) -> bool:
    """Deletes a part of what belongs to these profiles and conversations. Whether there may be more."""
    whose = or_(
        conversation.c.profile_id.in_(profile_ids),
        conversation.c.mac.in_(macs),
        conversation.c.conversation_ref.in_(refs),
    )
    query = select(conversation.c.conversation_ref, conversation.c.mac).where(
        conversation.c.space_id == tx.space_id, whose
    )
    rows = tx.all(query.limit(_CONVERSATIONS))
    if rows:
        found = [row.conversation_ref for row in rows]
        inside = or_(turn.c.conversation_ref.in_(found), turn.c.task_ref.in_(found))
        if not delete_turns(tx, inside):
            _drop_surrogates(tx, found, {row.mac for row in rows})
            drop_conversations(tx, found)
        return True
    if delete_turns(tx, turn.c.profile_id.in_(profile_ids)):
        return True
    _drop_surrogates(tx, (), macs)
    return False


def delete_turns(tx: Tx, which: Any) -> int:
    """Deletes at most `PART` turns. Returns how many."""
    mine = and_(turn.c.space_id == tx.space_id, which)
    return drop_turns(tx, [row.ordinal for row in tx.all(select(turn.c.ordinal).where(mine).limit(PART))])


def drop_turns(tx: Tx, ordinals: Sequence[int]) -> int:
    if ordinals:
        tx.write(delete(turn).where(turn.c.space_id == tx.space_id, turn.c.ordinal.in_(ordinals)))
    return len(ordinals)


def drop_conversations(tx: Tx, refs: Sequence[str]) -> None:
    """Deletes conversations without turns, with their further ids."""
    for table in (conversation_alias, conversation):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.conversation_ref.in_(refs)))


def _drop_surrogates(tx: Tx, refs: Sequence[str], macs: Collection[str]) -> None:
    """No id can be mapped any more, neither to its surrogate nor to what its context held."""
    aliases = select(conversation_alias.c.mac).where(
        conversation_alias.c.space_id == tx.space_id, conversation_alias.c.conversation_ref.in_(refs)
    )
    for table in (id_surrogate, context_pin):
        named = or_(table.c.mac.in_(sorted(macs)), table.c.mac.in_(aliases))
        tx.write(delete(table).where(table.c.space_id == tx.space_id, named))
