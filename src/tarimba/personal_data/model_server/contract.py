"""The contract, read and written strictly: what is asked of `POST /analyze` and what it answers.

Source: the REST API of Presidio Analyzer. Offsets are code points of the text, the end exclusive; scores are
between 0 and 1. No error quotes anything that came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

PERSON: Final = "PERSON"
ORGANIZATION: Final = "ORGANIZATION"
LOCATION: Final = "LOCATION"
VERSION_HEADER: Final = "Tarimba-Detectors-Version"
"""A server that sends it tells what its answers depend on: another value, and stored notes are scanned again."""

LANGUAGES: Final = ("pt", "en", "es")
TEXT_MAX: Final = 20_000
"""Code points of one text."""
ENTITIES_MAX: Final = 64
_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
# Presidio's clients send these; they change what is logged, not what is found.
_PASSED_OVER: Final = frozenset({"correlation_id", "trace"})


class ContractError(Exception):
    """What came breaks the contract; the sentence names the member and its rule."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One text to be searched for some entities; None means all of them."""

    text: str
    language: str
    entities: frozenset[str] | None = None
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Entity:
    """One answer: the kind in Presidio's words and where it stands in the text."""

    kind: str
    start: int
    end: int
    score: float


def ask_json(ask: Ask) -> bytes:
    """The body of a request."""
    body: dict[str, Any] = {"text": ask.text, "language": ask.language, "score_threshold": ask.threshold}
    if ask.entities is not None:
        body["entities"] = sorted(ask.entities)
    return json.dumps(body).encode()


def read_ask(body: bytes) -> Ask:
    """A request as the server takes it. Raises ContractError; members that nobody declared are refused."""
    sent = _object(_json(body), "The body")
    readers: Mapping[str, Callable[[Any], Any]] = {
        "text": _text,
        "language": _language,
        "entities": _entities,
        "score_threshold": _score,
        "return_decision_process": _no,
    }
    unknown = sent.keys() - readers.keys() - _PASSED_OVER
    if unknown:
        raise ContractError(f"There are members besides {', '.join(readers)}.")
    if "text" not in sent or "language" not in sent:
        raise ContractError("text and language are needed.")
    given = {name: read(sent[name]) for name, read in readers.items() if sent.get(name) is not None}
    if "text" not in given or "language" not in given:
        raise ContractError("text and language: must not be null")
    return Ask(given["text"], given["language"], given.get("entities"), given.get("score_threshold", 0.0))


def entities_json(entities: Iterable[Entity]) -> bytes:
    """The body of an answer."""
    items = [
        {"entity_type": entity.kind, "start": entity.start, "end": entity.end, "score": entity.score}
        for entity in entities
    ]
    return json.dumps(items).encode()


def read_entities(body: bytes, size: int) -> tuple[Entity, ...]:
    """An answer about a text of `size` code points. Raises ContractError; members beyond the four are passed over."""
    items = _json(body)
    if not isinstance(items, list):
        raise ContractError("The answer is not an array.")
    return tuple(_entity(item, size) for item in items)


def _entity(item: object, size: int) -> Entity:
    sent = _object(item, "An item of the answer")
    kind, start, end = sent.get("entity_type"), sent.get("start"), sent.get("end")
    if not isinstance(kind, str) or not _NAME.fullmatch(kind):
        raise ContractError("entity_type: must be a name in capitals")
    # The types, not instances of them: true and false are integers too.
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= size:
        raise ContractError("start and end: must be a stretch of the text")
    return Entity(kind, start, end, _score(sent.get("score")))


def _json(body: bytes) -> object:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ContractError("The body is not JSON in UTF-8.") from None


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ContractError(f"{what} is not an object.")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ContractError("text: must be a string")
    return value


def _language(value: object) -> str:
    if value not in LANGUAGES:
        raise ContractError(f"language: must be one of {', '.join(LANGUAGES)}")
    assert isinstance(value, str)
    return value


def _entities(value: object) -> frozenset[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= ENTITIES_MAX:
        raise ContractError(f"entities: must be an array of 1 to {ENTITIES_MAX} names")
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in value):
        raise ContractError("entities: must be names in capitals")
    return frozenset(value)


def _score(value: object) -> float:
    # Not a boolean, which is an integer too; a comparison with not-a-number is false, so that is refused as well.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ContractError("score: must be a number between 0 and 1")
    return float(value)


def _no(value: object) -> None:
    if value is not False:
        raise ContractError("return_decision_process: there is none to return")
