"""The small customer memory of ours: the masked turns that agents recorded, and nothing derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from sqlalchemy import Connection, Row

from tarimba.conversations import neighbour_store as store
from tarimba.conversations.context_text import TURNS_MAX, shortened
from tarimba.conversations.handles import handle_mac
from tarimba.conversations.neighbour import (
    LEVELS,
    Asked,
    CustomerHandle,
    Item,
    Level,
    Opened,
    Pack,
    Pin,
    Said,
    Window,
)
from tarimba.ids import is_id
from tarimba.spaces import SpaceKeys
from tarimba.storage import Database

# A search looks at the newest turns of one customer, and at the beginning of each.
SEARCHED_MAX: Final = 1000
SEARCHED_CHARACTERS: Final = 2000
ITEM_CHARACTERS: Final = 600
OPENED_CHARACTERS: Final = 4000
_AROUND: Final = 10
# On the wire a message is an episode of the customer's history: opening it shows the conversation around it.
_KINDS: Final[Mapping[str, str]] = {"message": "episode"}
_TURN_KINDS: Final[Mapping[str, str]] = {wire: kind for kind, wire in _KINDS.items()}


class Folding(Protocol):
    """What makes words comparable."""

    def counting(self, query: str) -> Callable[[str], int] | None:
        """How many words of the query a text has; None for a query without words."""
        ...


@dataclass(frozen=True, slots=True)
class _Found:
    """Who is meant: the profiles, the rows of the conversation, what may be read, and the level that is proven."""

    profiles: frozenset[str]
    refs: frozenset[str]
    level: Level
    is_claimed: bool


class TurnsMemory:
    """`CustomerMemory` over the tables of conversations."""

    def __init__(self, database: Database, keys: SpaceKeys, words: Folding) -> None:
        self._database = database
        self._keys = keys
        self._words = words

    def customer(self, space_id: str, handle: CustomerHandle) -> str:
        """The MAC under which turns keep the handle."""
        return handle_mac(self._keys.of(space_id), handle.type, handle.value, handle.scope)

    def pack(self, asked: Asked, pin: Pin | None) -> Pack:
        with self._database.read() as connection:
            found = _find(connection, asked)
            proven = found.level in LEVELS[1:]
            scope = _whole(asked, found) if proven else _within(asked, found)
            rows = store.newest(connection, scope, TURNS_MAX, until=None if pin is None else pin.ordinal)
        return Pack(tuple(Said(_role(row), _text(row)) for row in rows), found.level)

    def search(self, asked: Asked, query: str, window: Window, limit: int) -> tuple[Item, ...]:
        count = self._words.counting(query)
        if count is None:
            return ()
        with self._database.read() as connection:
            scope = _scope(asked, _find(connection, asked))
            rows = store.newest(connection, scope, SEARCHED_MAX, window=_of_turns(window))
        scored = ((count(_text(row)[:SEARCHED_CHARACTERS]), row) for row in rows)
        best = sorted((-score, -row.ordinal, row) for score, row in scored if score)
        return tuple(_item(row) for _, _, row in best[:limit])

    def timeline(self, asked: Asked, window: Window, before: int | None, limit: int) -> tuple[Item, ...]:
        with self._database.read() as connection:
            scope = _scope(asked, _find(connection, asked))
            rows = store.newest(connection, scope, limit, window=_of_turns(window), before=before)
        return tuple(map(_item, rows))

    def opened(self, asked: Asked, item_id: str) -> Opened | None:
        if not is_id(item_id):
            return None
        of_anybody = asked.customer is None and asked.talk is None
        with self._database.read() as connection:
            scope = _scope(asked, _find(connection, asked))
            row = store.one(connection, scope, item_id, of_anybody=of_anybody)
            if row is None:
                return None
            rows = [row] if of_anybody else store.around(connection, scope, row, _AROUND)
        lines = [_line(one, OPENED_CHARACTERS if one is row else ITEM_CHARACTERS) for one in rows]
        return Opened(item_id, _kind(row), tuple(lines))


def _find(connection: Connection, asked: Asked) -> _Found:
    """Who is meant, in one snapshot. A conversation proves a level only for its own customer."""
    rows: Sequence[Row[Any]] = ()
    if asked.talk is not None:
        rows = store.talks(connection, asked.space_id, _vendor(asked), asked.talk)
    if asked.customer is not None:
        profiles = store.profiles_of(connection, asked.space_id, _vendor(asked), asked.customer)
    else:
        known = next((row.profile_id for row in rows if row.profile_id is not None), None)
        profiles = store.customer(connection, asked.space_id, _vendor(asked), known)
    about = [row for row in rows if row.profile_id in profiles]
    claimed = bool(about) and all(row.link == "unconfirmed" for row in about)
    proven = [_rank(row.level) for row in about if row.link != "unconfirmed"]
    refs = frozenset(row.conversation_ref for row in rows)
    return _Found(profiles, refs, _level(asked.level, max(proven, default=0)), claimed)


def _scope(asked: Asked, found: _Found) -> store.Scope:
    """For the history: the whole customer, unless only somebody's claim in this conversation says who they are."""
    whole = found.profiles and not (asked.customer is None and found.is_claimed)
    return _whole(asked, found) if whole else _within(asked, found)


def _whole(asked: Asked, found: _Found) -> store.Scope:
    return store.Scope(asked.space_id, _vendor(asked), found.profiles)


def _within(asked: Asked, found: _Found) -> store.Scope:
    return store.Scope(asked.space_id, _vendor(asked), found.profiles, found.refs)


def _vendor(asked: Asked) -> str | None:
    return None if asked.across_vendors else asked.vendor_id


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 0


def _level(asked: Level, proven: int) -> Level:
    return asked if asked == "no_customer" else LEVELS[min(_rank(asked), proven)]


def _of_turns(window: Window) -> Window:
    """The window in the words of the table."""
    return replace(window, kinds=frozenset(_TURN_KINDS.get(kind, kind) for kind in window.kinds))


def _role(row: Row[Any]) -> str:
    return str(row.role if row.kind == "message" else row.kind)


def _kind(row: Row[Any]) -> str:
    return _KINDS.get(row.kind, row.kind)


def _text(row: Row[Any]) -> str:
    """What was said; of an action what was done, why, and what came of it."""
    if row.operation is None:
        return row.text or ""
    purpose = f" ({row.purpose})" if row.purpose else ""
    result = row.result or row.text
    return f"{row.operation}{purpose}: {result}" if result else f"{row.operation}{purpose}"


def _line(row: Row[Any], most: int) -> str:
    return f"{_role(row)}: {shortened(_text(row), most)}"


def _item(row: Row[Any]) -> Item:
    return Item(row.turn_id, _kind(row), _line(row, ITEM_CHARACTERS), row.occurred_at, row.ordinal)
