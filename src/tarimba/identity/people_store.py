"""SQL of people, their roles and tokens, and of subscriptions: rows to entries and back. No decisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, select, update

from tarimba.identity.entries import Person, Subscription
from tarimba.identity.listing import Page, Window, page_of, rows_of
from tarimba.storage import Tx
from tarimba.storage.tables import person, person_role, person_token, subscription, subscription_member


def people(connection: Connection, space_id: str, window: Window) -> Page[Person]:
    rows = rows_of(connection, _people(space_id), person.c.ordinal, window)
    return page_of(_with_roles(connection, space_id, rows), window)


def all_people(connection: Connection, space_id: str) -> list[Person]:
    rows = connection.execute(_people(space_id).order_by(person.c.ordinal)).all()
    return _with_roles(connection, space_id, rows)


def person_by_id(connection: Connection, space_id: str, person_id: str) -> Person | None:
    return _one_person(connection, space_id, person.c.person_id == person_id)


def person_by_slug(connection: Connection, space_id: str, slug: str) -> Person | None:
    return _one_person(connection, space_id, person.c.slug == slug)


def person_by_email(connection: Connection, space_id: str, email: str) -> Person | None:
    """`email` in lower case, as it is stored."""
    return _one_person(connection, space_id, person.c.email == email)


def people_called(connection: Connection, space_id: str, slugs: Collection[str]) -> list[Person]:
    """By slug."""
    query = _people(space_id).where(person.c.slug.in_(sorted(slugs))).order_by(person.c.slug)
    return _with_roles(connection, space_id, connection.execute(query).all())


def count_owners_in_force(connection: Connection, space_id: str, *, but: str) -> int:
    """Owners who are not disabled, not counting one person."""
    query = (
        select(func.count())
        .select_from(person)
        .join(person_role, _same(person_role, person, "person_id"))
        .where(person.c.space_id == space_id, person.c.person_id != but, person.c.disabled_at.is_(None))
        .where(person_role.c.role == "owner")
    )
    return int(connection.scalar(query) or 0)


def add_person(tx: Tx, entry: Person) -> None:
    tx.write(
        insert(person).values(
            space_id=tx.space_id,
            person_id=entry.person_id,
            slug=entry.slug,
            email=entry.email,
            name=entry.name,
            language=entry.language,
            created_at=entry.created_at,
            ordinal=entry.ordinal,
        )
    )
    add_roles(tx, entry.person_id, entry.roles)


def update_person(tx: Tx, person_id: str, values: dict[str, Any]) -> None:
    mine = and_(person.c.space_id == tx.space_id, person.c.person_id == person_id)
    tx.write(update(person).where(mine).values(**values))


def add_roles(tx: Tx, person_id: str, roles: Collection[str]) -> None:
    rows = [{"space_id": tx.space_id, "person_id": person_id, "role": role} for role in sorted(roles)]
    if rows:
        tx.write(insert(person_role), rows)


def remove_roles(tx: Tx, person_id: str, roles: Collection[str]) -> None:
    mine = and_(person_role.c.space_id == tx.space_id, person_role.c.person_id == person_id)
    tx.write(delete(person_role).where(mine, person_role.c.role.in_(sorted(roles))))


def add_token(tx: Tx, token_id: str, person_id: str, digest: str, expires_at: int | None) -> None:
    tx.write(
        insert(person_token).values(
            space_id=tx.space_id,
            token_id=token_id,
            person_id=person_id,
            digest=digest,
            created_at=tx.now,
            expires_at=expires_at,
        )
    )


def has_token(tx: Tx, person_id: str) -> bool:
    """Whether a token of the person is in force."""
    mine = and_(person_token.c.space_id == tx.space_id, person_token.c.person_id == person_id)
    return (
        tx.first(select(person_token.c.token_id).where(mine, person_token.c.revoked_at.is_(None))) is not None
    )


def revoke_tokens(tx: Tx, person_id: str) -> int:
    """Revokes what is in force of a person's tokens. Returns how many that were."""
    mine = and_(person_token.c.space_id == tx.space_id, person_token.c.person_id == person_id)
    in_force = person_token.c.revoked_at.is_(None)
    return tx.write(update(person_token).where(mine, in_force).values(revoked_at=tx.now))


def subscriptions(connection: Connection, space_id: str, window: Window) -> Page[Subscription]:
    rows = rows_of(connection, _subscriptions(space_id), subscription.c.ordinal, window)
    return page_of(_with_members(connection, space_id, rows), window)


def all_subscriptions(connection: Connection, space_id: str) -> list[Subscription]:
    rows = connection.execute(_subscriptions(space_id).order_by(subscription.c.ordinal)).all()
    return _with_members(connection, space_id, rows)


def subscription_by_id(connection: Connection, space_id: str, subscription_id: str) -> Subscription | None:
    rows = connection.execute(
        _subscriptions(space_id).where(subscription.c.subscription_id == subscription_id)
    ).all()
    return next(iter(_with_members(connection, space_id, rows)), None)


