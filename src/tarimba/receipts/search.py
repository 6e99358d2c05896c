"""Asking the log: which receipts name a conversation, a note, an agent, an actor, an act, a time.

Newest first, by pages. What the index says is compared with the receipts themselves, and the newest receipts,
which it may not have yet, are read one by one. Every search leaves a receipt of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, exists, func, select

from tarimba.clock import rfc3339
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.ids import is_id
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.receipts.index import Position, hour_ref, index, position, refs_of
from tarimba.receipts.model import KINDS, Receipt, Recorded
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.service import record_read
from tarimba.storage.tables import receipt_ref
from tarimba.vault import SpaceKey

LIMIT: Final = 20
LIMIT_MAX: Final = 100
# A page reads at most so many receipts; then it ends early and its cursor goes on from there.
READ_MAX: Final = 2000
# A tail up to this length is read with each search; a longer one is indexed first, in so many pieces at most.
TAIL_MAX: Final = 500
PIECES_MAX: Final = 200
_IDS_A_QUERY: Final = 200
# So many rows tell a rare reference from a common one.
_PROBED: Final = 1000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; every part that is given must hold.

    `start` (inclusive) and `end` (exclusive) are microseconds; conversation and task are the caller's own ids.
    """

    conversation_id: str | None = None
    task_id: str | None = None
    source_id: str | None = None
    note_id: str | None = None
    proposal_id: str | None = None
    kind: str | None = None
    action: str | None = None
    actor: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Receipts, newest first, the cursor of the next page, and the receipt of having asked."""

    items: tuple[Stored, ...]
    next_cursor: str | None
    recorded: Recorded


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question in the words of the index; `start` and `end` are RFC 3339 in UTC, which sort like times."""

    refs: tuple[str, ...]
    start: str = ""
    end: str = ""
    kind: str | None = None

    def holds(self, document: dict[str, Any]) -> bool:
        at = str(document.get("at", ""))
        in_time = self.start <= at and (not self.end or at < self.end)
        in_kind = self.kind is None or document.get("kind") == self.kind
        return in_time and in_kind and refs_of(document).issuperset(self.refs)


# Where receipts that are wanted may be: see `candidates`.
Places = Callable[[Connection, str, Wanted, Position, int], Iterator[int]]


def search(
    kernel: Kernel, principal: Principal, question: Question, *, cursor: str | None = None, limit: int = LIMIT
) -> Page:
    """One page of the receipts that answer the question.

    A page may hold fewer than `limit` and still have a next one. Raises 403, 422 for an act that is none of ours
    or a cursor of another search, and 503 while a long log is being indexed.
    """
    allow(principal, "receipts")
    key = kernel.keys.of(principal.space_id)
    wanted = _wanted(question, key)
    scope = _scope(principal, wanted)
    before = None if cursor is None else read_cursor(key, scope, cursor)
    items, next_before = _page(kernel, principal.space_id, wanted, before, limit)
    asked = _asked(question, key)
    detail = {"asked": asked, "limit": limit, "continued": cursor is not None, "returned": len(items)}
    recorded = leave(kernel, principal, detail)
    next_cursor = None if next_before is None else write_cursor(key, scope, next_before)
    return Page(tuple(items), next_cursor, recorded)


def get(kernel: Kernel, principal: Principal, receipt_id: str) -> tuple[Stored, Recorded]:
    """One receipt by its id, and the receipt of having asked. Raises 403, 404 and 503."""
    allow(principal, "receipts")
    found: list[Stored] = []
    if is_id(receipt_id):
        wanted = Wanted((f"receipt:{receipt_id}",))
        found, _ = _page(kernel, principal.space_id, wanted, None, 1, _indexed_first)
    if not found:
        raise not_found("receipt")
    asked = {"receipt": kernel.keys.of(principal.space_id).commit(receipt_id)}
    return found[0], leave(kernel, principal, {"asked": asked, "returned": 1})


def leave(kernel: Kernel, principal: Principal, detail: dict[str, Any]) -> Recorded:
    """The receipt of having asked the log."""
    receipt = Receipt("receipts.search", principal.actor, principal.via, detail=detail)
    return record_read(kernel.writer, principal.space_id, receipt)


def _wanted(question: Question, key: SpaceKey) -> Wanted:
    if question.action is not None and question.action not in KINDS:
        raise invalid("action", "must be an action that leaves receipts")
    named = {
        "conversation": question.conversation_id and key.commit(question.conversation_id),
        "task": question.task_id and key.commit(question.task_id),
        "source": question.source_id,
        "note": question.note_id,
        "proposal": question.proposal_id,
        "kind": "admin" if question.kind == "admin" else None,
        "action": question.action,
        "actor": question.actor,
    }
    refs = tuple(f"{word}:{value}" for word, value in named.items() if value is not None)
    start, end = ("" if moment is None else rfc3339(moment) for moment in (question.start, question.end))
    return Wanted(refs, start, end, question.kind)


