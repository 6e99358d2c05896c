"""Values of webhooks: where events go, what is to be sent, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

EVENT_TYPES: Final = (
    "agent_note.created",
    "agent_note.updated",
    "agent_note.retired",
    "agent_note.proposed",
    "agent_note.proposal_failed",
    "agent_note.proposal_decided",
    "agent_memory.erased",
    "skill.published",
    "skill.removed",
    "skill.drafted",
    "receipts.checkpoint",
)
State = Literal["active", "failing", "off", "removed"]
# The states in which events are sent.
SENDING: Final = ("active", "failing")
DeliveryState = Literal["pending", "delivered", "failed"]
Problem = Literal["timeout", "connection", "address_not_public", "redirect", "status", "internal_error"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """A place that events go to. `events` empty is all. Secrets are as they are stored, wrapped.

    `last_status` and `last_problem` are of the last answer that any delivery got.
    """

    space_id: str
    webhook_id: str
    url: str
    events: tuple[str, ...]
    secret: bytes
    old_secret: bytes | None
    old_until: int | None
    state: State
    created_at: int
    created_by: str
    ordinal: int
    planned_until: int
    last_at: int | None
    last_status: int | None
    last_problem: Problem | None

    def wants(self, event_type: str) -> bool:
        return not self.events or event_type in self.events


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the outbox. `data` is JSON as it was announced."""

    event_id: str
    ordinal: int
    type: str
    data: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of one event on its way to one webhook."""

    event: Event
    state: DeliveryState
    attempts: int
    next_at: int
    last_at: int | None
    last_status: int | None
    last_problem: Problem | None


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery in this process's hands until `leased_until`: who settles it shows that number."""

    webhook: Webhook
    event: Event
    leased_until: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attempt came to: the status that was answered, and a problem unless it was 2xx."""

    status: int | None
    problem: Problem | None

    @property
    def is_delivered(self) -> bool:
        return self.problem is None


def secret_label(space_id: str, webhook_id: str) -> str:
    """What the wrapped secrets of a webhook are bound to: moved to another row they do not open."""
    return f"webhook.secret:{space_id}:{webhook_id}"
