"""SQL of profiles, handles and links."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import and_, bindparam, delete, exists, insert, or_, select, update

from tarimba.storage import Tx
from tarimba.storage.tables import conversation, handle, identity_link, profile

_NEW_PROFILE: Final = insert(profile)
_NEW_HANDLE: Final = insert(handle)
_NEW_LINK: Final = insert(identity_link)
_THIS_PROFILE: Final = (profile.c.space_id == bindparam("of"), profile.c.profile_id == bindparam("who"))
_TOUCH: Final = update(profile).where(*_THIS_PROFILE).values(last_at=bindparam("at"))
_THIS_LINK: Final = (
    identity_link.c.space_id == bindparam("of"),
    identity_link.c.mac_a == bindparam("one"),
    identity_link.c.mac_b == bindparam("other"),
)
_SET_LINK: Final = (
    update(identity_link).where(*_THIS_LINK).values(method=bindparam("by"), state=bindparam("to_state"))
)


def profiles_of(tx: Tx, macs: Collection[str]) -> dict[str, str]:
    """The profile of each handle that is known."""
    if not macs:
        return {}
    query = select(handle.c.mac, handle.c.profile_id).where(
        handle.c.space_id == tx.space_id, handle.c.mac.in_(macs)
    )
    return {row.mac: row.profile_id for row in tx.all(query)}


def links_among(tx: Tx, macs: Collection[str]) -> dict[tuple[str, str], str]:
    """The state of each link between two of these handles."""
    if len(macs) < 2:
        return {}
    query = select(identity_link.c.mac_a, identity_link.c.mac_b, identity_link.c.state).where(
        identity_link.c.space_id == tx.space_id,
        identity_link.c.mac_a.in_(macs),
        identity_link.c.mac_b.in_(macs),
    )
    return {(row.mac_a, row.mac_b): row.state for row in tx.all(query)}


def has_claim(tx: Tx, macs: Collection[str]) -> bool:
    """Whether a claim about one of these handles is open."""
    about = or_(identity_link.c.mac_a.in_(macs), identity_link.c.mac_b.in_(macs))
    mine = (identity_link.c.space_id == tx.space_id, identity_link.c.state == "unconfirmed")
    return tx.first(select(identity_link.c.mac_a).where(*mine, about).limit(1)) is not None


def add_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    whole = {"space_id": tx.space_id, "created_at": tx.now, "last_at": tx.now}
    if profile_ids:
        tx.write(_NEW_PROFILE, [{**whole, "profile_id": one, "merged_into": None} for one in profile_ids])


def touch_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    if profile_ids:
        tx.write(_TOUCH, [{"of": tx.space_id, "who": one, "at": tx.now} for one in profile_ids])


def add_handles(tx: Tx, rows: Sequence[tuple[str, str, str]]) -> None:
    """Stores rows of MAC, profile and type."""
    whole = {"space_id": tx.space_id, "created_at": tx.now}
    if rows:
        tx.write(
            _NEW_HANDLE,
            [{**whole, "mac": mac, "profile_id": who, "type": kind} for mac, who, kind in rows],
        )


def put_links(tx: Tx, source_id: str, links: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    """Stores method and state of links, new ones or those that are there."""
    new = []
    for (one, other), (method, state) in sorted(links.items()):
        values = {"of": tx.space_id, "one": one, "other": other, "by": method, "to_state": state}
        if not tx.write(_SET_LINK, [values]):
            new.append({"mac_a": one, "mac_b": other, "method": method, "state": state})
    whole = {"space_id": tx.space_id, "source_id": source_id, "created_at": tx.now}
    if new:
        tx.write(_NEW_LINK, [{**whole, **one} for one in new])


def merge_profile(tx: Tx, profile_id: str, into: str) -> None:
    """One profile turned out to be another: handles move now, what was recorded is moved by the upkeep."""
    mine = handle.c.space_id == tx.space_id
    tx.write(update(handle).where(mine, handle.c.profile_id == profile_id).values(profile_id=into))
    merged = or_(profile.c.profile_id == profile_id, profile.c.merged_into == profile_id)
    tx.write(update(profile).where(profile.c.space_id == tx.space_id, merged).values(merged_into=into))


def confirm_conversations(tx: Tx, profile_id: str) -> None:
    """No conversation of a customer rests on a claim any more, unless one is open about a handle of theirs."""
    theirs = select(handle.c.mac).where(handle.c.space_id == tx.space_id, handle.c.profile_id == profile_id)
    claim = exists().where(
        identity_link.c.space_id == tx.space_id,
        identity_link.c.state == "unconfirmed",
        or_(identity_link.c.mac_a.in_(theirs), identity_link.c.mac_b.in_(theirs)),
    )
    _set_link(tx, profile_id, ("unconfirmed", "none"), "confirmed", ~claim)


def doubt_conversations(tx: Tx, profile_id: str) -> None:
    """Conversations of a visitor whom somebody claims to be a customer."""
    _set_link(tx, profile_id, ("none",), "unconfirmed")


def drop_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    """Deletes profiles with their handles and every link of these."""
    theirs = select(handle.c.mac).where(
        handle.c.space_id == tx.space_id, handle.c.profile_id.in_(profile_ids)
    )
    tx.write(
        delete(identity_link).where(
            identity_link.c.space_id == tx.space_id,
            or_(identity_link.c.mac_a.in_(theirs), identity_link.c.mac_b.in_(theirs)),
        )
    )
    for table in (handle, profile):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.profile_id.in_(profile_ids)))


def _set_link(tx: Tx, profile_id: str, before: Sequence[str], link: str, *conditions: object) -> None:
    merged = select(profile.c.profile_id).where(
        profile.c.space_id == tx.space_id, profile.c.merged_into == profile_id
    )
    whose = or_(conversation.c.profile_id == profile_id, conversation.c.profile_id.in_(merged))
    mine = and_(conversation.c.space_id == tx.space_id, whose, conversation.c.link.in_(before))
    tx.write(update(conversation).where(mine, *conditions).values(link=link))  # type: ignore[arg-type]
