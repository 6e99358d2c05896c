"""The function tools of the notes, ready for any framework: a definition, and what a call answers as text.

A call never raises: what went wrong is told to the model in words that it can act on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tarimba.client.definitions import REMEMBER, SEARCH
from tarimba.client.models import Found, Remembered

Arguments = Mapping[str, Any]
T = TypeVar("T")

_AWAY: Final = "The notes can't be read now. Go on without them."
_NOT_KEPT: Final = "The note was not kept."
_WITHOUT: Final = "Say the same without them, so that it helps with every customer, or keep nothing."


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: `parameters` is JSON Schema; `run` and `arun` take the model's arguments and give the text for it."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(repr=False)
    run: Callable[[Arguments], str] = field(repr=False)
    arun: Callable[[Arguments], Awaitable[str]] = field(repr=False)

    @property
    def definition(self) -> dict[str, Any]:
        """In the form of function calling: `{"type": "function", "function": {name, description, parameters}}`."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """What carries tools out: the calls of a client, waited for in both ways."""

    search: Callable[..., Found]
    asearch: Callable[..., Awaitable[Found]]
    remember: Callable[..., Remembered]
    aremember: Callable[..., Awaitable[Remembered]]

    def tools(self, definitions: Iterable[Mapping[str, Any]], *, write: bool) -> tuple[Tool, ...]:
        """Those of the defined tools that are known here; `remember` only where it is asked for."""
        wanted = {SEARCH, REMEMBER} if write else {SEARCH}
        functions = (one.get("function", {}) for one in definitions)
        return tuple(self._tool(one) for one in functions if one.get("name") in wanted)

    def _tool(self, function: Mapping[str, Any]) -> Tool:
        is_search = function["name"] == SEARCH
        return Tool(
            function["name"],
            str(function.get("description", "")),
            function.get("parameters", {}),
            self._search if is_search else self._remember,
            self._asearch if is_search else self._aremember,
        )

    def _search(self, given: Arguments) -> str:
        asked = _question(given)
        return found(self.search(asked[0], tags=asked[1])) if asked else _asks_for("query")

    async def _asearch(self, given: Arguments) -> str:
        asked = _question(given)
        return found(await self.asearch(asked[0], tags=asked[1])) if asked else _asks_for("query")

    def _remember(self, given: Arguments) -> str:
        note = _note(given)
        return kept(self.remember(**note)) if note else _asks_for("kind, title and body")

    async def _aremember(self, given: Arguments) -> str:
        note = _note(given)
        return kept(await self.aremember(**note)) if note else _asks_for("kind, title and body")


def in_thread(call: Callable[..., T]) -> Callable[..., Awaitable[T]]:
    """A call that waits, for programs of asyncio that have no client of their own kind."""

    async def waited(*given: Any, **named: Any) -> T:
        return await asyncio.to_thread(call, *given, **named)

    return waited


def found(notes: Found) -> str:
    """What a model is told of a search: JSON, best first; or a sentence."""
    if notes.error is not None:
        return _json({"error": notes.error, "detail": notes.detail or _AWAY, "notes": []})
    shown = [
        {"note_id": one.note_id, "kind": one.kind, "title": one.title, "body": one.body, "tags": one.tags}
        for one in notes
    ]
    return _json({"notes": shown})


def kept(note: Remembered) -> str:
    """What a model is told of a note that it wrote: what became of it, and what to mend."""
    if note.error is None:
        told = {"note_id": note.note.note_id if note.note else None, "proposal_id": note.proposal_id}
        warnings = [one.detail for one in note.warnings]
        return _json({name: value for name, value in (told | {"warnings": warnings}).items() if value})
    return _json({"error": note.error, "detail": _refused(note)})


def _refused(note: Remembered) -> str:
    if note.kinds:
        return f"{_NOT_KEPT} It holds personal data: {', '.join(note.kinds)}. {_WITHOUT}"
    again = f" Try again in {note.retry_after:.0f} seconds." if note.retry_after else ""
    return f"{note.detail or _NOT_KEPT}{again}"


def _question(given: Arguments) -> tuple[str, list[str]] | None:
    query = given.get("query")
    return (query, _tags(given)) if isinstance(query, str) and query.strip() else None


def _note(given: Arguments) -> dict[str, Any] | None:
    said = {name: given.get(name) for name in ("kind", "title", "body")}
    if not all(isinstance(value, str) and value for value in said.values()):
        return None
    return said | {"tags": _tags(given)}


def _tags(given: Arguments) -> list[str]:
    """Models send a lone string, or null, in the place of a list."""
    tags = given.get("tags") or []
    listed = [tags] if isinstance(tags, str) else tags
    return [tag for tag in listed if isinstance(tag, str)] if isinstance(listed, list | tuple) else []


def _asks_for(names: str) -> str:
    return _json({"error": "invalid_input", "detail": f"This tool takes {names} as text."})


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
