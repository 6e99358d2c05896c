"""Frozen values: what is read of a conversation or task, and what a batch became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["conversation", "task"]
Link = Literal["none", "confirmed", "unconfirmed"]
TURN_KINDS = ("message", "action", "system_event", "handoff")
"""What is a turn; rows of other kinds only remember that an item came."""


@dataclass(frozen=True, slots=True)
class Answer:
    """When an agent spoke, and the receipt of the read that it says it had, if it says so."""

    source_id: str
    at: int
    read_receipt_id: str | None


@dataclass(frozen=True, slots=True)
class Turn:
    """One masked turn. `objects` are pairs of type and namespace; `occurred_at` is in microseconds."""

    turn_id: str
    ordinal: int
    kind: str
    role: str
    channel: str
    text: str | None
    operation: str | None
    result: str | None
    purpose: str | None
    objects: tuple[tuple[str, str], ...]
    occurred_at: int


@dataclass(frozen=True, slots=True)
class Record:
    """What some agents recorded of one conversation or task, in the order in which it happened.

    `link` says how its customer is known.
    """

    conversation_ref: str | None
    link: Link
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class FinishedTask:
    """A task that was ended. `mac` is the commitment to its id, `ordinal` that of the mark that ended it.

    `succeeded` is None when the mark did not say. Times are in microseconds.
    """

    source_id: str
    task_ref: str
    mac: str
    ordinal: int
    succeeded: bool | None
    started_at: int
    ended_at: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that was not taken: its place in the batch, and why, without what was sent."""

    index: int
    code: str
    detail: str

    def as_json(self) -> dict[str, Any]:
        return {"index": self.index, "code": self.code, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Ignored:
    """What a batch held that this version does not know or does not keep: counted, never stored."""

    items: int = 0
    fields: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the items of a batch, and what was masked in those that were new, by kind."""

    accepted: int = 0
    duplicates: int = 0
    masked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten: `value` is a profile's id, a handle's value or the id of a conversation."""

    kind: Literal["profile", "handle", "conversation"]
    value: str
    handle_type: str = ""
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Erasure:
    """A request to forget. `target_id` is an id of ours, never what was sent. Times are in microseconds."""

    request_id: str
    status: str
    target_kind: str
    target_id: str
    requested_at: int
    completed_at: int | None
