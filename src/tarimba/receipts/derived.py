"""What is stored beside the log and follows from it: the keys, the index and the tree's nodes, compared with it.

Knows the server's tables, unlike the verifier: whoever only reads a log does not need it.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, select

from tarimba.receipts.index import hour_ref, position, refs_of
from tarimba.receipts.merkle import HASH_SIZE, root
from tarimba.receipts.report import Finding
from tarimba.receipts.tree import WIDTH
from tarimba.receipts.verify import Bundle, Comparison
from tarimba.storage.tables import agent_key, log_node, receipt_ref

_ROWS_AHEAD: Final = 1000
# Sums are kept for so many receipts together: a finding is that close, and a long log costs a few bytes each.
_SPAN: Final = 4096


class Comparisons:
    """Several comparisons as one: the count is that of the first."""

    def __init__(self, *comparisons: Comparison) -> None:
        self._comparisons = comparisons

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """See `verify.Comparison`."""
        for comparison in self._comparisons:
            comparison.act(seq, document)

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`."""
        concluded = [comparison.conclude() for comparison in self._comparisons]
        return concluded[0][0], (finding for _, findings in concluded for finding in findings)


@dataclass(frozen=True, slots=True)
class _Made:
    """What the receipt of a key at `seq` says; None where it does not say it."""

    seq: int
    source_id: str | None
    scopes: frozenset[str] | None
    expires: bool | None


