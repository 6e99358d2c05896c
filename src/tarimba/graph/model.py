"""The values of the memory graph: whose it is, what it holds, what is asked of it and what that came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tarimba.identity.model import Principal
from tarimba.receipts.model import Actor, Recorded, Via

NAME_MAX: Final = 512
TYPE_MAX: Final = 128
OBSERVATION_MAX: Final = 8_000
ITEMS_MAX: Final = 100
PAGE_MAX: Final = 1_000
"""The most entities, and the most relations, that one page is asked for."""

Status = Literal["active", "archived", "merged"]
Detail = Literal["minimal", "summary", "full"]
"""`minimal`: names and types; `summary`: with the first observations of each; `full`: with all of them."""


class EmbedderError(Exception):
    """The embedder that is set is not there. Carries a sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose graph: a member's, with one agent, in one subscription."""

    space_id: str
    subscription_id: str
    source_id: str
    person_id: str

    @property
    def objects(self) -> dict[str, str]:
        """The ids that receipts name beside the agent."""
        return {"subscription_id": self.subscription_id, "person_id": self.person_id}


@dataclass(frozen=True, slots=True)
class By:
    """Who does it, and from which conversation.

    With a `principal` or an `epoch` (of the membership) a change also needs them to be in force when it is made.
    """

    actor: Actor
    via: Via
    conversation_id: str | None = None
    principal: Principal | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class NewObservation:
    """`confidence` is 0..1. An import names the conversation and the time (microseconds) itself, nothing else does."""

    text: str
    confidence: float | None = None
    conversation_id: str | None = None
    created_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An import names the conversation and the time itself, nothing else does."""

    name: str
    entity_type: str
    observations: tuple[NewObservation, ...] = ()
    conversation_id: str | None = None
    created_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewRelation:
    """An import names the conversation and the time itself, nothing else does."""

    source: str
    target: str
    relation_type: str
    conversation_id: str | None = None
    created_at: int | None = None


@dataclass(frozen=True, slots=True)
class Addition:
    """Observations for an entity that is there."""

    entity_name: str
    observations: tuple[NewObservation, ...]


@dataclass(frozen=True, slots=True)
class Deletion:
    """Observations of an entity, by their text."""

    entity_name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    observation_no: int
    text: str
    confidence: float | None
    conversation_id: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as a read shows it.

    `observations` may be a part of the `observation_count` that there are. With `is_continued` the page before ended
    within this entity: its observations go on here. With `is_cut` the text of the last one goes on on the next page.
    """

    entity_no: int
    name: str
    entity_type: str
    status: Status
    merged_into: str | None
    conversation_id: str | None
    created_at: int
    changed_at: int
    observations: tuple[Observation, ...]
    observation_count: int
    is_continued: bool = False
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """`is_dangling`: one of its ends names no entity."""

    relation_no: int
    source: str
    target: str
    relation_type: str
    conversation_id: str | None
    created_at: int
    is_dangling: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a graph is asked for. `names` None is every entity; `limit` counts entities and relations alike."""

    detail: Detail = "summary"
    names: tuple[str, ...] | None = None
    include_archived: bool = False
    include_merged: bool = False
    limit: int = 200
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """A name that was made although another differs from it by case or accents only."""

    name: str
    existing: str


@dataclass(frozen=True, slots=True)
class Created:
    """`skipped` are names that were taken, or came twice."""

    entities: tuple[Entity, ...]
    skipped: tuple[str, ...]
    similar: tuple[Similar, ...]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Related:
    """`skipped` counts duplicates; `dangling` are the names of ends that are not there."""

    relations: tuple[Relation, ...]
    skipped: int
    dangling: tuple[str, ...]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class AddedTo:
    entity_name: str
    added: tuple[str, ...]
    skipped: int


@dataclass(frozen=True, slots=True)
class Added:
    results: tuple[AddedTo, ...]
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Deleted:
    deleted: int
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Settled:
    """A merge, or an entity put away or back. `changed` is False when it was so already.

    `is_hidden`: what was merged is now part of an archived entity.
    """

    changed: bool
    receipt: Recorded
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """What a read shows. Following `next_cursor` gives everything exactly once while the graph stands still."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    truncated: bool
    next_cursor: str | None
    receipt: Recorded


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity that a search by meaning found, and how near it came (0..1)."""

    entity: Entity
    score: float


@dataclass(frozen=True, slots=True)
class Meant:
    """`search_type` says what was really used."""

    hits: tuple[Hit, ...]
    search_type: Literal["bm25", "hybrid"]
    receipt: Recorded
