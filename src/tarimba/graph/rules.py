"""What may be stored in a graph, and how its texts are told apart. Pure."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from tarimba.errors import Refusal, invalid
from tarimba.graph.model import (
    ITEMS_MAX,
    NAME_MAX,
    OBSERVATION_MAX,
    TYPE_MAX,
    Addition,
    Deletion,
    NewEntity,
    NewObservation,
    NewRelation,
)

CONVERSATION_MAX: Final = 512
HOURS_MAX: Final = 24 * 366
_KEY_DIGITS: Final = 32
_MARK_DIGITS: Final = 12
_MILLION: Final = 1_000_000
# Neither database keeps a NUL, and no encoding an unpaired surrogate.
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_STROKES: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def key_of(text: str) -> str:
    """What stands for a text in an index: 128 bits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_DIGITS]


def folded_key(name: str) -> str:
    """The same for names that differ by case, accents or forms of letters only."""
    if name.isascii():
        return key_of(name.lower())
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    bare = "".join(char for char in apart if unicodedata.category(char)[0] != "M")
    return key_of(bare.translate(_STROKES))


def mark(*parts: str | int | None) -> str:
    """What tells whether a row still is as a change left it."""
    told = "\0".join("" if part is None else str(part) for part in parts)
    return hashlib.sha256(told.encode()).hexdigest()[:_MARK_DIGITS]


def millionths(confidence: float | None) -> int | None:
    return None if confidence is None else round(confidence * _MILLION)


def fraction(confidence: int | None) -> float | None:
    return None if confidence is None else confidence / _MILLION


def require_text(field: str, text: str, most: int, *, least: int = 1) -> None:
    """Raises 422 for a text that is too short or too long (in characters), or that can't be stored."""
    if len(text) < least:
        raise invalid(field, "must not be empty")
    if len(text) > most:
        raise invalid(field, f"must be at most {most:,} characters")
    if _UNSTORABLE.search(text):
        raise invalid(field, "must hold no NUL character and no unpaired surrogate")


def require_few(field: str, items: Sequence[object]) -> None:
    if len(items) > ITEMS_MAX:
        raise invalid(field, f"at most {ITEMS_MAX} items in one call; send the others in another")


def require_name(field: str, name: str) -> None:
    require_text(field, name, NAME_MAX)


def require_names(field: str, names: Sequence[str]) -> None:
    require_few(field, names)
    for at, name in enumerate(names):
        require_name(f"{field}[{at}]", name)


def require_observation(field: str, observation: NewObservation) -> None:
    require_text(field, observation.text, OBSERVATION_MAX)
    require_conversation(observation.conversation_id)
    sure = observation.confidence
    if sure is not None and not (math.isfinite(sure) and 0 <= sure <= 1):
        raise invalid(f"{field}.confidence", "must be a number from 0 to 1")


def require_entity(field: str, entity: NewEntity) -> None:
    """All of an entity but how many observations it brings: that is a matter of the call."""
    require_name(f"{field}.name", entity.name)
    require_text(f"{field}.entityType", entity.entity_type, TYPE_MAX, least=0)
    require_conversation(entity.conversation_id)
    for at, observation in enumerate(entity.observations):
        require_observation(f"{field}.observations[{at}]", observation)


def require_relation(field: str, relation: NewRelation) -> None:
    require_name(f"{field}.from", relation.source)
    require_name(f"{field}.to", relation.target)
    require_text(f"{field}.relationType", relation.relation_type, TYPE_MAX)
    require_conversation(relation.conversation_id)


def require_conversation(conversation_id: str | None) -> None:
    if conversation_id is not None:
        require_text("conversation", conversation_id, CONVERSATION_MAX)


def require_entities(entities: Sequence[NewEntity]) -> None:
    require_few("entities", entities)
    for at, entity in enumerate(entities):
        require_few(f"entities[{at}].observations", entity.observations)
        require_entity(f"entities[{at}]", entity)


def require_relations(relations: Sequence[NewRelation]) -> None:
    require_few("relations", relations)
    for at, relation in enumerate(relations):
        require_relation(f"relations[{at}]", relation)


def require_additions(additions: Sequence[Addition]) -> None:
    require_few("observations", additions)
    for at, addition in enumerate(additions):
        require_name(f"observations[{at}].entityName", addition.entity_name)
        require_few(f"observations[{at}].contents", addition.observations)
        for place, observation in enumerate(addition.observations):
            require_observation(f"observations[{at}].contents[{place}]", observation)


def require_deletions(deletions: Sequence[Deletion]) -> None:
    require_few("deletions", deletions)
    for at, deletion in enumerate(deletions):
        require_name(f"deletions[{at}].entityName", deletion.entity_name)
        require_few(f"deletions[{at}].observations", deletion.texts)
        for place, text in enumerate(deletion.texts):
            require_text(f"deletions[{at}].observations[{place}]", text, OBSERVATION_MAX)


def require_hours(hours: int) -> None:
    if not 1 <= hours <= HOURS_MAX:
        raise invalid("hours", f"must be from 1 to {HOURS_MAX:,}")


def require_room(what: str, present: int, more: int, most: int) -> None:
    """Raises 409 when so many more would be above the limit of a member's graph."""
    if more and present + more > most:
        raise Refusal(
            "conflict", f"A graph may hold {most:,} {what}, and these would be more: delete some first."
        )


def distinct(observations: Iterable[NewObservation]) -> tuple[NewObservation, ...]:
    """Each text once, as it came first."""
    kept: dict[str, NewObservation] = {}
    for observation in observations:
        kept.setdefault(observation.text, observation)
    return tuple(kept.values())
