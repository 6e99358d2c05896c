"""The files that graphs travel in: lines of JSON as other memory servers keep them, or one document.

Sources: the file that npm's `@modelcontextprotocol/server-memory` keeps (a `type` of `entity` or `relation` on each
line); that of better-memory-mcp 0.8 (`createdAt` and `timestamp` in milliseconds, `confidence`, `archived`, `merged`,
`mergedInto`), whose descendants name the conversation in `sessionId` or `sourceSessionId`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from tarimba.graph.entries import Fault, Record, Where, read_entity, read_relation
from tarimba.graph.model import Entity, Relation

Format = Literal["jsonl", "better", "json"]
"""`jsonl`: the reference server's; `better`: with times, confidence, conversation; `json`: one document of it all."""

_ARRAYS: Final = ("entities", "relations")
_SPACES: Final = " \t\r\n"
_DECODER: Final = json.JSONDecoder()
_BOM: Final = b"\xef\xbb\xbf"


class UnreadableError(Exception):
    """What should be one document of JSON is none: carries a sentence."""


def read(data: bytes) -> Iterator[Record | Fault]:
    """What a file holds, in its order; of what can't be taken, why. Raises `UnreadableError`."""
    data = data.removeprefix(_BOM)
    if _is_document(data):
        yield from _document(data)
    else:
        yield from _lines(data)


def entity_json(entity: Entity, format_: Format) -> dict[str, Any]:
    """An entity with all its observations, in the members of the format."""
    texts = [one.text for one in entity.observations]
    shown: dict[str, Any] = {"name": entity.name, "entityType": entity.entity_type}
    if format_ == "jsonl":
        return shown | {"observations": texts}
    sources = [
        {"timestamp": _milliseconds(one.created_at)}
        | _given(confidence=one.confidence, sessionId=one.conversation_id)
        for one in entity.observations
    ]
    if format_ == "json":
        shown |= {"observations": texts, "sources": sources}
    else:
        pairs = zip(texts, sources, strict=True)
        shown["observations"] = [{"content": text} | source for text, source in pairs]
    return shown | _standing(entity)


def relation_json(relation: Relation, format_: Format) -> dict[str, Any]:
    """A relation, in the members of the format."""
    shown: dict[str, Any] = {
        "from": relation.source,
        "to": relation.target,
        "relationType": relation.relation_type,
    }
    if format_ == "jsonl":
        return shown
    return (
        shown | {"createdAt": _milliseconds(relation.created_at)} | _given(sessionId=relation.conversation_id)
    )


def _standing(entity: Entity) -> dict[str, Any]:
    shown: dict[str, Any] = {"createdAt": _milliseconds(entity.created_at)}
    if entity.status == "archived":
        shown["archived"] = True
    if entity.status == "merged":
        shown |= {"merged": True, "mergedAt": _milliseconds(entity.changed_at)}
    return shown | _given(mergedInto=entity.merged_into, sessionId=entity.conversation_id)


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _milliseconds(at: int) -> int | float:
    """Whole where they are; a double holds microseconds of this age exactly else."""
    whole, rest = divmod(at, 1000)
    return at / 1000 if rest else whole


def _is_document(data: bytes) -> bool:
    """Whether it is one object of arrays, not a line of a `type`."""
    start = data.lstrip()
    if not start.startswith(b"{"):
        return False
    first = _object(start.split(b"\n", 1)[0])
    if first is not None and "type" in first:
        return False
    if first is not None:
        return any(name in first for name in _ARRAYS)
    # A document over several lines begins with a member, each line of the others with a whole object.
    rest = start[1:].lstrip()
    return rest.startswith(tuple(f'"{name}"'.encode() for name in _ARRAYS))


def _object(line: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _lines(data: bytes) -> Iterator[Record | Fault]:
    at, number = 0, 0
    while at < len(data):
        number += 1
        end = data.find(b"\n", at)
        is_torn = end < 0
        line = data[at : len(data) if is_torn else end].strip()
        at = len(data) if is_torn else end + 1
        if line:
            yield _line(Where("lines", number), line, is_torn=is_torn)


def _line(where: Where, line: bytes, *, is_torn: bool) -> Record | Fault:
    value = _object(line)
    if value is None:
        return Fault(where, _why_not(line, is_torn=is_torn))
    match value.get("type"):
        case "entity":
            return read_entity(where, value)
        case "relation":
            return read_relation(where, value)
    return Fault(where, "type: must be `entity` or `relation`")


def _why_not(line: bytes, *, is_torn: bool) -> str:
    """Why a line is no object. Only what begins as one and stops, as a file that is still written does, is cut off."""
    try:
        _DECODER.decode(line.decode())
    except RecursionError:
        return "is nested too deeply"
    except UnicodeDecodeError as error:
        stops = error.end == len(line) and error.reason == "unexpected end of data"
    except json.JSONDecodeError as error:
        # A string that does not end is told by where it begins.
        stops = error.pos >= len(error.doc) or error.msg.startswith("Unterminated string")
    else:
        stops = False
    return "is cut off" if is_torn and stops and line.startswith(b"{") else "is no JSON object in UTF-8"


def _document(data: bytes) -> Iterator[Record | Fault]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UnreadableError("The file is not in UTF-8.") from None
    scan = _Scan(text)
    scan.take("{")
    more = scan.next() != "}"
    while more:
        name = scan.value()
        scan.take(":")
        if name in _ARRAYS:
            reader = read_entity if name == "entities" else read_relation
            for number, row in enumerate(scan.rows(), start=1):
                where = Where(name, number)
                yield reader(where, row) if isinstance(row, dict) else Fault(where, "is no object")
        else:
            scan.value()
        more = scan.next() == ","
        if more:
            scan.take(",")
    scan.take("}")
    if scan.next():
        raise _unreadable()


class _Scan:
    """A document read value by value, so that never all of it stands in memory as objects."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next(self) -> str:
        """The next character that is no white space, not taken; "" at the end."""
        while self._at < len(self._text) and self._text[self._at] in _SPACES:
            self._at += 1
        return self._text[self._at : self._at + 1]

    def take(self, wanted: str) -> None:
        if self.next() != wanted:
            raise _unreadable()
        self._at += 1

    def value(self) -> Any:
        self.next()
        try:
            found, self._at = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            raise _unreadable() from None
        return found

    def rows(self) -> Iterator[Any]:
        self.take("[")
        more = self.next() != "]"
        while more:
            yield self.value()
            more = self.next() == ","
            if more:
                self.take(",")
        self.take("]")


def _unreadable() -> UnreadableError:
    return UnreadableError("The file is not one readable JSON document.")
