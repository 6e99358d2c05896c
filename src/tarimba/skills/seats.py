"""Whose workspace a request is about: a member's with one agent in one subscription, and who may ask for it."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from tarimba.errors import Refusal, not_found
from tarimba.harnesses.service import require
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, agent_named, in_project, is_own, own_seat, seat_named
from tarimba.skills import access
from tarimba.skills.records import Place

__all__ = ["Called", "Seat", "for_index", "for_member"]


def for_index(connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat for somebody who wants the index. An agent asks for its own, a member for theirs.

    Raises 403, 404, 422, and 501 for a project where the harness has none.
    """
    if principal.kind == "agent":
        allow(principal, "read_skills")
        if called.agent not in ("", principal.source_id) and called.agent != _slug(connection, principal):
            raise not_found("agent")
        seat = seat_named(connection, principal.space_id, replace(called, agent=principal.source_id or ""))
        return in_project(connection, seat, called.project)
    if principal.kind == "person" and is_own(connection, principal, called):
        return in_project(connection, for_member(connection, principal, called), called.project)
    if called.member:
        raise Refusal(
            "scope_missing", "The skills of a member are shown to the member and to the agent alone."
        )
    reach = access.reach(connection, principal)
    seat = seat_named(connection, principal.space_id, called)
    if not reach.holds(Place("subscription", seat.subscription_id)):
        raise not_found("subscription")
    return in_project(connection, seat, called.project)


def for_member(connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat of the member who asks. Raises 403, 404 for a subscription of others, 422, 501."""
    seat = own_seat(connection, principal, called, "member_skills")
    require(seat.profile, "member_skills", seat.agent)
    return seat


def _slug(connection: Connection, principal: Principal) -> str:
    found = agent_named(connection, principal.space_id, principal.source_id or "")
    return "" if found is None else found.slug
