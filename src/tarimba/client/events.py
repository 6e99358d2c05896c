"""The items of a batch, as `POST /v1/batch` takes them. Pure; each gets an idempotency key when it is made."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Item = Mapping[str, Any]


class Handle(NamedTuple):
    """What names a customer: a type such as `phone_e164`, `email`, `wa_id` or `crm_id`, and the value."""

    type: str
    value: str


@dataclass(frozen=True, slots=True)
class Scene:
    """What all items of a conversation or task have in common."""

    conversation_id: str | None = field(default=None, repr=False)
    task_id: str | None = field(default=None, repr=False)
    channel: str = "chat"
    customer: Sequence[Handle] = field(default=(), repr=False)

    def message(self, role: str, text: str, stamp: Mapping[str, Any] | None = None) -> Item:
        """What somebody said. `stamp` tells which read the agent had before it spoke."""
        item = self._event("message", role) | {"content": {"type": "text", "text": text}}
        return item | ({"context_stamp": dict(stamp)} if stamp else {})

    def action(self, operation: str, *, result: str | None, purpose: str | None) -> Item:
        """What the agent did in a system."""
        told = {"operation": operation, "result": result, "purpose": purpose}
        action = {name: value for name, value in told.items() if value is not None}
        return self._event("action", "ai_agent") | {"action": action}

    def ended(self, succeeded: bool | None) -> Item:
        """The end of the task, else of the conversation."""
        name, value = ("task", self.task_id) if self.task_id else ("conversation", self.conversation_id)
        item = {"type": f"{name}.ended", "idempotency_key": str(uuid.uuid4()), f"{name}_id": value}
        return item if succeeded is None else item | {"succeeded": succeeded}

    def _event(self, kind: str, role: str) -> dict[str, Any]:
        item: dict[str, Any] = {
            "type": "event",
            "kind": kind,
            "idempotency_key": str(uuid.uuid4()),
            "channel": self.channel,
            "speaker": {"role": role},
        }
        named = {"conversation_id": self.conversation_id, "task_id": self.task_id}
        item |= {name: value for name, value in named.items() if value is not None}
        if self.customer:
            item["handles"] = [{"type": one.type, "value": one.value} for one in self.customer]
        return item
