"""SQL of how people come in: secrets of people, sessions, links, failures. No decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, insert, select, update

from tarimba.storage import Tx
from tarimba.storage.dialects import insert_new, put_row
from tarimba.storage.tables import (
    installation,
    person,
    person_secret,
    person_session,
    sign_in_failure,
    sign_in_link,
    space,
    space_head,
)

_SPACE = (space.c.space_id, space.c.space_no, space.c.language, space.c.environment, space_head.c.generation)
_PERSON = (
    person.c.person_id,
    person.c.slug,
    person.c.email,
    person.c.name,
    person.c.language.label("person_language"),
    person.c.disabled_at,
    space.c.slug.label("space_slug"),
    space.c.name.label("space_name"),
)


def by_email(connection: Connection, email: str) -> Sequence[Row[Any]]:
    """The people of this address in all spaces who are in force, with what they prove themselves by."""
    return connection.execute(
        _people().where(person.c.email == email, person.c.disabled_at.is_(None)).order_by(space.c.slug)
    ).all()


def by_binding(connection: Connection, binding: str) -> Sequence[Row[Any]]:
    """The people in all spaces who are bound to that subject of a provider, disabled ones too."""
    return connection.execute(_people().where(person_secret.c.oidc == binding).order_by(space.c.slug)).all()


def by_id(connection: Connection, space_id: str, person_id: str) -> Row[Any] | None:
    """One person who is in force, with what they prove themselves by."""
    mine = and_(person.c.space_id == space_id, person.c.person_id == person_id)
    return connection.execute(_people().where(mine, person.c.disabled_at.is_(None))).first()


def _people() -> Any:
    return (
        select(*_SPACE, *_PERSON, *_secrets())
        .join_from(person, space, space.c.space_id == person.c.space_id)
        .join(space_head, space_head.c.space_id == person.c.space_id)
        .outerjoin(
            person_secret,
            and_(
                person_secret.c.space_id == person.c.space_id,
                person_secret.c.person_id == person.c.person_id,
            ),
        )
    )


def _secrets() -> tuple[Any, ...]:
    names = ("password", "totp", "totp_since", "totp_step", "oidc")
    return tuple(person_secret.c[name] for name in names)


def session_row(connection: Connection, session_id: str) -> Row[Any] | None:
    """The session with its person and space; ended ones too."""
    columns = ("session_id", "digest", "created_at", "seen_at", "expires_at", "ended_at")
    query: Any = (
        select(*_SPACE, *_PERSON, *(person_session.c[name] for name in columns))
        .join_from(
            person_session,
            person,
            and_(
                person.c.space_id == person_session.c.space_id,
                person.c.person_id == person_session.c.person_id,
            ),
        )
        .join(space, space.c.space_id == person_session.c.space_id)
        .join(space_head, space_head.c.space_id == person_session.c.space_id)
        .where(person_session.c.session_id == session_id)
    )
    return connection.execute(query).first()


def sessions_of(connection: Connection, space_id: str, person_id: str, now: int) -> Sequence[Row[Any]]:
    """Those that are open, the one last used first; at most 100."""
    columns = person_session.c
    query: Any = (
        select(columns.session_id, columns.created_at, columns.seen_at)
        .where(
            columns.space_id == space_id,
            columns.person_id == person_id,
            columns.ended_at.is_(None),
            columns.expires_at > now,
        )
        .order_by(columns.seen_at.desc(), columns.session_id)
        .limit(100)
    )
    return connection.execute(query).all()


def add_session(tx: Tx, values: Mapping[str, Any]) -> None:
    tx.write(insert(person_session).values(space_id=tx.space_id, **values))


def end_sessions(tx: Tx, person_id: str, now: int, *, but: str = "", only: str = "") -> int:
    """Ends the open sessions of a person: all, all but one, or one. How many."""
    columns = person_session.c
    mine = [columns.space_id == tx.space_id, columns.person_id == person_id, columns.ended_at.is_(None)]
    if but:
        mine.append(columns.session_id != but)
    if only:
        mine.append(columns.session_id == only)
    return tx.write(update(person_session).where(*mine).values(ended_at=now))


def seen(connection: Connection, session_id: str, now: int) -> None:
    connection.execute(
        update(person_session).where(person_session.c.session_id == session_id).values(seen_at=now)
    )


def tidy(tx: Tx, before: int) -> None:
    """Takes out what ended, or could be used, before that moment."""
    for table in (person_session, sign_in_link):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.expires_at < before))


def put_secret(tx: Tx, person_id: str, values: Mapping[str, Any]) -> None:
    """Changes a person's secrets, making the row where there is none."""
    mine = {"space_id": tx.space_id, "person_id": person_id}
    new = mine | {"password": "", "totp_step": 0, "changed_at": tx.now}
    tx.write(insert_new(tx.connection, person_secret, new))
    columns = person_secret.c
    tx.write(
        update(person_secret)
        .where(columns.space_id == tx.space_id, columns.person_id == person_id)
        .values(changed_at=tx.now, **values)
    )


