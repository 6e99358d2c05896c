"""Pages of a list: the part that is wanted and where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Column, Connection, Row, Select


class Numbered(Protocol):
    @property
    def ordinal(self) -> int: ...


N = TypeVar("N", bound=Numbered)


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
