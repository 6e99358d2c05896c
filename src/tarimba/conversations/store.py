"""SQL of recording: conversations and tasks by their MACs, and the rows of turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, bindparam, insert, select, update

from tarimba.storage import Tx
from tarimba.storage.tables import conversation, conversation_alias, turn

_NEW_TURN: Final = insert(turn)
_NEW_CONVERSATION: Final = insert(conversation)
_NEW_ALIAS: Final = insert(conversation_alias)
_CHANGED: Final = ("profile_id", "link", "level", "last_at", "ended_at", "ended", "succeeded")
_CHANGE: Final = (
    update(conversation)
    .where(conversation.c.space_id == bindparam("of"), conversation.c.conversation_ref == bindparam("which"))
    .values({name: bindparam(f"to_{name}") for name in _CHANGED})
)
_BEAT: Final = (
    update(turn)
    .where(
        turn.c.space_id == bindparam("of"),
        turn.c.source_id == bindparam("by"),
        turn.c.key_mac == bindparam("key"),
    )
    .values(ordinal=bindparam("at_ordinal"), occurred_at=bindparam("began"), recorded_at=bindparam("at"))
)


def known_keys(
    connection: Connection, space_id: str, source_id: str, key_macs: Collection[str]
) -> frozenset[str]:
    """Which of these idempotency keys the agent has used."""
    mine = and_(turn.c.space_id == space_id, turn.c.source_id == source_id)
    found = select(turn.c.key_mac).where(mine, turn.c.key_mac.in_(key_macs))
    return frozenset(row.key_mac for row in connection.execute(found))


def conversations(tx: Tx, source_id: str, macs: Collection[str]) -> dict[tuple[str, str], Row[Any]]:
    """The agent's conversations and tasks by their kind and MAC."""
    mine = and_(conversation.c.space_id == tx.space_id, conversation.c.source_id == source_id)
    rows = tx.all(select(conversation).where(mine, conversation.c.mac.in_(macs)))
    return {(row.kind, row.mac): row for row in rows}


def by_alias(tx: Tx, source_id: str, macs: Collection[str]) -> dict[str, Row[Any]]:
    """The agent's conversations by the MAC of a further id."""
    same = and_(
        conversation_alias.c.space_id == conversation.c.space_id,
        conversation_alias.c.conversation_ref == conversation.c.conversation_ref,
    )
    query = (
        select(conversation, conversation_alias.c.mac.label("alias"))
        .join_from(conversation_alias, conversation, same)
        .where(
            conversation_alias.c.space_id == tx.space_id,
            conversation_alias.c.source_id == source_id,
            conversation_alias.c.mac.in_(macs),
        )
    )
    return {row.alias: row for row in tx.all(query)}


def add_conversations(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        tx.write(_NEW_CONVERSATION, rows)


def change_conversations(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    """Stores what a batch changed in conversations."""
    if rows:
        tx.write(
            _CHANGE,
            [
                {"of": tx.space_id, "which": row["conversation_ref"]}
                | {f"to_{name}": row[name] for name in _CHANGED}
                for row in rows
            ],
        )


def add_aliases(tx: Tx, source_id: str, aliases: Mapping[str, str]) -> None:
    """Further ids, by their MACs, of conversations."""
    if aliases:
        whole = {"space_id": tx.space_id, "source_id": source_id}
        rows = [{**whole, "mac": mac, "conversation_ref": ref} for mac, ref in sorted(aliases.items())]
        tx.write(_NEW_ALIAS, rows)


def add_turns(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        tx.write(_NEW_TURN, rows)


def beat_again(tx: Tx, source_id: str, key_mac: str, began: int) -> None:
    """The one heartbeat that is kept of an agent is this one now."""
    row = {"of": tx.space_id, "by": source_id, "key": key_mac}
    tx.write(_BEAT, [row | {"at_ordinal": tx.next_ordinal(), "began": began, "at": tx.now}])
