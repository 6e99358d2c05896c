"""Whose workspace a request is about: a member's with one agent in one subscription, and who may ask for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import Refusal, invalid, not_found
from tarimba.harnesses.service import Profile, profile, require
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.kernel import Kernel
from tarimba.skills import access, member_store, place_store
from tarimba.skills.records import Place

_PROJECT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Called:
    """What a request names, by slug or id; empty where it names none."""

    subscription: str = ""
    agent: str = ""
    member: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class Seat:
    """What was named and is there. `person_id` is empty where no member is meant."""

    space_id: str
    subscription_id: str
    source_id: str
    agent: str
    profile: Profile
    person_id: str = ""
    project: str = ""

    @property
    def objects(self) -> dict[str, str]:
        """The ids that receipts name."""
        ids = {"subscription_id": self.subscription_id, "person_id": self.person_id}
        return {"source_id": self.source_id} | {name: value for name, value in ids.items() if value}

    @property
    def home(self) -> str:
        """The member's folder with this agent, relative to the data folder: ids alone make it up."""
        return (
            f"spaces/{self.space_id}/subscriptions/{self.subscription_id}"
            f"/agents/{self.source_id}/members/{self.person_id}"
        )

    def workspace(self, kernel: Kernel) -> Path:
        """The main workspace, where the own skills are in a project's turn too."""
        return kernel.settings.data / self.home / "workspace"


def for_index(kernel: Kernel, connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat for somebody who wants the index. An agent asks for its own, a member for theirs.

    Raises 403, 404, 422, and 501 for a project where the harness has none.
    """
    if principal.kind == "agent":
        allow(principal, "read_skills")
        if called.agent not in ("", principal.source_id) and called.agent != _slug(connection, principal):
            raise not_found("agent")
        seat = _seat(connection, principal, called, principal.source_id or "")
        return _in_project(kernel, seat, called.project)
    if principal.kind == "person" and _is_own(connection, principal, called):
        return _in_project(kernel, for_member(connection, principal, called), called.project)
    if called.member:
        raise Refusal(
            "scope_missing", "The skills of a member are shown to the member and to the agent alone."
        )
    reach = access.reach(connection, principal)
    seat = _seat(connection, principal, called, called.agent)
    if not reach.holds(Place("subscription", seat.subscription_id)):
        raise not_found("subscription")
    return _in_project(kernel, seat, called.project)


def for_member(connection: Connection, principal: Principal, called: Called) -> Seat:
    """The seat of the member who asks. Raises 403, 404 for a subscription of others, 422, 501."""
    allow(principal, "member_skills")
    if not called.subscription:
        raise invalid("subscription", "is required")
    if not _is_own(connection, principal, called):
        raise not_found("subscription")
    named = Called(called.subscription, called.agent, principal.id, called.project)
    seat = _seat(connection, principal, named, called.agent)
    require(seat.profile, "member_skills", seat.agent)
    return seat


def _is_own(connection: Connection, principal: Principal, called: Called) -> bool:
    """Whether a person asks as the member of the subscription that is named."""
    if not may(principal, "member_skills") or not called.subscription:
        return False
    theirs = place_store.subscription_named(connection, principal.space_id, called.subscription)
    if theirs is None:
        return False
    found = member_store.member_named(connection, principal.space_id, theirs.id, principal.id)
    return found is not None and called.member in {"", found.id, found.slug}


def _seat(connection: Connection, principal: Principal, called: Called, agent: str) -> Seat:
    space_id = principal.space_id
    if not agent:
        raise invalid("agent", "is required")
    source = _there(place_store.agent_named(connection, space_id, agent), "agent")
    subscription_id = person_id = ""
    if called.subscription:
        found = place_store.subscription_named(connection, space_id, called.subscription)
        subscription_id = _there(found, "subscription").id
    if called.member:
        if not subscription_id:
            raise invalid("subscription", "must be named with a member")
        member = member_store.member_named(connection, space_id, subscription_id, called.member)
        person_id = _there(member, "member").id
    return Seat(space_id, subscription_id, source.id, source.slug, profile(source.harness), person_id)


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
    found = place_store.agent_named(connection, principal.space_id, principal.source_id or "")
    return "" if found is None else found.slug


def _there(found: place_store.Named | None, what: str) -> place_store.Named:
    if found is None:
        raise not_found(what)
    return found
