"""Whose workspace a request is about: a member's with one agent in one subscription, and who may ask for it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.harnesses.service import require
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, agent_named, is_own, own_seat, seat_named
from tarimba.kernel import Kernel
from tarimba.skills import access
from tarimba.skills.records import Place

__all__ = ["Called", "Seat", "for_index", "for_member"]

_PROJECT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def for_index(kernel: Kernel, connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat for somebody who wants the index. An agent asks for its own, a member for theirs.

    Raises 403, 404, 422, and 501 for a project where the harness has none.
    """
    if principal.kind == "agent":
        allow(principal, "read_skills")
        if called.agent not in ("", principal.source_id) and called.agent != _slug(connection, principal):
            raise not_found("agent")
        seat = seat_named(connection, principal.space_id, replace(called, agent=principal.source_id or ""))
        return _in_project(kernel, seat, called.project)
    if principal.kind == "person" and is_own(connection, principal, called):
        return _in_project(kernel, for_member(connection, principal, called), called.project)
    if called.member:
        raise Refusal(
            "scope_missing", "The skills of a member are shown to the member and to the agent alone."
        )
    reach = access.reach(connection, principal)
    seat = seat_named(connection, principal.space_id, called)
    if not reach.holds(Place("subscription", seat.subscription_id)):
        raise not_found("subscription")
    return _in_project(kernel, seat, called.project)


def for_member(connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat of the member who asks. Raises 403, 404 for a subscription of others, 422, 501."""
    seat = own_seat(connection, principal, called, "member_skills")
    require(seat.profile, "member_skills", seat.agent)
    return seat


def _in_project(kernel: Kernel, seat: Seat, project: str) -> Seat:
    """The seat in the turn of a project. Raises 404 for one that is not there: never the main workspace instead."""
    if not project:
        return seat
    require(seat.profile, "projects", seat.agent)
    if not seat.person_id:
        raise invalid("member", "must be named with a project")
    folder = kernel.settings.data / seat.home / f"workspace-{project}"
    if _PROJECT.fullmatch(project) is None or not folder.is_dir():
        raise not_found("project")
    return replace(seat, project=project)


def _slug(connection: Connection, principal: Principal) -> str:
    found = agent_named(connection, principal.space_id, principal.source_id or "")
    return "" if found is None else found.slug
