"""The rows of a graph as values."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba.graph import rules
from tarimba.graph.model import Status


@dataclass(frozen=True, slots=True)
class Graph:
    """A member's graph and how much it holds."""

    space_id: str
    graph_no: int
    entities: int
    observations: int
    relations: int

    @property
    def place(self) -> tuple[str, int]:
        """What every key of its rows begins with."""
        return self.space_id, self.graph_no


@dataclass(frozen=True, slots=True)
class EntityRow:
    entity_no: int
    name: str
    entity_type: str
    status: Status
    merged_into: int | None
    observations: int
    conversation_id: str | None
    created_at: int
    changed_at: int
    changed_no: int

    @property
    def mark(self) -> str:
        return rules.mark(self.name, self.entity_type, self.status, self.merged_into)


@dataclass(frozen=True, slots=True)
class ObservationRow:
    """`confidence` is in millionths."""

    entity_no: int
    observation_no: int
    content: str
    confidence: int | None
    conversation_id: str | None
    created_at: int

    @property
    def mark(self) -> str:
        return rules.mark(self.entity_no, self.content, self.confidence)


@dataclass(frozen=True, slots=True)
class RelationRow:
    relation_no: int
    from_name: str
    to_name: str
    relation_type: str
    conversation_id: str | None
    created_at: int

    @property
    def mark(self) -> str:
        return rules.mark(self.from_name, self.to_name, self.relation_type)

    @property
    def triple(self) -> tuple[str, str, str]:
        return self.from_name, self.to_name, self.relation_type
