"""SQL of the turns that are under way in workspaces. No decisions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, func, insert, select

from tarimba.graph.model import Scope
from tarimba.storage import Tx
from tarimba.storage.tables import open_turn

_COLUMNS = open_turn.c
# Asked at every write: made once, because to build it costs more than to run it.
_OPEN: Final[Select[Any]] = (
    select(_COLUMNS.conversation_id)
    .where(
        *(
            _COLUMNS[name] == bindparam(name)
            for name in ("space_id", "subscription_id", "source_id", "person_id")
        ),
        _COLUMNS.started_at > bindparam("after"),
    )
    .limit(bindparam("most"))
)


def conversations(connection: Connection, scope: Scope, after: int, limit: int) -> list[str]:
    """The conversation of each turn that began after `after`, at most `limit`."""
    return list(connection.scalars(_OPEN, asdict(scope) | {"after": after, "most": limit}))


def count(tx: Tx, scope: Scope) -> int:
    return int(tx.scalar(select(func.count()).select_from(open_turn).where(*_of(scope))))


def add(tx: Tx, scope: Scope, turn_key: str, conversation_id: str) -> None:
    tx.write(
        insert(open_turn).values(
            space_id=scope.space_id,
            subscription_id=scope.subscription_id,
            source_id=scope.source_id,
            person_id=scope.person_id,
            turn_key=turn_key,
            conversation_id=conversation_id,
            started_at=tx.now,
        )
    )


def end(tx: Tx, scope: Scope, turn_key: str) -> int:
    """Returns how many there were."""
    return tx.write(delete(open_turn).where(*_of(scope), _COLUMNS.turn_key == turn_key))


def end_conversation(tx: Tx, scope: Scope, conversation_id: str) -> int:
    """Returns how many there were."""
    return tx.write(delete(open_turn).where(*_of(scope), _COLUMNS.conversation_id == conversation_id))


def forget(tx: Tx, before: int) -> int:
    """Ends what began before `before`, in the whole space. Returns how many there were."""
    return tx.write(delete(open_turn).where(_COLUMNS.space_id == tx.space_id, _COLUMNS.started_at <= before))


def spaces_with_old(connection: Connection, before: int) -> list[str]:
    query = select(_COLUMNS.space_id).where(_COLUMNS.started_at <= before).distinct()
    return list(connection.scalars(query))


def _of(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    return (
        _COLUMNS.space_id == scope.space_id,
        _COLUMNS.subscription_id == scope.subscription_id,
        _COLUMNS.source_id == scope.source_id,
        _COLUMNS.person_id == scope.person_id,
    )
