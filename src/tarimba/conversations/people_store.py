"""SQL of profiles, handles and links. Each vendor has its own: what its agents say is nobody else's evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import (
    Connection,
    String,
    and_,
    bindparam,
    column,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
    values,
)

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
    identity_link.c.vendor_id == bindparam("of_vendor"),
)
_SET_LINK: Final = (
    update(identity_link).where(*_THIS_LINK).values(method=bindparam("by"), state=bindparam("to_state"))
)
_MOVE_HANDLES: Final = (
    update(handle)
    .where(handle.c.space_id == bindparam("of"), handle.c.profile_id == bindparam("who"))
    .values(profile_id=bindparam("to_whom"))
)
_MOVE_MERGED: Final = (
    update(profile)
    .where(profile.c.space_id == bindparam("of"), profile.c.merged_into == bindparam("who"))
    .values(merged_into=bindparam("to_whom"))
)
_MERGE: Final = update(profile).where(*_THIS_PROFILE).values(merged_into=bindparam("to_whom"))
# Of a row of `handle`: each end of a link has its index.
_HAS_CLAIM: Final = or_(
    *(
        exists().where(
            identity_link.c.space_id == handle.c.space_id,
            identity_link.c.vendor_id == handle.c.vendor_id,
            end == handle.c.mac,
            identity_link.c.state == "unconfirmed",
        )
        for end in (identity_link.c.mac_a, identity_link.c.mac_b)
    )
)


def profiles_of(tx: Tx, vendor_id: str, macs: Collection[str]) -> dict[str, str]:
    """The profile of each handle that is known to the vendor."""
    if not macs:
        return {}
    query = select(handle.c.mac, handle.c.profile_id).where(
        handle.c.space_id == tx.space_id, handle.c.mac.in_(macs), handle.c.vendor_id == vendor_id
    )
    return {row.mac: row.profile_id for row in tx.all(query)}


def links_among(tx: Tx, vendor_id: str, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The state of each of these links that is known; the lesser MAC comes first in a pair."""
    if not pairs:
        return {}
    # Joined, so that each pair is one look by the key: two lists would be looked up crosswise.
    wanted = values(column("one", String), column("other", String), name="pair").data(sorted(pairs)).cte()
    both = and_(identity_link.c.mac_a == wanted.c.one, identity_link.c.mac_b == wanted.c.other)
    query = (
        select(identity_link.c.mac_a, identity_link.c.mac_b, identity_link.c.state)
        .join_from(wanted, identity_link, both)
        .where(identity_link.c.space_id == tx.space_id, identity_link.c.vendor_id == vendor_id)
    )
    return {(row.mac_a, row.mac_b): row.state for row in tx.all(query)}


def claimed(tx: Tx, vendor_id: str, macs: Collection[str]) -> frozenset[str]:
    """Those of the handles about which a claim is open."""
    if not macs:
        return frozenset()
    mine = (handle.c.space_id == tx.space_id, handle.c.mac.in_(macs), handle.c.vendor_id == vendor_id)
    query = select(handle.c.mac).where(*mine, _HAS_CLAIM)
    return frozenset(row.mac for row in tx.all(query))


def add_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    whole = {"space_id": tx.space_id, "created_at": tx.now, "last_at": tx.now}
    if profile_ids:
        tx.write(_NEW_PROFILE, [{**whole, "profile_id": one, "merged_into": None} for one in profile_ids])


def touch_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    if profile_ids:
        tx.write(_TOUCH, [{"of": tx.space_id, "who": one, "at": tx.now} for one in profile_ids])


