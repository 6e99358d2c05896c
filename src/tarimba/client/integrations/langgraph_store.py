"""LangGraph: `create_agent(..., store=NotesStore())`, and the agent's notes are a store of LangGraph.

    from tarimba.client.integrations.langgraph_store import NotesStore

    store = NotesStore()
    store.put(("agent_memory", "procedure"), "Credit an invoice", {"body": "Call post_credit with whole cents."})
    found = store.search(("agent_memory",), query="how is an invoice credited?")

A note is the item under `("agent_memory", <kind>)` whose key is its title (of several, the newest); its value is
`{"body": str, "tags": [str, ...]}`, `tags` only where there are some. `put` keeps a note or makes a new version of it,
`delete` retires it; where people decide about notes, either waits for them. A read that fails is empty, like all reads
of notes; a write that is refused (personal data, a full memory, a missing scope) raises TarimbaError with what to do.

Unlike LangGraph's own stores: other namespaces are empty and take nothing; a search with a query ranks by meaning, over
at most 20 notes and without scores; one without gives the newest first. Nothing expires by TTL.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from tarimba.client import wire
from tarimba.client.async_client import AsyncTarimba
from tarimba.client.core import Steps
from tarimba.client.errors import InvalidInputError, NotConfiguredError, TarimbaError
from tarimba.client.integrations.langgraph_filter import matches
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.models import FoundNotes, Note, Shape

ROOT: Final = "agent_memory"
KINDS: Final = ("pitfall", "procedure", "process_note", "tool_note")
_RANKED: Final = 20
_PAGE: Final = 100
# More notes than people have an agent keep. A server that goes on all the same is not followed for ever.
_PAGES: Final = 100


class _Page(Shape):
    items: tuple[Note, ...]
    next_cursor: str | None = None


class NotesStore(BaseStore):
    """The notes of an agent as a store. `agent_memory` is True, a client, or `Notes`."""

    def __init__(self, agent_memory: AgentMemoryLike = True) -> None:
        notes = Notes.of(agent_memory)
        if notes is None:
            raise NotConfiguredError(
                "not_configured", "A store of notes needs the agent's memory: give a client."
            )
        self._threaded = notes.client
        self._awaited = AsyncTarimba.over(notes.client)
        self._core = notes.client.settled.core
        self._budgets = notes.client.settled.options.budgets

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._threaded._run(self._steps(list(ops)))  # noqa: SLF001 - our own

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._awaited._run(self._steps(list(ops)))  # noqa: SLF001 - our own

    def _steps(self, ops: list[Op]) -> Steps[list[Result]]:
        """Reads see what was there before the batch; of several writes of one item the last counts."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                results.append((yield from self._read(op)))
        for put in puts.values():
            yield from self._write(put)
        return results

    def _read(self, op: Op) -> Steps[Result]:
        try:
            if isinstance(op, GetOp):
                note = yield from self._find(op.namespace, op.key)
                return _item(note) if note is not None else None
            if isinstance(op, SearchOp):
                return (yield from self._search(op))
            if isinstance(op, ListNamespacesOp):
                return (yield from self._namespaces(op))
        except TarimbaError as error:
            self._core.settle("store", error)
            return None if isinstance(op, GetOp) else []
        raise ValueError("A store takes GetOp, SearchOp, ListNamespacesOp and PutOp only.")

    def _find(self, namespace: tuple[str, ...], title: str) -> Steps[Note | None]:
        """The newest active note of that title."""
        if len(namespace) != 2 or not _kinds(namespace):
            return None
        cursor: str | None = None
        for _ in range(_PAGES):
            page = yield from self._page(namespace[1], cursor)
            for note in page.items:
                if note.title == title:
                    return note
            cursor = page.next_cursor
            if cursor is None:
                return None
        raise _too_many()

    def _search(self, op: SearchOp) -> Steps[list[SearchItem]]:
        kinds = _kinds(op.namespace_prefix)
        if not kinds:
            return []
        notes = (yield from self._ranked(op)) if op.query else (yield from self._newest(op, kinds))
        return [_found(note) for note in _wanted(notes, kinds, op)][op.offset : op.offset + op.limit]

    def _ranked(self, op: SearchOp) -> Steps[list[Note]]:
        request = wire.search_request(op.query or "", (), _RANKED, None, None)
        response = yield from self._call(request, self._budgets.search)
        return list(wire.read(response, FoundNotes).notes)

    def _newest(self, op: SearchOp, kinds: tuple[str, ...]) -> Steps[list[Note]]:
        """Pages until there are enough that match."""
        notes: list[Note] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            page = yield from self._page(kinds[0] if len(kinds) == 1 else None, cursor)
            notes += page.items
            cursor = page.next_cursor
            if cursor is None or len(list(_wanted(notes, kinds, op))) >= op.offset + op.limit:
                return notes
        raise _too_many()

    def _namespaces(self, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
        found: set[tuple[str, ...]] = set()
        for kind in KINDS:
            namespace = (ROOT, kind)
            if all(_fits(namespace, condition) for condition in op.match_conditions or ()):
                page = yield from self._page(kind, None, 1)
                found |= {namespace[: op.max_depth]} if page.items else set()
        return sorted(found)[op.offset : op.offset + op.limit]

    def _write(self, op: PutOp) -> Steps[None]:
        if op.value is None:
            note = yield from self._find(op.namespace, op.key)
            if note is not None:
                yield from self._post(f"{wire.NOTES}/{note.note_id}/retire", {})
            return
        if len(op.namespace) != 2 or not _kinds(op.namespace):
            raise InvalidInputError(
                "invalid_input", "namespace: must be agent_memory and a kind of note, such as procedure"
            )
        value = _value(op.value)
        note = yield from self._find(op.namespace, op.key)
        if note is None:
            yield from self._post(wire.NOTES, {"kind": op.namespace[1], "title": op.key, **value})
        elif _content(note) != _content_of(value):
            yield from self._post(f"{wire.NOTES}/{note.note_id}", {"tags": [], **value}, "PATCH")

    def _post(self, path: str, document: Mapping[str, Any], method: str = "POST") -> Steps[None]:
        headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
        body = json.dumps(document).encode()
        try:
            yield from self._call(
                wire.Request(method, path, body=body, headers=headers), self._budgets.remember
            )
        finally:
            # Also after a failure: a call that took too long may have changed the notes all the same.
            self._core.cache.drop()

    def _page(self, kind: str | None, cursor: str | None, limit: int = _PAGE) -> Steps[_Page]:
        said = {"status": "active", "kind": kind, "cursor": cursor, "limit": limit}
        query = urlencode({name: value for name, value in said.items() if value is not None})
        response = yield from self._call(wire.Request("GET", wire.NOTES, query=query), self._budgets.search)
        return wire.read(response, _Page)

    def _call(self, request: wire.Request, seconds: float) -> Steps[wire.Response]:
        return (yield from self._core.call(request, seconds))


def _too_many() -> InvalidInputError:
    """Told, since what lies beyond would be missing from a list, and be written a second time."""
    return InvalidInputError(
        "too_many_notes", f"The agent has more than {_PAGES * _PAGE} notes: search with a query instead."
    )


def _kinds(prefix: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds of notes under a namespace or its beginning."""
    return tuple(kind for kind in KINDS if (ROOT, kind)[: len(prefix)] == prefix)


def _wanted(notes: Iterable[Note], kinds: tuple[str, ...], op: SearchOp) -> Iterator[Note]:
    return (note for note in notes if note.kind in kinds and matches(_content(note), op.filter))


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(
        wanted in {"*", label} for wanted, label in zip(path, part, strict=True)
    )


def _value(value: Mapping[str, Any]) -> dict[str, Any]:
    if set(value) <= {"body", "tags"} and "body" in value:
        return dict(value)
    raise InvalidInputError("invalid_input", "value: a note has a body and, where wanted, tags; nothing else")


def _content_of(value: Mapping[str, Any]) -> dict[str, Any]:
    tags = list(value.get("tags") or ())
    return {"body": value["body"], **({"tags": tags} if tags else {})}


def _content(note: Note) -> dict[str, Any]:
    return _content_of({"body": note.body, "tags": note.tags})


def _item(note: Note) -> Item:
    return Item(**_fields(note))


def _found(note: Note) -> SearchItem:
    return SearchItem(**_fields(note))


def _fields(note: Note) -> dict[str, Any]:
    return {
        "namespace": (ROOT, note.kind),
        "key": note.title,
        "value": _content(note),
        "created_at": note.created_at,
        "updated_at": note.created_at,
    }
