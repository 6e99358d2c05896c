"""What a member is shown, as JSON. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tarimba.clock import rfc3339
from tarimba.graph import rules
from tarimba.graph.importing import Imported
from tarimba.graph.member import Learned, Listing, Neighbourhood, Opened
from tarimba.graph.model import Entity, Observation, Relation, Sight
from tarimba.graph.rows import EntityRow, ObservationRow, RelationRow


def listing(found: Listing) -> dict[str, Any]:
    return {
        "items": [row(one, found.into) for one in found.items],
        "types": [{"type": type_, "count": count} for type_, count in found.types],
        "counts": dict(found.counts),
    }


def opened(found: Opened) -> dict[str, Any]:
    entity = found.entity
    into = {} if entity.merged_into is None or found.into is None else {entity.merged_into: found.into}
    return row(entity, into) | {
        "observations": [observation(one) for one in found.observations],
        "relations": [relation(one, found.ends) for one in found.relations],
        "relations_truncated": found.more_relations,
    }


def neighbourhood(found: Neighbourhood) -> dict[str, Any]:
    return {
        "entities": [row(one, found.into) for one in found.entities],
        "relations": [relation(one, found.ends) for one in found.relations],
        "truncated": found.truncated,
    }


def learned(found: Learned) -> dict[str, Any]:
    return {
        "entities": [row(one, found.into) for one in found.entities],
        "observations": [
            {"entity": name, "observation": observation(one)} for name, one in found.observations
        ],
        "relations": [relation(one, found.ends) for one in found.relations],
    }


def sight(found: Sight) -> dict[str, Any]:
    return {
        "entities": [entity(one) for one in found.entities],
        "relations": [seen_relation(one) for one in found.relations],
        "truncated": found.truncated,
    }


def entity(one: Entity) -> dict[str, Any]:
    return {
        "name": one.name,
        "entity_type": one.entity_type,
        "status": one.status,
        "merged_into": one.merged_into,
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
        "observation_count": one.observation_count,
        "observations": [_seen(each) for each in one.observations],
    }


def row(one: EntityRow, into: Mapping[int, str]) -> dict[str, Any]:
    return {
        "name": one.name,
        "entity_type": one.entity_type,
        "status": one.status,
        "merged_into": None if one.merged_into is None else into.get(one.merged_into),
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
        "observation_count": one.observations,
    }


def observation(one: ObservationRow) -> dict[str, Any]:
    return {
        "id": rules.key_of(one.content),
        "text": one.content,
        "confidence": rules.fraction(one.confidence),
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
    }


def relation(one: RelationRow, ends: Collection[str]) -> dict[str, Any]:
    return {
        "from": one.from_name,
        "to": one.to_name,
        "relation_type": one.relation_type,
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
        "is_dangling": one.from_name not in ends or one.to_name not in ends,
    }


def seen_relation(one: Relation) -> dict[str, Any]:
    return {
        "from": one.source,
        "to": one.target,
        "relation_type": one.relation_type,
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
        "is_dangling": one.is_dangling,
    }


def imported(done: Imported) -> dict[str, Any]:
    return {
        "entities": done.entities,
        "observations": done.observations,
        "relations": done.relations,
        "known": done.known,
        "refused_count": done.refused_count,
        "refused": [
            {"part": one.where.part, "number": one.where.number, "reason": one.reason} for one in done.refused
        ],
        "receipt_id": done.receipt.id,
    }


def _seen(one: Observation) -> dict[str, Any]:
    return {
        "text": one.text,
        "confidence": one.confidence,
        "conversation_id": one.conversation_id,
        "created_at": rfc3339(one.created_at),
    }
