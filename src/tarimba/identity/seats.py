"""A seat: a member's with one agent in one subscription. Everything that is a member's alone hangs on one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import invalid, not_found
from tarimba.harnesses.service import Profile, profile, require
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.identity.seat_store import (
    Named,
    agent_named,
    has_project,
    member_named,
    standing,
    subscription_named,
)
from tarimba.kernel import Kernel
from tarimba.receipts.model import Via

__all__ = [
    "Called",
    "Named",
    "Seat",
    "agent_named",
    "epoch_of",
    "in_project",
    "is_own",
    "member_named",
    "own_seat",
    "seat_named",
    "subscription_named",
    "working_at",
]

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


def own_seat(connection: Connection, principal: Principal, called: Called, act: str) -> Seat:
    """The seat of the member who asks, who must be allowed `act` (a key of `GRANTS`).

    Raises 403, 404 for a subscription of others or no agent of that name, 422 where one of them is not named.
    """
    allow(principal, act)
    if not called.subscription:
        raise invalid("subscription", "is required")
    if not is_own(connection, principal, called):
        raise not_found("subscription")
    named = Called(called.subscription, called.agent, principal.id, called.project)
    return seat_named(connection, principal.space_id, named)


def is_own(connection: Connection, principal: Principal, called: Called) -> bool:
    """Whether a person asks as the member of the subscription that is named."""
    if not may(principal, "own_memory") or not called.subscription:
        return False
    theirs = subscription_named(connection, principal.space_id, called.subscription)
    if theirs is None:
        return False
    found = member_named(connection, principal.space_id, theirs.id, principal.id)
    return found is not None and called.member in {"", found.id, found.slug}


def seat_named(connection: Connection, space_id: str, called: Called) -> Seat:
    """The seat of those who are named, whoever asks; its project is left empty. Raises 404, and 422 for no agent."""
    if not called.agent:
        raise invalid("agent", "is required")
    source = _there(agent_named(connection, space_id, called.agent), "agent")
    subscription_id = person_id = ""
    if called.subscription:
        found = subscription_named(connection, space_id, called.subscription)
        subscription_id = _there(found, "subscription").id
    if called.member:
        if not subscription_id:
            raise invalid("subscription", "must be named with a member")
        member = member_named(connection, space_id, subscription_id, called.member)
        person_id = _there(member, "member").id
    return Seat(space_id, subscription_id, source.id, source.slug, profile(source.harness), person_id)


def in_project(connection: Connection, seat: Seat, project: str) -> Seat:
    """The seat in the turn of a project of the member's; empty is the main workspace.

    Raises 404 for one that is not there, never the main workspace instead; 422 where no member is meant; 501.
    """
    if not project:
        return seat
    require(seat.profile, "projects", seat.agent)
    if not seat.person_id:
        raise invalid("member", "must be named with a project")
    ids = seat.space_id, seat.subscription_id, seat.source_id, seat.person_id
    if _PROJECT.fullmatch(project) is None or not has_project(connection, ids, project):
        raise not_found("project")
    return replace(seat, project=project)


def epoch_of(connection: Connection, seat: Seat) -> int:
    """The epoch of the membership of a seat. Raises 404 when it stands no longer."""
    found = standing(connection, seat.space_id, seat.subscription_id, seat.source_id, seat.person_id)
    if found is None:
        raise not_found("member")
    return int(found.epoch)


def working_at(
    connection: Connection, space_id: str, subscription_id: str, source_id: str, person_id: str, via: Via
) -> Principal | None:
    """The agent at work for a member, if the membership stands and the agent is there; else None."""
    found = standing(connection, space_id, subscription_id, source_id, person_id)
    if found is None:
        return None
    return Principal(
        kind="workspace",
        space_id=space_id,
        space_no=found.space_no,
        id=source_id,
        via=via,
        language=found.language,
        environment=found.environment,
        generation=found.generation,
        source_id=source_id,
        vendor_id=found.vendor_id,
        subscription_id=subscription_id,
        person_id=person_id,
        epoch=found.epoch,
    )


def _there(found: Named | None, what: str) -> Named:
    if found is None:
        raise not_found(what)
    return found
