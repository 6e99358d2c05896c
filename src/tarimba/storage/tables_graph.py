"""Tables of the memory graph: entities, what was observed of them, relations by name, and every change of them.

A graph is a member's with one agent in one subscription. Names and texts are the member's; who erases them is the
erasure of the member, or of the subscription's agent.
"""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from tarimba.storage.columns import column as c
from tarimba.storage.schema import metadata, space_fk

_ERASED = "erasure of the member"


def _graph_fk() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["space_id", "graph_no"], ["graph.space_id", "graph.graph_no"])


graph = Table(
    "graph",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("person_id", "str", "id"),
    # Counted, so that limits and lists cost nothing.
    c("entities", "int", "number", default=0),
    c("observations", "int", "number", default=0),
    c("relations", "int", "number", default=0),
    # While a file is being taken in: the number above which its rows are, not yet to be seen.
    c("arriving", "int", "number", nullable=True),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "graph_no"),
    UniqueConstraint("space_id", "subscription_id", "source_id", "person_id"),
    space_fk(),
)

graph_entity = Table(
    "graph_entity",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("entity_no", "int", "number"),
    c("name", "text", "text", erased_by=_ERASED),
    # Digests of the graph's number with the name as it is, and folded: a name may be longer than an index takes.
    c("name_key", "str", "digest"),
    c("folded_key", "str", "digest"),
    c("entity_type", "text", "text", erased_by=_ERASED),
    # active, archived, merged.
    c("status", "str", "code"),
    c("merged_into", "int", "number", nullable=True),
    # Counted, so that a page knows what it leaves out.
    c("observations", "int", "number", default=0),
    c("conversation_id", "text", "caller_id", nullable=True, erased_by=_ERASED),
    c("created_at", "int", "time"),
    c("changed_at", "int", "time"),
    # A number of the space's sequence, given at the last change: what recent lists go by.
    c("changed_no", "int", "number"),
    PrimaryKeyConstraint("space_id", "graph_no", "entity_no"),
    # With the number of the graph last, where its order says nothing: a planner without statistics takes any index that
    # begins with the graph for good enough, and the smallest of them.
    UniqueConstraint("space_id", "name_key", "graph_no"),
    Index(None, "space_id", "folded_key", "graph_no"),
    Index(None, "space_id", "graph_no", "changed_no"),
    Index(None, "space_id", "merged_into", "graph_no"),
    Index(None, "space_id", "entity_type", "graph_no"),
    Index(None, "space_id", "conversation_id", "graph_no"),
    _graph_fk(),
)

graph_observation = Table(
    "graph_observation",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("entity_no", "int", "number"),
    c("observation_no", "int", "number"),
    c("content", "text", "text", erased_by=_ERASED),
    c("content_key", "str", "digest"),
    # In millionths; null where none was given.
    c("confidence", "int", "number", nullable=True),
    c("conversation_id", "text", "caller_id", nullable=True, erased_by=_ERASED),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "graph_no", "entity_no", "observation_no"),
    UniqueConstraint("space_id", "content_key", "entity_no", "graph_no"),
    Index(None, "space_id", "conversation_id", "graph_no"),
    _graph_fk(),
)

graph_relation = Table(
    "graph_relation",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("relation_no", "int", "number"),
    c("from_name", "text", "text", erased_by=_ERASED),
    c("to_name", "text", "text", erased_by=_ERASED),
    c("from_key", "str", "digest"),
    c("to_key", "str", "digest"),
    c("relation_type", "text", "text", erased_by=_ERASED),
    c("type_key", "str", "digest"),
    c("conversation_id", "text", "caller_id", nullable=True, erased_by=_ERASED),
    c("created_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "graph_no", "relation_no"),
    UniqueConstraint("space_id", "from_key", "to_key", "type_key", "graph_no"),
    Index(None, "space_id", "to_key", "graph_no"),
    Index(None, "space_id", "conversation_id", "graph_no"),
    _graph_fk(),
)

# The different words of a graph, in shards by the digest of each: what a part of a word is looked up in. `forms` are
# what the stemmers make of them, each form beside its word, in shards by the digest of the form.
graph_word = Table(
    "graph_word",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("shard", "int", "number"),
    c("words", "text", "text", erased_by=_ERASED),
    c("forms", "text", "text", erased_by=_ERASED),
    PrimaryKeyConstraint("space_id", "graph_no", "shard"),
    _graph_fk(),
)

# Which of 8,192 entities, by their numbers, have a word, and in how many texts: what a search finds candidates by.
graph_posting = Table(
    "graph_posting",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("term", "int", "digest"),
    c("chunk", "int", "number"),
    c("members", "bytes", "number"),
    PrimaryKeyConstraint("space_id", "graph_no", "term", "chunk"),
    _graph_fk(),
)

# What an entity means, as float32 numbers; `model` names the embedder and its version, `changed_no` the change of the
# entity that it was made after.
graph_vector = Table(
    "graph_vector",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("entity_no", "int", "number"),
    c("model", "str", "code"),
    c("changed_no", "int", "number"),
    c("vector", "bytes", "digest"),
    PrimaryKeyConstraint("space_id", "graph_no", "entity_no"),
    Index(None, "space_id", "graph_no", "model", "changed_no"),
    _graph_fk(),
)

# What changed, and what stood there before: the audit view, and undo for thirty days.
graph_change = Table(
    "graph_change",
    metadata,
    c("space_id", "str", "id"),
    c("graph_no", "int", "number"),
    c("change_no", "int", "number"),
    c("change_id", "str", "id"),
    c("action", "str", "code"),
    c("actor_type", "str", "code"),
    c("actor_id", "str", "id"),
    c("conversation_id", "text", "caller_id", nullable=True, erased_by=_ERASED),
    # JSON of the rows as they were, and marks of what became of them; empty when its time is over.
    c("before", "text", "text", erased_by=_ERASED),
    c("undone_by", "str", "id", nullable=True),
    c("receipt_id", "str", "id"),
    c("at", "int", "time"),
    PrimaryKeyConstraint("space_id", "graph_no", "change_no"),
    UniqueConstraint("space_id", "change_id"),
    Index(None, "space_id", "at"),
    Index(None, "space_id", "graph_no", "at"),
    _graph_fk(),
)

# A turn of a workspace that its harness says is under way; forgotten after a while when nobody ends it.
open_turn = Table(
    "open_turn",
    metadata,
    c("space_id", "str", "id"),
    c("subscription_id", "str", "id"),
    c("source_id", "str", "id"),
    c("person_id", "str", "id"),
    c("turn_key", "str", "digest"),
    c("conversation_id", "text", "caller_id", erased_by="end of the turn"),
    c("started_at", "int", "time"),
    PrimaryKeyConstraint("space_id", "subscription_id", "source_id", "person_id", "turn_key"),
    space_fk(),
)