class KeyComparison:
    """Compares the stored keys with the receipts that made and revoked them. Keys are few: they fit in memory."""

    def __init__(self, connection: Connection, space_id: str) -> None:
        self._connection = connection
        self._space_id = space_id
        self._made: dict[str, _Made] = {}
        self._revoked: dict[str, int] = {}

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """See `verify.Comparison`."""
        action, key_id = document.get("action"), str(document.get("key_id"))
        if action == "key.revoke":
            self._revoked.setdefault(key_id, seq)
        elif action == "key.create":
            detail = document.get("detail")
            about = detail if isinstance(detail, dict) else {}
            self._made[key_id] = _Made(seq, document.get("source_id"), _scopes(about), about.get("expires"))

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`."""
        query = select(agent_key).where(agent_key.c.space_id == self._space_id).order_by(agent_key.c.ordinal)
        stored = {row.key_id: row for row in self._connection.execute(query)}
        return len(stored), self._disagreements(stored)

    def _disagreements(self, stored: dict[str, Any]) -> Iterator[Finding]:
        for key_id, seq in self._revoked.items():
            if key_id in stored and stored[key_id].revoked_at is None:
                says = f"Key {key_id} works again, though the receipt at seq {seq} says that it was revoked."
                yield Finding("key_revived", seq, says)
        for key_id, made in self._made.items():
            if key_id in stored and _differs(made, stored[key_id]):
                says = f"The agent, scopes or end of key {key_id} are not those of its receipt at seq {made.seq}."
                yield Finding("key", made.seq, says)


def _scopes(detail: dict[str, Any]) -> frozenset[str] | None:
    said = detail.get("scopes")
    return frozenset(map(str, said)) if isinstance(said, list) else None


def _differs(made: _Made, row: Any) -> bool:
    return (
        made.source_id != row.source_id
        or made.scopes not in (None, frozenset(row.scopes.split()))
        or made.expires not in (None, row.expires_at is not None)
    )


class IndexComparison:
    """Compares the rows of the index of the log with those that its receipts give.

    Both sides are sums of hashes, so neither their order nor how many there are costs memory. The hashes begin with a
    number that is drawn anew each time: whoever altered the index could not aim at a sum. They are Python's own of a
    tuple: cryptographic ones took as long as all the rest of the verification.
    """

    def __init__(self, connection: Connection, space_id: str) -> None:
        self._connection = connection
        self._space_id = space_id
        self._salt = secrets.randbits(61)
        self._indexed = position(connection, space_id).indexed
        self._last_hour = ""
        self._end = 0
        self._sums: defaultdict[int, int] = defaultdict(int)

    def hear(self, seq: int, whole: dict[str, Any]) -> None:
        """Hears of every receipt in order, with the notes of blocks in it: the index holds reads too."""
        self._end = max(self._end, seq + 1)
        if seq >= self._indexed:
            return
        refs, hour = refs_of(whole), _hour(whole)
        if hour != self._last_hour:
            refs |= {hour}
        self._last_hour = hour
        salt = self._salt
        self._sums[seq // _SPAN] += sum([hash((salt, ref, seq)) for ref in refs])

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """Nothing more: every receipt was heard already."""

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`. Counts the rows of the index."""
        query = select(receipt_ref.c.ref, receipt_ref.c.seq).where(receipt_ref.c.space_id == self._space_id)
        rows, sums, salt = 0, self._sums, self._salt
        for part in self._connection.execute(query.execution_options(yield_per=_ROWS_AHEAD)).partitions():
            rows += len(part)
            for ref, seq in part:
                sums[seq // _SPAN] -= hash((salt, ref, seq))
        return rows, self._disagreements()

    def _disagreements(self) -> Iterator[Finding]:
        wrong = sorted(span for span, total in self._sums.items() if total)
        if self._indexed > self._end:
            wrong.append(self._end // _SPAN)
        if wrong:
            first, last = max(wrong[0], 0) * _SPAN, max((wrong[-1] + 1) * _SPAN - 1, 0)
            says = (
                f"The index of the log was altered, somewhere from seq {first} to {last}: searches can miss receipts. "
                "The log itself is another matter. Setting indexed_size of the space's head to 0 and deleting the rows "
                "of the space from receipt_ref rebuilds the index."
            )
            yield Finding("index", first, says, last)


class NodeComparison:
    """Compares the stored roots of subtrees with those that the stored hashes give."""

    def __init__(self, connection: Connection, space_id: str) -> None:
        self._connection = connection
        self._space_id = space_id
        self._end = 0
        self._leaves: list[bytes] = []
        self._roots: list[bytes] = []

    def heard(self, bundles: Iterable[Bundle]) -> Iterator[Bundle]:
        """The same rows of the log. Behind a gap nothing is compared any more: the log itself is found broken."""
        for bundle in bundles:
            if bundle.first_seq == self._end:
                self._read(bundle.hashes)
            yield bundle

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """Nothing more: every hash was heard already."""

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`. Counts the rows."""
        columns = log_node.c
        query = select(columns.level, columns.place, columns.hash).where(columns.space_id == self._space_id)
        rows = self._connection.execute(query.order_by(columns.level, columns.place)).all()
        wrong = [
            (level, place) for level, place, found in rows if self._root(level, place) not in (found, None)
        ]
        return len(rows), self._disagreements(wrong)

    def _read(self, hashes: bytes) -> None:
        self._leaves += [hashes[at : at + HASH_SIZE] for at in range(0, len(hashes), HASH_SIZE)]
        self._end += len(hashes) // HASH_SIZE
        while len(self._leaves) >= WIDTH:
            self._roots.append(root(self._leaves[:WIDTH]))
            del self._leaves[:WIDTH]

    def _root(self, level: int, place: int) -> bytes | None:
        """What should be stored there; None where the log was not heard that far."""
        width = WIDTH ** (level - 1)
        below = self._roots[place * width : (place + 1) * width]
        return root(below) if len(below) == width else None

    def _disagreements(self, wrong: Iterable[tuple[int, int]]) -> Iterator[Finding]:
        for level, place in wrong:
            first, last = place * WIDTH**level, (place + 1) * WIDTH**level - 1
            says = (
                f"A stored root of the tree over seq {first} to {last} was altered: proofs of these receipts fail. The "
                "log itself is another matter. Deleting the rows of the space from log_node rebuilds them."
            )
            yield Finding("node", first, says, last)


def _hour(document: dict[str, Any]) -> str:
    at = document.get("at")
    return hour_ref(at if isinstance(at, str) else "")