def add_link(tx: Tx, values: Mapping[str, Any]) -> None:
    """The link in the place of those that the person has."""
    columns = sign_in_link.c
    tx.write(
        delete(sign_in_link).where(
            columns.space_id == tx.space_id,
            columns.person_id == values["person_id"],
            columns.spent_at.is_(None),
        )
    )
    tx.write(insert(sign_in_link).values(space_id=tx.space_id, **values))


def link_row(connection: Connection, link_id: str) -> Row[Any] | None:
    return connection.execute(select(sign_in_link).where(sign_in_link.c.link_id == link_id)).first()


def spend_link(tx: Tx, link_id: str, now: int) -> bool:
    """False when somebody was quicker."""
    columns = sign_in_link.c
    unspent = (columns.space_id == tx.space_id, columns.link_id == link_id, columns.spent_at.is_(None))
    return tx.write(update(sign_in_link).where(*unspent).values(spent_at=now)) == 1


def locked_failures(
    connection: Connection, names: Iterable[str], now: int, forgotten: int
) -> dict[str, tuple[int, int]]:
    """How often, and when last, by name, held until the transaction ends; last before `forgotten` begins anew."""
    columns = sign_in_failure.c
    connection.execute(delete(sign_in_failure).where(columns.last_at < forgotten))
    found = {}
    # One after the other in one order for everybody, so that two attempts never wait for each other.
    for name in sorted(names):
        fresh = {"name": name, "failures": 0, "last_at": now}
        connection.execute(insert_new(connection, sign_in_failure, fresh))
        query = select(columns.failures, columns.last_at).where(columns.name == name).with_for_update()
        row = connection.execute(query).first()
        if row is None:
            # Forgotten by somebody who succeeded meanwhile.
            connection.execute(insert_new(connection, sign_in_failure, fresh))
        found[name] = (0, now) if row is None else (row.failures, row.last_at)
    return found


def count_failure(connection: Connection, names: Iterable[str], now: int) -> None:
    """One more for each name, which `locked_failures` holds."""
    columns = sign_in_failure.c
    mine = columns.name.in_(sorted(names))
    connection.execute(update(sign_in_failure).where(mine).values(failures=columns.failures + 1, last_at=now))


def give_back(connection: Connection, names: Iterable[str]) -> None:
    """One less for each name."""
    columns = sign_in_failure.c
    for name in sorted(names):
        mine = (columns.name == name, columns.failures > 0)
        connection.execute(update(sign_in_failure).where(*mine).values(failures=columns.failures - 1))


def forget_failures(connection: Connection, names: Iterable[str]) -> None:
    connection.execute(delete(sign_in_failure).where(sign_in_failure.c.name.in_(sorted(names))))


def note_of_installation(connection: Connection, name: str) -> str | None:
    """What is kept of the installation under a name."""
    return connection.scalar(select(installation.c.value).where(installation.c.name == name))


def put_note_of_installation(connection: Connection, name: str, value: str) -> None:
    connection.execute(put_row(connection, installation, {"name": name, "value": value}))


def take_note_of_installation(connection: Connection, name: str, value: str) -> bool:
    """Takes it out if it still is that value."""
    columns = installation.c
    done = connection.execute(delete(installation).where(columns.name == name, columns.value == value))
    return done.rowcount == 1