def add_handles(tx: Tx, vendor_id: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """Stores rows of MAC, profile and type."""
    whole = {"space_id": tx.space_id, "vendor_id": vendor_id, "created_at": tx.now}
    if rows:
        tx.write(
            _NEW_HANDLE,
            [{**whole, "mac": mac, "profile_id": who, "type": kind} for mac, who, kind in rows],
        )


def add_links(
    tx: Tx, vendor_id: str, source_id: str, links: Mapping[tuple[str, str], tuple[str, str]]
) -> None:
    """Stores method and state of new links."""
    whole = {"space_id": tx.space_id, "vendor_id": vendor_id, "source_id": source_id, "created_at": tx.now}
    if links:
        tx.write(
            _NEW_LINK,
            [
                {**whole, "mac_a": one, "mac_b": other, "method": method, "state": state}
                for (one, other), (method, state) in sorted(links.items())
            ],
        )


def change_links(tx: Tx, vendor_id: str, links: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    """Stores method and state of links that are there."""
    if links:
        tx.write(
            _SET_LINK,
            [
                {
                    "of": tx.space_id,
                    "of_vendor": vendor_id,
                    "one": one,
                    "other": other,
                    "by": method,
                    "to_state": state,
                }
                for (one, other), (method, state) in sorted(links.items())
            ],
        )


def merge_profiles(tx: Tx, into: Mapping[str, str]) -> None:
    """Profiles turned out to be others: handles move now, what was recorded is moved by the upkeep."""
    if into:
        rows = [{"of": tx.space_id, "who": gone, "to_whom": kept} for gone, kept in sorted(into.items())]
        for move in (_MOVE_HANDLES, _MOVE_MERGED, _MERGE):
            tx.write(move, rows)


def confirm_conversations(tx: Tx, profile_ids: Collection[str]) -> None:
    """No conversation of these customers rests on a claim any more, unless one is open about a handle of theirs."""
    doubted = _with_link(tx, _whole(tx, profile_ids), ("unconfirmed", "none"))
    if not doubted:
        return
    mine = (handle.c.space_id == tx.space_id, handle.c.profile_id.in_(sorted(set(doubted.values()))))
    open_ = {
        row.profile_id for row in tx.all(select(handle.c.profile_id).where(*mine, _HAS_CLAIM).distinct())
    }
    clear = [one for one, root in doubted.items() if root not in open_]
    _set_link(tx, clear, ("unconfirmed", "none"), "confirmed")


def doubt_conversations(tx: Tx, profile_ids: Collection[str]) -> None:
    """Conversations of visitors whom somebody claims to be a customer."""
    _set_link(tx, _whole(tx, profile_ids), ("none",), "unconfirmed")


def drop_profiles(tx: Tx, profile_ids: Sequence[str]) -> None:
    """Deletes profiles with their handles and every link of these."""
    theirs = (handle.c.space_id == tx.space_id, handle.c.profile_id.in_(profile_ids))
    macs: dict[str, list[str]] = {}
    for row in tx.all(select(handle.c.mac, handle.c.vendor_id).where(*theirs)):
        macs.setdefault(row.vendor_id, []).append(row.mac)
    for vendor_id, some in sorted(macs.items()):
        told = (identity_link.c.space_id == tx.space_id, identity_link.c.vendor_id == vendor_id)
        for end in (identity_link.c.mac_a, identity_link.c.mac_b):
            tx.write(delete(identity_link).where(*told, end.in_(some)))
    for table in (handle, profile):
        tx.write(delete(table).where(table.c.space_id == tx.space_id, table.c.profile_id.in_(profile_ids)))


def everywhere(connection: Connection, space_id: str, profile_ids: Collection[str]) -> frozenset[str]:
    """These profiles with every vendor's of the same customer: who has a handle of theirs, and so on.

    With all that were merged into any of them.
    """
    found: set[str] = set()
    news = set(profile_ids)
    while news:
        found |= news
        ids = sorted(news)
        macs = select(handle.c.mac).where(handle.c.space_id == space_id, handle.c.profile_id.in_(ids))
        also = select(handle.c.profile_id).where(
            handle.c.space_id == space_id, handle.c.mac.in_(connection.scalars(macs).all())
        )
        roots = select(profile.c.merged_into).where(
            profile.c.space_id == space_id, profile.c.profile_id.in_(ids), profile.c.merged_into.is_not(None)
        )
        merged = select(profile.c.profile_id).where(
            profile.c.space_id == space_id, profile.c.merged_into.in_(ids)
        )
        news = {one for query in (also, roots, merged) for one in connection.scalars(query)} - found
    return frozenset(found)


def _whole(tx: Tx, profile_ids: Collection[str]) -> dict[str, str]:
    """These profiles, and those that were merged into them and still have conversations: each to the former."""
    if not profile_ids:
        return {}
    merged = select(profile.c.profile_id, profile.c.merged_into).where(
        profile.c.space_id == tx.space_id, profile.c.merged_into.in_(profile_ids)
    )
    return {one: one for one in profile_ids} | {row.profile_id: row.merged_into for row in tx.all(merged)}


def _with_link(tx: Tx, profiles: Mapping[str, str], links: Sequence[str]) -> dict[str, str]:
    """Those of the profiles that have conversations with one of these links."""
    if not profiles:
        return {}
    query = select(conversation.c.profile_id).where(
        conversation.c.space_id == tx.space_id,
        conversation.c.profile_id.in_(sorted(profiles)),
        conversation.c.link.in_(links),
    )
    return {row.profile_id: profiles[row.profile_id] for row in tx.all(query.distinct())}


def _set_link(tx: Tx, profile_ids: Collection[str], before: Sequence[str], link: str) -> None:
    theirs = conversation.c.profile_id.in_(sorted(profile_ids))
    mine = (conversation.c.space_id == tx.space_id, theirs, conversation.c.link.in_(before))
    if profile_ids:
        tx.write(update(conversation).where(*mine).values(link=link))