def _asked(question: Question, key: SpaceKey) -> dict[str, str]:
    """What was asked, for the receipt: codes and times as they are, what else a caller sent as commitments."""
    free = {
        "conversation": question.conversation_id,
        "task": question.task_id,
        "source": question.source_id,
        "note": question.note_id,
        "proposal": question.proposal_id,
        "actor": question.actor,
    }
    asked = {name: key.commit(value) for name, value in free.items() if value is not None}
    plain = {
        "kind": question.kind,
        "action": question.action,
        "from": None if question.start is None else rfc3339(question.start),
        "to": None if question.end is None else rfc3339(question.end),
    }
    return asked | {name: value for name, value in plain.items() if value is not None}


def _scope(principal: Principal, wanted: Wanted) -> str:
    """What a cursor is bound to: this question by this caller."""
    about = (wanted.start, wanted.end, wanted.kind)
    return json.dumps(["receipts", principal.kind, principal.id, *about, *wanted.refs])


def _page(
    kernel: Kernel,
    space_id: str,
    wanted: Wanted,
    before: int | None,
    limit: int,
    places: Places | None = None,
) -> tuple[list[Stored], int | None]:
    """Up to `limit` receipts below `before`, and the position below which the next page begins."""
    _catch_up(kernel, space_id)
    found: list[Stored] = []
    with kernel.database.read() as connection:
        at = position(connection, space_id)
        reader = LogReader(connection, space_id, kernel.cold)
        top = at.size if before is None else min(before, at.size)
        for read, seq in enumerate((places or candidates)(connection, space_id, wanted, at, top)):
            if read == READ_MAX:
                return found, seq + 1
            stored = reader.read(seq)
            if not wanted.holds(stored.document):
                continue
            if len(found) == limit:
                return found, seq + 1
            found.append(stored)
    return found, None


def _catch_up(kernel: Kernel, space_id: str) -> None:
    with kernel.database.read() as connection:
        tail = position(connection, space_id).tail
    if tail > TAIL_MAX and index(kernel, space_id, chunks_max=PIECES_MAX) > TAIL_MAX:
        says = "The log is being indexed. Ask again in a moment: what is done stays done."
        raise Refusal("unavailable", says, retry_after=1)


def candidates(
    connection: Connection, space_id: str, wanted: Wanted, at: Position, top: int
) -> Iterator[int]:
    """Positions below `top` that may hold what is wanted, newest first: all of the tail, then the index's."""
    yield from range(top - 1, at.indexed - 1, -1)
    low, high = _hours(connection, space_id, wanted, min(top, at.indexed))
    if not wanted.refs:
        yield from range(high - 1, low - 1, -1)
        return
    refs = _rarest_first(connection, space_id, wanted.refs)
    while True:
        seqs = _indexed(connection, space_id, refs, low, high)
        yield from seqs
        if len(seqs) < _IDS_A_QUERY:
            return
        high = seqs[-1]


def _indexed_first(
    connection: Connection, space_id: str, wanted: Wanted, at: Position, top: int
) -> Iterator[int]:
    """The same for one receipt: the tail is read for one that the index does not have, and few are."""
    indexed = _indexed(connection, space_id, wanted.refs, 0, min(top, at.indexed))
    yield from indexed or range(top - 1, at.indexed - 1, -1)


def _rarest_first(connection: Connection, space_id: str, refs: tuple[str, ...]) -> list[str]:
    """The first leads the query, and the others are looked up for each row that it finds."""

    def rows(ref: str) -> int:
        some = select(receipt_ref.c.seq).where(receipt_ref.c.space_id == space_id, receipt_ref.c.ref == ref)
        return connection.scalar(select(func.count()).select_from(some.limit(_PROBED).subquery())) or 0

    return sorted(refs, key=rows) if len(refs) > 1 else list(refs)


def _indexed(connection: Connection, space_id: str, refs: Sequence[str], low: int, high: int) -> list[int]:
    """The next positions in `[low, high)` that carry all these references, newest first."""
    lead = receipt_ref.alias("lead")
    query = select(lead.c.seq).where(
        lead.c.space_id == space_id, lead.c.ref == refs[0], lead.c.seq >= low, lead.c.seq < high
    )
    for ref in refs[1:]:
        other = receipt_ref.alias()
        query = query.where(
            exists().where(other.c.space_id == space_id, other.c.ref == ref, other.c.seq == lead.c.seq)
        )
    return list(connection.scalars(query.order_by(lead.c.seq.desc()).limit(_IDS_A_QUERY)))


def _hours(connection: Connection, space_id: str, wanted: Wanted, indexed: int) -> tuple[int, int]:
    """The part `[low, high)` of the indexed log outside of which no receipt has a wanted time.

    The index has a row where an hour begins. Clocks may be set back, so hours can come again: what counts is the
    first row of a late enough hour, and the row after the last one of an early enough hour.
    """
    table = receipt_ref.c
    here = (table.space_id == space_id, table.ref >= hour_ref(""), table.ref < "hour;", table.seq < indexed)
    low, high = 0, indexed
    if wanted.start:
        low_enough = select(func.min(table.seq)).where(*here, table.ref >= hour_ref(wanted.start))
        first = connection.scalar(low_enough)
        low = indexed if first is None else first
    if wanted.end:
        last = connection.scalar(select(func.max(table.seq)).where(*here, table.ref <= hour_ref(wanted.end)))
        if last is None:
            return low, low
        after = connection.scalar(select(func.min(table.seq)).where(*here, table.seq > last))
        high = indexed if after is None else after
    return low, max(low, high)
