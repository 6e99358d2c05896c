"""SQL of secrets. No decisions, and no value in the clear."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, or_, select, update

from tarimba.identity.listing import Window, rows_of
from tarimba.identity.seats import Seat
from tarimba.storage import Tx
from tarimba.storage.tables import agent, secret, workspace
from tarimba.workspaces.secret_model import Reach, Secret


def listed(connection: Connection, space_id: str, window: Window, reach: Reach | None) -> list[Secret]:
    """Those of administrators, oldest change first: at one scope, or all. One more than the window holds."""
    mine = and_(secret.c.space_id == space_id, secret.c.person_id == "")
    query = select(secret).where(mine if reach is None else and_(mine, _at(reach)))
    return [_secret(row) for row in rows_of(connection, query, secret.c.ordinal, window)]


def reaching(connection: Connection, seat: Seat) -> list[Secret]:
    """All that are for this seat, the member's own among them, in no order."""
    columns = secret.c
    given = and_(
        columns.person_id == "",
        columns.subscription_id.in_(("", seat.subscription_id)),
        columns.source_id.in_(("", seat.source_id)),
    )
    query = select(secret).where(columns.space_id == seat.space_id)
    reach = Reach(seat.subscription_id, seat.source_id, seat.person_id)
    rows = connection.execute(query.where(or_(given, _at(reach)) if seat.person_id else given))
    return [_secret(row) for row in rows]


def of_person(connection: Connection, space_id: str, person_id: str) -> list[Secret]:
    """A member's own with all agents, by name."""
    mine = (secret.c.space_id == space_id, secret.c.person_id == person_id)
    rows = connection.execute(select(secret).where(*mine).order_by(secret.c.name, secret.c.ordinal))
    return [_secret(row) for row in rows]


def named(connection: Connection, space_id: str, reach: Reach, name: str) -> Secret | None:
    query = select(secret).where(secret.c.space_id == space_id, _at(reach), secret.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else _secret(row)


def count(connection: Connection, space_id: str, reach: Reach) -> int:
    query = select(func.count()).select_from(secret).where(secret.c.space_id == space_id, _at(reach))
    return int(connection.execute(query).scalar() or 0)


def put(tx: Tx, one: Secret, *, is_new: bool) -> None:
    """Adds it, or gives it its new value."""
    values = {"value": one.wrapped, "changed_at": one.changed_at, "ordinal": one.ordinal}
    if not is_new:
        tx.write(update(secret).where(_one(tx, one.secret_id)).values(**values))
        return
    names = ("secret_id", "subscription_id", "source_id", "person_id", "name", "created_at")
    values |= {name: getattr(one, name) for name in names}
    tx.write(insert(secret).values(space_id=tx.space_id, **values))


def remove(tx: Tx, secret_id: str) -> None:
    tx.write(delete(secret).where(_one(tx, secret_id)))


def remove_of_person(tx: Tx, person_id: str) -> int:
    """Takes out all of a member's own. Returns how many."""
    mine = (secret.c.space_id == tx.space_id, secret.c.person_id == person_id)
    return tx.write(delete(secret).where(*mine))


def marks(connection: Connection) -> dict[str, tuple[int, int]]:
    """By space a pair that differs as soon as any of its secrets was changed, added or removed."""
    query = select(secret.c.space_id, func.count(), func.max(secret.c.ordinal)).group_by(secret.c.space_id)
    return {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(query)}


def seats_after(connection: Connection, space_id: str, after: int, limit: int) -> list[tuple[int, Row[Any]]]:
    """The seats of the space's workspaces with the agent's slug and harness, oldest first, each with its place."""
    query = (
        select(workspace, agent.c.slug.label("agent"), agent.c.harness)
        .join(
            agent,
            and_(agent.c.space_id == workspace.c.space_id, agent.c.source_id == workspace.c.source_id),
        )
        .where(workspace.c.space_id == space_id, workspace.c.ordinal > after)
        .order_by(workspace.c.ordinal)
        .limit(limit)
    )
    return [(int(row.ordinal), row) for row in connection.execute(query)]


def _at(reach: Reach) -> ColumnElement[bool]:
    columns = secret.c
    return and_(
        columns.subscription_id == reach.subscription_id,
        columns.source_id == reach.source_id,
        columns.person_id == reach.person_id,
    )


def _one(tx: Tx, secret_id: str) -> ColumnElement[bool]:
    return and_(secret.c.space_id == tx.space_id, secret.c.secret_id == secret_id)


def _secret(row: Row[Any]) -> Secret:
    return Secret(
        row.secret_id,
        row.subscription_id,
        row.source_id,
        row.person_id,
        row.name,
        row.created_at,
        row.changed_at,
        row.ordinal,
        bytes(row.value),
    )
