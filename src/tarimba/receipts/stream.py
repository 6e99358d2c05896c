"""The log in its own order, for who copies it elsewhere: from a place on, every receipt, none twice.

A pull that gives out receipts leaves one itself. So that followers don't feed each other for ever, the receipts of
pulls are no news: they wait in the log until anything else has happened, and go out with that, in their places. A pull
that finds no news gives out nothing and leaves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.receipts.index import position
from tarimba.receipts.model import Recorded
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.search import leave

LIMIT: Final = 100
LIMIT_MAX: Final = 1000
# The receipt of an import names every note: a page ends after so many bytes, however few receipts they are.
BYTES_MAX: Final = 4 * 1024 * 1024
# So many receipts of pulls in a row are news after all: nobody reads on and on for one that is not.
_LOOKED_AT: Final = 2000
_ACTION: Final = "receipts.search"


@dataclass(frozen=True, slots=True)
class Pulled:
    """Receipts in the order of the log, each as its JSON in one line, and the place and leaf of the last one.

    Without news there are none, `last` and `leaf` are what the pull began with, and there is no receipt of it.
    """

    lines: tuple[bytes, ...]
    last: int
    leaf: str | None
    recorded: Recorded | None


def pull(
    kernel: Kernel, principal: Principal, after: int = -1, limit: int = LIMIT, leaf: str | None = None
) -> Pulled:
    """What the log has behind the place `after`; -1 is its beginning. `leaf` is the hash (hex) that was read there.

    Raises 403, and 409 when the log has no such place or another receipt in it: then it is not the one that was
    followed. Only with `leaf` is that known once a log that was put back has grown past the place.
    """
    allow(principal, "receipts")
    found = _found(kernel, principal.space_id, after, limit, leaf)
    if not found:
        return Pulled((), after, leaf, None)
    lines = tuple(_line(stored) for stored in found)
    lines = lines[: _fitting(lines)]
    recorded = leave(kernel, principal, {"asked": {"after": after}, "returned": len(lines)})
    last = found[len(lines) - 1]
    return Pulled(lines, last.seq, last.leaf.hex(), recorded)


def _found(kernel: Kernel, space_id: str, after: int, limit: int, leaf: str | None) -> list[Stored]:
    """The next receipts, if there are any but those of pulls among all that follow."""
    with kernel.database.read() as connection:
        size = position(connection, space_id).size
        if after >= size:
            says = "The log is shorter than that: it was put back to an earlier state, or it is of another space."
            raise Refusal("conflict", says)
        reader = LogReader(connection, space_id, kernel.cold)
        if leaf is not None:
            _require_same(reader, after, leaf)
        items: list[Stored] = []
        is_news = size - after > _LOOKED_AT
        for stored in reader.span(after + 1, size):
            if len(items) < limit:
                items.append(stored)
            is_news = is_news or not _is_pull(stored.document)
            if is_news and len(items) == limit:
                break
    return items if is_news else []


def _require_same(reader: LogReader, after: int, leaf: str) -> None:
    """The receipt at the place must be the one that the follower has."""
    if any(stored.leaf.hex() != leaf for stored in reader.span(max(after, 0), after + 1)):
        says = "The log has another receipt there: it was put back to an earlier state and has grown since."
        raise Refusal("conflict", says)


def _is_pull(document: Mapping[str, Any]) -> bool:
    """Whether the receipt is one of a pull. A log that was altered may hold anything."""
    detail = document.get("detail")
    asked = detail.get("asked") if isinstance(detail, dict) else None
    return document.get("action") == _ACTION and isinstance(asked, dict) and asked.keys() == {"after"}


def _line(stored: Stored) -> bytes:
    return json.dumps(stored.as_json(), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _fitting(lines: tuple[bytes, ...]) -> int:
    """How many of them make a page: one at least."""
    total = 0
    for number, line in enumerate(lines):
        total += len(line)
        if number and total > BYTES_MAX:
            return number
    return len(lines)
