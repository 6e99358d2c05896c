"""Who asks: an agent by its key, the space by an admin key, a person or a workspace by a token, or the host's CLI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tarimba.receipts.model import Actor, Via

ROLES = ("owner", "manager", "reviewer", "operator", "auditor", "member")
SCOPES = ("agent_memory", "agent_memory:write", "context", "track")
PrincipalKind = Literal["agent", "admin", "person", "workspace", "host"]


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller in one space.

    `id` is what `created_by` and receipts name: the agent's `source_id`, the person's id, the admin key's id,
    or `cli`. `generation` is the space's when this was read: an equal head means that it still holds.
    `expires_at` is in microseconds. `pools` are the pools whose notes an agent reads. A workspace is an agent at work
    for one member, and may do nothing but what its member's graph is for: it has `subscription_id` and `person_id`, and
    the `epoch` of the membership.
    """

    kind: PrincipalKind
    space_id: str
    space_no: int
    id: str
    via: Via
    language: str
    environment: str
    generation: int
    key_id: str | None = None
    source_id: str | None = None
    vendor_id: str | None = None
    scopes: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    pools: tuple[int, ...] = ()
    expires_at: int | None = None
    subscription_id: str | None = None
    person_id: str | None = None
    epoch: int | None = None

    @property
    def actor(self) -> Actor:
        """How receipts name this caller."""
        if self.kind in ("agent", "workspace"):
            return Actor("agent", self.id, self.key_id)
        if self.kind == "person":
            return Actor("person", self.id, self.key_id)
        return Actor("system", self.id)

    def has_role(self, *roles: str) -> bool:
        return not self.roles.isdisjoint(roles)
