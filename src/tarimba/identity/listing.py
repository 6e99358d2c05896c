"""Pages of a list: where it goes on, and the cursor that says so to nobody but us."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Column, Connection, Row, Select

from tarimba.errors import invalid
from tarimba.vault import SpaceKey


class Numbered(Protocol):
    @property
    def ordinal(self) -> int: ...


N = TypeVar("N", bound=Numbered)
_PURPOSE = "list-cursor"
_MAC_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list that is wanted: at most `limit` entries after the ordinal `after`."""

    limit: int
    after: int = 0


@dataclass(frozen=True, slots=True)
class Page(Generic[N]):
    """`ends_at` is the ordinal of the last entry when there are more, else None."""

    items: tuple[N, ...]
    ends_at: int | None


def rows_of(
    connection: Connection, query: Select[Any], ordinal: Column[Any], window: Window
) -> Sequence[Row[Any]]:
    """One row more than the page holds: that is how its end is known."""
    after = query.where(ordinal > window.after).order_by(ordinal).limit(window.limit + 1)
    return connection.execute(after).all()


def page_of(items: Sequence[N], window: Window) -> Page[N]:
    shown = tuple(items[: window.limit])
    return Page(shown, shown[-1].ordinal if len(items) > window.limit else None)


def write_cursor(key: SpaceKey, scope: str, ordinal: int) -> str:
    """The cursor after `ordinal`, good only for `scope`: the list, its filter and the actor."""
    mac = key.mac(_PURPOSE, f"{scope}\0{ordinal}")[:_MAC_CHARACTERS]
    return base64.urlsafe_b64encode(f"{ordinal}.{mac}".encode()).decode().rstrip("=")


def read_cursor(key: SpaceKey, scope: str, cursor: str | None) -> int:
    """The ordinal in a cursor, 0 without one. Raises 422 for one that this list did not give this caller."""
    if cursor is None:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        raise _foreign() from None
    ordinal = text.partition(".")[0]
    if not ordinal.isdecimal() or not hmac.compare_digest(write_cursor(key, scope, int(ordinal)), cursor):
        raise _foreign()
    return int(ordinal)


def _foreign() -> Exception:
    return invalid("cursor", "must be the next_cursor of this very list, given to you")