def subscription_ids(connection: Connection, space_id: str, slugs: Collection[str]) -> dict[str, str]:
    """Ids by slug of those that exist."""
    query = _subscriptions(space_id).where(subscription.c.slug.in_(sorted(slugs)))
    return {row.slug: row.subscription_id for row in connection.execute(query)} if slugs else {}


def person_ids(connection: Connection, space_id: str, slugs: Collection[str]) -> dict[str, str]:
    """Ids by slug of those that exist."""
    query = _people(space_id).where(person.c.slug.in_(sorted(slugs)))
    return {row.slug: row.person_id for row in connection.execute(query)} if slugs else {}


def add_subscription(tx: Tx, entry: Subscription) -> None:
    tx.write(
        insert(subscription).values(
            space_id=tx.space_id,
            subscription_id=entry.subscription_id,
            slug=entry.slug,
            name=entry.name,
            created_at=entry.created_at,
            ordinal=entry.ordinal,
        )
    )


def update_subscription(tx: Tx, subscription_id: str, values: dict[str, Any]) -> None:
    mine = and_(subscription.c.space_id == tx.space_id, subscription.c.subscription_id == subscription_id)
    tx.write(update(subscription).where(mine).values(**values))


def add_members(tx: Tx, subscription_id: str, ids: Collection[str]) -> None:
    """Each with an epoch that no membership had before, so that what an ended one left opens nothing."""
    row = {"space_id": tx.space_id, "subscription_id": subscription_id, "epoch": tx.next_ordinal()}
    rows = [row | {"person_id": person_id} for person_id in sorted(ids)]
    if rows:
        tx.write(insert(subscription_member), rows)


def is_member(connection: Connection, space_id: str, subscription_id: str, person_id: str) -> bool:
    query = select(subscription_member.c.epoch).where(*_membership(space_id, subscription_id, person_id))
    return connection.execute(query).first() is not None


def remove_member(tx: Tx, subscription_id: str, person_id: str) -> None:
    tx.write(delete(subscription_member).where(*_membership(tx.space_id, subscription_id, person_id)))


def raise_epoch(tx: Tx, subscription_id: str, person_id: str) -> int:
    """Gives a membership an epoch that none had before. Returns how many there were."""
    mine = _membership(tx.space_id, subscription_id, person_id)
    return tx.write(update(subscription_member).where(*mine).values(epoch=tx.next_ordinal()))


def _membership(space_id: str, subscription_id: str, person_id: str) -> tuple[ColumnElement[bool], ...]:
    columns = subscription_member.c
    return (
        columns.space_id == space_id,
        columns.subscription_id == subscription_id,
        columns.person_id == person_id,
    )


def _people(space_id: str) -> Select[Any]:
    return select(person).where(person.c.space_id == space_id)


def _subscriptions(space_id: str) -> Select[Any]:
    return select(subscription).where(subscription.c.space_id == space_id)


def _same(left: Any, right: Any, name: str) -> ColumnElement[bool]:
    return and_(left.c.space_id == right.c.space_id, left.c[name] == right.c[name])


def _one_person(connection: Connection, space_id: str, which: ColumnElement[bool]) -> Person | None:
    rows = connection.execute(_people(space_id).where(which)).all()
    return next(iter(_with_roles(connection, space_id, rows)), None)


def _with_roles(connection: Connection, space_id: str, rows: Sequence[Row[Any]]) -> list[Person]:
    ids = [row.person_id for row in rows]
    mine = and_(person_role.c.space_id == space_id, person_role.c.person_id.in_(ids))
    roles: dict[str, set[str]] = {}
    for row in connection.execute(select(person_role).where(mine)):
        roles.setdefault(row.person_id, set()).add(row.role)
    return [_person(row, frozenset(roles.get(row.person_id, ()))) for row in rows]


def _person(row: Row[Any], roles: frozenset[str]) -> Person:
    return Person(
        row.person_id,
        row.slug,
        row.email,
        row.name,
        row.language,
        roles,
        row.disabled_at,
        row.created_at,
        row.ordinal,
    )


def _with_members(connection: Connection, space_id: str, rows: Sequence[Row[Any]]) -> list[Subscription]:
    ids = [row.subscription_id for row in rows]
    query = (
        select(subscription_member.c.subscription_id, person.c.slug)
        .join_from(subscription_member, person, _same(subscription_member, person, "person_id"))
        .where(subscription_member.c.space_id == space_id, subscription_member.c.subscription_id.in_(ids))
        .order_by(person.c.slug)
    )
    members: dict[str, list[str]] = {}
    for member in connection.execute(query):
        members.setdefault(member.subscription_id, []).append(member.slug)
    return [_subscription(row, tuple(members.get(row.subscription_id, ()))) for row in rows]


def _subscription(row: Row[Any], members: tuple[str, ...]) -> Subscription:
    return Subscription(row.subscription_id, row.slug, row.name, members, row.created_at, row.ordinal)
