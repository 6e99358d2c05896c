"""What is known of a secret without its value. Frozen; times are microseconds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom a secret is for: an empty id means all, and with a person it is that member's own with one agent."""

    subscription_id: str = ""
    source_id: str = ""
    person_id: str = ""

    @property
    def objects(self) -> dict[str, str]:
        """The ids that receipts name."""
        named = {
            "subscription_id": self.subscription_id,
            "source_id": self.source_id,
            "person_id": self.person_id,
        }
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret. `wrapped` is its value under the master key; nothing prints it."""

    secret_id: str
    subscription_id: str
    source_id: str
    person_id: str
    name: str
    created_at: int
    changed_at: int
    ordinal: int
    wrapped: bytes = field(repr=False)

    @property
    def reach(self) -> Reach:
        return Reach(self.subscription_id, self.source_id, self.person_id)
