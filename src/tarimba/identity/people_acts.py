"""People, roles, tokens and subscriptions under the lock of their space. Receipts hold ids, never a name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity import people_store as store
from tarimba.identity.changes import leave, taken
from tarimba.identity.drafts import NewPerson, NewSubscription, PersonChange
from tarimba.identity.entries import Person, Subscription
from tarimba.identity.fields import managed_subscription
from tarimba.identity.model import Principal
from tarimba.identity.settled import refuse_other_address
from tarimba.identity.tokens import Bearer
from tarimba.ids import new_id
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx


def make_person(
    tx: Tx, by: Principal, new: NewPerson, person_id: str, where: str = ""
) -> tuple[Person, Recorded]:
    """Raises 409 when the slug or the e-mail is taken, 422 for a role over an unknown subscription."""
    if store.person_by_slug(tx.connection, tx.space_id, new.slug):
        raise taken("a person", f"{where}slug")
    _refuse_taken_email(tx, new.email, where)
    language = new.language or by.language
    made = Person(
        person_id, new.slug, new.email, new.name, language, new.roles, None, tx.now, tx.next_ordinal()
    )
    detail = {"change": "create", "roles": _roles_by_id(tx, new.roles, where)}
    store.add_person(tx, made)
    return made, leave(tx, by, "person.change", {"person_id": person_id}, detail)


def change_person(
    tx: Tx, by: Principal, person_id: str, change: PersonChange, where: str = ""
) -> Recorded | None:
    """Changes what differs; `roles` replaces all of them. None when nothing differs.

    Raises 404, and 409 for a taken e-mail, for that of somebody else who is settled, and when the space would be left
    without an owner.
    """
    before = store.person_by_id(tx.connection, tx.space_id, person_id)
    if before is None:
        raise not_found("person")
    if change.email is not None and change.email != before.email:
        _refuse_taken_email(tx, change.email, where)
        refuse_other_address(tx.connection, by, person_id)
    after = _changed(before, change, tx.now)
    if after == before:
        return None
    _keep_an_owner(tx, before, after)
    detail = {"change": "update", **_detail(tx, before, after, where)}
    _store(tx, before, after)
    return leave(tx, by, "person.change", {"person_id": person_id}, detail)


def issue_token(tx: Tx, by: Principal, person_id: str, minted: Bearer, expires_at: int | None) -> Recorded:
    """Stores a personal token by its digest. Raises 404, 409 for a disabled person, 422 for a past end."""
    person = store.person_by_id(tx.connection, tx.space_id, person_id)
    if person is None:
        raise not_found("person")
    if person.disabled_at is not None:
        raise Refusal("conflict", "This person is disabled and gets no token.")
    if expires_at is not None and expires_at <= tx.now:
        raise invalid("expires_at", "must lie in the future")
    store.add_token(tx, minted.id, person_id, minted.digest, expires_at)
    objects = {"person_id": person_id, "token_id": minted.id}
    return leave(tx, by, "person.token", objects, {"change": "create", "expires": expires_at is not None})


def revoke_tokens(tx: Tx, by: Principal, person_id: str) -> tuple[int, Recorded | None]:
    """Revokes every token of a person. Returns how many were in force."""
    if not store.has_token(tx, person_id):
        return 0, None
    count = store.revoke_tokens(tx, person_id)
    detail = {"change": "revoke", "count": count}
    return count, leave(tx, by, "person.token", {"person_id": person_id}, detail)


def make_subscription(
    tx: Tx, by: Principal, new: NewSubscription, where: str = ""
) -> tuple[Subscription, Recorded]:
    """Raises 409 when the slug is taken and 422 for a member who is no person of the space."""
    if store.subscription_ids(tx.connection, tx.space_id, [new.slug]):
        raise taken("a subscription", f"{where}slug")
    members = _member_ids(tx, new.members, where)
    ordinal = tx.next_ordinal()
    made = Subscription(new_id(), new.slug, new.name, tuple(sorted(new.members)), tx.now, ordinal)
    store.add_subscription(tx, made)
    store.add_members(tx, made.subscription_id, members)
    detail = {"change": "create", "members_added": members}
    return made, leave(tx, by, "person.change", {"subscription_id": made.subscription_id}, detail)


def extend_subscription(
    tx: Tx, by: Principal, before: Subscription, name: str, members: Sequence[str], where: str = ""
) -> Recorded | None:
    """Renames a subscription and adds members; none is removed. None when nothing differs."""
    added = _member_ids(tx, [slug for slug in members if slug not in before.members], where)
    if not added and name == before.name:
        return None
    if name != before.name:
        store.update_subscription(tx, before.subscription_id, {"name": name})
    store.add_members(tx, before.subscription_id, added)
    detail = {"change": "update", "members_added": added}
    return leave(tx, by, "person.change", {"subscription_id": before.subscription_id}, detail)


def _changed(before: Person, change: PersonChange, now: int) -> Person:
    disabled_at = before.disabled_at
    if change.disabled is not None and change.disabled != (disabled_at is not None):
        disabled_at = now if change.disabled else None
    return replace(
        before,
        name=change.name or before.name,
        email=change.email or before.email,
        language=change.language or before.language,
        roles=before.roles if change.roles is None else change.roles,
        disabled_at=disabled_at,
    )


def _store(tx: Tx, before: Person, after: Person) -> None:
    columns = ("name", "email", "language", "disabled_at")
    values = {name: getattr(after, name) for name in columns if getattr(after, name) != getattr(before, name)}
    if values:
        store.update_person(tx, before.person_id, values)
    store.remove_roles(tx, before.person_id, before.roles - after.roles)
    store.add_roles(tx, before.person_id, after.roles - before.roles)


def _detail(tx: Tx, before: Person, after: Person, where: str) -> dict[str, Any]:
    """Which fields changed, and of roles and the switch also how."""
    names = ("name", "email", "language")
    detail: dict[str, Any] = {
        "fields": [name for name in names if getattr(before, name) != getattr(after, name)],
        "roles_added": _roles_by_id(tx, after.roles - before.roles, where),
        "roles_removed": _roles_by_id(tx, before.roles - after.roles, where),
    }
    if before.disabled_at != after.disabled_at:
        detail["disabled"] = after.disabled_at is not None
    return {name: value for name, value in detail.items() if value != []}


def _keep_an_owner(tx: Tx, before: Person, after: Person) -> None:
    if not _is_owner_in_force(before) or _is_owner_in_force(after):
        return
    if not store.count_owners_in_force(tx.connection, tx.space_id, but=before.person_id):
        raise Refusal("conflict", "The last owner of a space stays its owner: name another one first.")


def _is_owner_in_force(person: Person) -> bool:
    return "owner" in person.roles and person.disabled_at is None


def _refuse_taken_email(tx: Tx, email: str, where: str) -> None:
    if store.person_by_email(tx.connection, tx.space_id, email):
        raise taken("a person", f"{where}email")


def _roles_by_id(tx: Tx, roles: Collection[str], where: str) -> list[str]:
    """Roles as receipts name them: a subscription by its id, since its slug is a name that somebody gave."""
    slugs = {slug for role in roles if (slug := managed_subscription(role)) is not None}
    ids = store.subscription_ids(tx.connection, tx.space_id, slugs)
    if len(ids) < len(slugs):
        raise invalid(f"{where}roles", "must name a subscription of this space after manager@")
    named = [
        role if (slug := managed_subscription(role)) is None else f"manager@{ids[slug]}" for role in roles
    ]
    return sorted(named)


def _member_ids(tx: Tx, slugs: Collection[str], where: str) -> list[str]:
    ids = store.person_ids(tx.connection, tx.space_id, slugs)
    if len(ids) < len(set(slugs)):
        raise invalid(f"{where}members", "must hold slugs of people of this space")
    return sorted(ids.values())
