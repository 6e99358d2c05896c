"""One entity or one relation of a file, read strictly: what it says, or why it can't be taken in. Pure.

A reason names a member and a rule, never what stood there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from tarimba.clock import from_datetime
from tarimba.errors import Refusal, invalid
from tarimba.graph.model import NAME_MAX, OBSERVATION_MAX, TYPE_MAX, NewObservation
from tarimba.graph.rules import require_text
from tarimba.text import GateError, caller_id

# The end of the year 9999: what no clock of any file means.
_MOMENT_MAX: Final = 253_402_300_800_000_000
_TIMES: Final = ("createdAt", "timestamp")
_CONVERSATIONS: Final = ("sessionId", "sourceSessionId", "conversationId")


@dataclass(frozen=True, slots=True)
class Where:
    """The place in a file: a line, or an entry of one of a document's arrays, counted from 1."""

    part: Literal["lines", "entities", "relations"]
    number: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What is refused, and why."""

    where: Where
    reason: str


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity of a file. Times are in microseconds, None where the file says none."""

    where: Where
    name: str
    entity_type: str
    observations: tuple[NewObservation, ...]
    conversation_id: str | None = None
    created_at: int | None = None
    is_archived: bool = False
    merged_into: str | None = None


@dataclass(frozen=True, slots=True)
class RelationRecord:
    where: Where
    source: str
    target: str
    relation_type: str
    conversation_id: str | None = None
    created_at: int | None = None


Record: TypeAlias = EntityRecord | RelationRecord


def read_entity(where: Where, row: Mapping[str, Any]) -> EntityRecord | Fault:
    try:
        return EntityRecord(
            where=where,
            name=_text(row, "name", NAME_MAX),
            entity_type=_text(row, "entityType", TYPE_MAX, least=0),
            observations=_observations(row),
            conversation_id=_conversation(row, ""),
            created_at=_moment(row, ""),
            is_archived=_flag(row, "archived"),
            merged_into=_text(row, "mergedInto", NAME_MAX) if _flag(row, "merged") else None,
        )
    except Refusal as refusal:
        return Fault(where, refusal.detail)


def read_relation(where: Where, row: Mapping[str, Any]) -> RelationRecord | Fault:
    try:
        return RelationRecord(
            where=where,
            source=_text(row, "from", NAME_MAX),
            target=_text(row, "to", NAME_MAX),
            relation_type=_text(row, "relationType", TYPE_MAX),
            conversation_id=_conversation(row, ""),
            created_at=_moment(row, ""),
        )
    except Refusal as refusal:
        return Fault(where, refusal.detail)


def _observations(row: Mapping[str, Any]) -> tuple[NewObservation, ...]:
    """Each a text or an object; a single text may stand alone. The first of equal ones counts.

    Beside texts `sources` may say where each is from.
    """
    found = row.get("observations", [])
    if isinstance(found, str):
        found = [found]
    sources = row.get("sources")
    if not isinstance(found, list):
        raise invalid("observations", "must be an array")
    if sources is not None and (not isinstance(sources, list) or len(sources) != len(found)):
        raise invalid("sources", "must be an array with an entry for each observation")
    kept: dict[str, NewObservation] = {}
    for at, one in enumerate(found):
        place = f"observations[{at}]"
        read = _observation(one, None if sources is None else sources[at], place)
        kept.setdefault(read.text, read)
    return tuple(kept.values())


def _observation(one: Any, source: Any, place: str) -> NewObservation:
    if isinstance(one, dict):
        name = "content" if "content" in one else "text"
        text, about = one.get(name), one
    else:
        text, about = one, source if source is not None else {}
    if not isinstance(text, str) or not isinstance(about, dict):
        raise invalid(place, "must be a text, or an object with its text in `content`")
    require_text(place, text, OBSERVATION_MAX)
    return NewObservation(text, _confidence(about, place), _conversation(about, place), _moment(about, place))


def _text(row: Mapping[str, Any], name: str, most: int, *, least: int = 1) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise invalid(name, "must be a text")
    require_text(name, value, most, least=least)
    return value


def _flag(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise invalid(name, "must be true or false")


def _confidence(row: Mapping[str, Any], place: str) -> float | None:
    value = row.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise invalid(_member(place, "confidence"), "must be a number from 0 to 1")
    return float(value)


def _conversation(row: Mapping[str, Any], place: str) -> str | None:
    for name in _CONVERSATIONS:
        value = row.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise invalid(_member(place, name), "must be a text")
        try:
            return caller_id(value, field=name)
        except GateError:
            raise invalid(_member(place, name), "can't be the id of a conversation") from None
    return None


def _moment(row: Mapping[str, Any], place: str) -> int | None:
    for name in _TIMES:
        value = row.get(name)
        if value is None:
            continue
        found = _microseconds(value)
        if found is None or not 0 <= found < _MOMENT_MAX:
            raise invalid(_member(place, name), "must be milliseconds since 1970, or a time in ISO 8601")
        return found
    return None


def _microseconds(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return round(value * 1000) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        # A time without a zone is what many files mean by UTC.
        return from_datetime(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _member(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
