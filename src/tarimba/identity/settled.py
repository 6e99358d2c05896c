"""Whether somebody has been here: who has come in, or has something of their own, is let in by the host alone."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, and_, exists, or_, select

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.storage.tables import graph, person_secret, person_session, person_token, secret, workspace


def is_settled(connection: Connection, space_id: str, person_id: str) -> bool:
    """Whether a person has a password or a provider's sign-in, ever had a session or a token, or has a seat or secret.

    Somebody else who came in as them would read what is theirs alone.
    """
    proves = or_(person_secret.c.password != "", person_secret.c.oidc.is_not(None))
    marks = [exists().where(_theirs(person_secret, space_id, person_id), proves)]
    tables = (person_session, person_token, workspace, graph, secret)
    marks += [exists().where(_theirs(table, space_id, person_id)) for table in tables]
    return bool(connection.scalar(select(or_(*marks))))


def is_of_host(by: Principal) -> bool:
    """Whether the host acts: itself, or for the person that a file it applies is applied as."""
    return by.kind == "host" or by.via == "cli"


def refuse_other_address(connection: Connection, by: Principal, person_id: str) -> None:
    """Raises 409 for a change of a settled person's e-mail by anybody but themselves and the host."""
    is_own = by.kind == "person" and by.id == person_id
    if not (is_own or is_of_host(by)) and is_settled(connection, by.space_id, person_id):
        raise Refusal(
            "conflict",
            "This person comes in by their address already: they change it themselves, or the host does: "
            "`tarimba apply`.",
        )


def _theirs(table: Any, space_id: str, person_id: str) -> Any:
    return and_(table.c.space_id == space_id, table.c.person_id == person_id)
