"""The verifier of a space's log: reads everything again and trusts nothing that it can compute.

It imports nothing of the server, only the tree and the canonical form, so that whoever doubts the operator can
read and run these few files. It takes plain rows in order, keeps nothing of them in memory (what must be compared
across the whole log lies in a temporary SQLite file) and says in sentences what it found and what it could not
check. A position in the log is its `seq`.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tarimba.receipts.canonical import canonical
from tarimba.receipts.merkle import HASH_SIZE, Frontier, leaf_hash
from tarimba.receipts.report import FINDINGS_OF_A_KIND, Finding, Findings, Report

_BUFFERED = 20_000
_SCRATCH = "CREATE TABLE seen (id TEXT, seq INTEGER)"
_TWICE = """SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY id ORDER BY seq) AS nth FROM seen)
  WHERE nth > 1 ORDER BY seq"""

NotesOf = Callable[[str], Sequence[str] | None]
SealOf = Callable[[int, bytes], bytes]
Hear = Callable[[int, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A stored row of the log: `hashes` are the 32-byte leaves of `entries`, which are joined by newlines."""

    first_seq: int
    count: int
    hashes: bytes
    entries: bytes


@dataclass(frozen=True, slots=True)
class LogHead:
    """The head row: how many receipts there are, the tree's frontier and the seal over size and root."""

    size: int
    frontier: bytes
    seal: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The size and root (32 bytes) of an earlier log, kept where the operator could not change it."""

    size: int
    root: bytes


class Comparison(Protocol):
    """Something outside the log that the receipts vouch for: the stored notes."""

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """Hears of the receipt of every act, in order."""

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """How many things it compared with what it heard, and what does not agree, first ones first."""


def parsed(line: bytes) -> dict[str, Any] | None:
    """The receipt in a stored line, or None when it holds none."""
    try:
        document = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def with_notes(document: dict[str, Any], notes_of: NotesOf) -> dict[str, Any]:
    """The receipt of a block read with its note ids back in `detail`; every other receipt as it is.

    `notes_of` gives the ids kept for an etag, or None when there are none.
    """
    detail = document.get("detail")
    if document.get("action") != "block.read" or not isinstance(detail, dict) or "notes" in detail:
        return document
    notes = notes_of(str(detail.get("etag")))
    return document if notes is None else {**document, "detail": {**detail, "notes": list(notes)}}


def verify_log(
    space_id: str,
    bundles: Iterable[Bundle],
    head: LogHead | None,
    *,
    notes_of: NotesOf,
    seal_of: SealOf | None = None,
    hear: Hear | None = None,
    comparison: Comparison | None = None,
    kept: Iterable[Checkpoint] = (),
) -> Report:
    """Verifies a whole log. `bundles` come in the order of `first_seq`, all from one snapshot with `head`.

    Without a head, outside of a database, only the kept checkpoints tell how long the log must be and with which root.
    `seal_of` computes the seal of (size, root) with the key of the space; without it the seal is not checked.
    `hear` is told of every receipt in order, with its notes in it; what can't be read is empty.
    `comparison` compares the stored notes, `kept` are checkpoints of earlier days. Never raises for a bad log.
    """
    started = time.perf_counter()
    checkpoints = sorted(kept, key=lambda checkpoint: checkpoint.size)
    found = Findings()
    marks = {point.size for point in checkpoints} | ({head.size} if head is not None else set())
    walk = _Walk(space_id, notes_of, hear, comparison, found, marks)
    for bundle in bundles:
        walk.read(bundle)
    walk.finish()
    known_good = _compare_kept(walk, found, checkpoints)
    if head is not None:
        _compare_head(walk, found, head, seal_of, known_good)
    versions = _hear(comparison, found)
    unchecked = _unchecked(walk, seal_of is None, comparison is None, not checkpoints)
    seconds = time.perf_counter() - started
    notices = tuple(_restored(seq) for seq in walk.restores)
    return Report(
        space_id, walk.count, versions, found.in_order(), dict(found.counts), unchecked, seconds, notices
    )


class _Walk:
    """One pass over the log. `marked` is the tree at the sizes that were asked for and reached without a break."""

    def __init__(
        self,
        space_id: str,
        notes_of: NotesOf,
        hear: Hear | None,
        comparison: Comparison | None,
        found: Findings,
        marks: set[int],
    ) -> None:
        self.count = 0
        self.next_seq = 0
        self.is_broken = False
        self.marked: dict[int, Frontier] = {0: Frontier.empty()}
        # Where the log says that it goes on from a backup: the first ones.
        self.restores: list[int] = []
        self._space_id = space_id
        self._notes_of = notes_of
        self._hear = hear
        self._comparison = comparison
        self._found = found
        self._frontier = Frontier.empty()
        self._marks = sorted(mark for mark in marks if mark > 0)
        self._seen: list[tuple[str, int]] = []
        self._encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
        # An empty name is a private file that SQLite deletes itself: memory stays bounded however long the log.
        self._scratch = sqlite3.connect("", isolation_level=None)
        self._scratch.execute(_SCRATCH)

    def read(self, bundle: Bundle) -> None:
        """Reads the next stored row."""
        first = bundle.first_seq
        self._place(first)
        leaves = [bundle.hashes[at : at + HASH_SIZE] for at in range(0, len(bundle.hashes), HASH_SIZE)]
        lines = bundle.entries.split(b"\n")
        for seq, (leaf, line) in enumerate(zip(leaves, lines, strict=False), start=first):
            self._entry(seq, leaf, line)
        if not bundle.count == len(lines) == len(leaves) or len(bundle.hashes) % HASH_SIZE:
            seq = first + min(bundle.count, len(lines), len(leaves))
            says = f"The stored row that begins at seq {first} does not hold as many receipts as it says."
            self._found.add("count", seq, says)
        self.count += len(lines)
        self._grow(first, leaves)

    def _place(self, first: int) -> None:
        if first == self.next_seq:
            return
        self.is_broken = True
        if first > self.next_seq:
            says = f"Receipts are missing: seq {self.next_seq} to {first - 1}."
            self._found.add("gap", self.next_seq, says)
        else:
            self._found.add("overlap", first, f"Two stored rows hold a receipt for seq {first}.")

    def _grow(self, first: int, leaves: list[bytes]) -> None:
        self.next_seq = first + len(leaves)
        if self.is_broken:
            return
        done = 0
        while self._marks and self._marks[0] <= self.next_seq:
            mark = self._marks.pop(0)
            self._frontier = self._frontier.extend(leaves[done : mark - first])
            self.marked[mark] = self._frontier
            done = mark - first
        self._frontier = self._frontier.extend(leaves[done:])

    def _entry(self, seq: int, leaf: bytes, line: bytes) -> None:
        document = parsed(line)
        if document is None:
            self._found.add("unreadable", seq, f"What is stored at seq {seq} is not a receipt.")
        whole = with_notes(document, self._notes_of) if document is not None else {}
        if self._hear is not None:
            self._hear(seq, whole)
        if document is not None:
            self._judge(seq, leaf, line, document, whole)

    def _judge(
        self, seq: int, leaf: bytes, line: bytes, document: dict[str, Any], whole: dict[str, Any]
    ) -> None:
        if not self._hashes_to(leaf, line, is_stored=whole is document, whole=whole):
            says = f"The receipt at seq {seq} was altered: it does not have its stored hash."
            self._found.add("hash", seq, says)
        if document.get("space_id") != self._space_id:
            self._found.add("space", seq, f"The receipt at seq {seq} belongs to another space.")
        self._seen.append((str(document.get("id")), seq))
        if len(self._seen) >= _BUFFERED:
            self._spill()
        if document.get("action") == "restore" and len(self.restores) < FINDINGS_OF_A_KIND:
            self.restores.append(seq)
        if self._comparison is not None and document.get("kind") != "read":
            self._comparison.act(seq, document)

    def _hashes_to(self, leaf: bytes, line: bytes, *, is_stored: bool, whole: dict[str, Any]) -> bool:
        if is_stored:
            return leaf_hash(line) == leaf
        # The standard encoder is ten times faster and writes the canonical form of whatever we ever wrote.
        fast = self._encode(whole).encode(errors="replace")
        return leaf_hash(fast) == leaf or _is_canonically(leaf, whole)

    def _spill(self) -> None:
        self._scratch.execute("BEGIN")
        self._scratch.executemany("INSERT INTO seen VALUES (?, ?)", self._seen)
        self._scratch.execute("COMMIT")
        self._seen.clear()

    def finish(self) -> None:
        """What can only be said once every receipt was read."""
        self._spill()
        for (seq,) in self._scratch.execute(_TWICE):
            self._found.add("duplicate", seq, f"The receipt at seq {seq} has the id of an earlier one.")
        self._scratch.close()


def _is_canonically(leaf: bytes, document: dict[str, Any]) -> bool:
    try:
        return leaf_hash(canonical(document)) == leaf
    except ValueError:
        return False


def _lost(walk: _Walk, good: int, size: int) -> str:
    """What the log itself says of a kept checkpoint that it did not grow out of; nothing where it says nothing."""
    seq = next((seq for seq in walk.restores if good <= seq < size), None)
    if seq is None:
        return ""
    return (
        f" Its receipt at seq {seq} says that it goes on from a backup: receipts {seq} to {size - 1} of the log before "
        "are not in this log."
    )


def _restored(seq: int) -> str:
    return (
        f"The receipt at seq {seq} says that the log goes on from a backup: what the log before had from there on is "
        "not in it."
    )


def _compare_kept(walk: _Walk, found: Findings, checkpoints: Sequence[Checkpoint]) -> int:
    """Compares with checkpoints in order of size; returns the size up to which the log is known good."""
    good = 0
    for point in checkpoints:
        if point.size > walk.next_seq:
            says = f"A kept checkpoint counts {point.size} receipts, this log {walk.next_seq}: it was cut or put back."
            found.add("rewound", walk.next_seq, says + _lost(walk, good, point.size))
        elif point.size in walk.marked and walk.marked[point.size].root() == point.root:
            good = point.size
        elif point.size in walk.marked:
            says = f"The log differs from the kept checkpoint of size {point.size}, somewhere from seq {good} on."
            found.add("checkpoint", good, says + _lost(walk, good, point.size), point.size - 1)
    return good


def _compare_head(
    walk: _Walk, found: Findings, head: LogHead, seal_of: SealOf | None, known_good: int
) -> None:
    _compare_size(walk, found, head.size)
    if head.size in walk.marked:
        ours = walk.marked[head.size]
        is_sealed = None if seal_of is None else seal_of(head.size, ours.root()) == head.seal
        _compare_tree(found, head, ours, is_sealed, known_good)


def _compare_size(walk: _Walk, found: Findings, size: int) -> None:
    if size > walk.next_seq:
        says = f"Receipts are missing at the end: the head counts {size}, stored are {walk.next_seq}."
        found.add("missing", walk.next_seq, says)
    elif size < walk.next_seq:
        says = f"The head counts {size} receipts, but {walk.next_seq} are stored: it does not know those from there on."
        found.add("surplus", max(size, 0), says)


def _compare_tree(
    found: Findings, head: LogHead, ours: Frontier, is_sealed: bool | None, known_good: int
) -> None:
    """Compares the tree of the stored hashes with the head's; `is_sealed` tells whether the seal fits ours."""
    if ours.to_bytes() == head.frontier:
        if is_sealed is False:
            says = (
                "The log is not the one that was sealed: receipts were altered, removed or added together with the "
                f"head, somewhere from seq {known_good} on. Only a checkpoint kept elsewhere tells closer."
            )
            found.add("seal", known_good, says, max(head.size, known_good))
    elif is_sealed:
        says = f"The head's tree was altered; the receipts before seq {head.size} are those that were sealed."
        found.add("frontier", head.size, says)
    else:
        start, end = _first_difference(ours, head.frontier)
        start = max(start, min(known_good, end - 1))
        says = f"Receipts were altered together with their hashes, somewhere from seq {start} to {end - 1}."
        found.add("tree", start, says, end - 1)


def _first_difference(ours: Frontier, stored: bytes) -> tuple[int, int]:
    """The range `[start, end)` of the first perfect subtree whose root is not the stored one."""
    everything = 0, max(ours.size, 1)
    try:
        theirs = Frontier.from_bytes(stored)
    except ValueError:
        return everything
    if theirs.size != ours.size:
        return everything
    start = 0
    for mine, other in zip(ours.peaks, theirs.peaks, strict=True):
        width = 1 << ((ours.size - start).bit_length() - 1)
        if mine != other:
            return start, start + width
        start += width
    return everything


def _hear(comparison: Comparison | None, found: Findings) -> int:
    if comparison is None:
        return 0
    count, disagreements = comparison.conclude()
    for finding in disagreements:
        found.add(finding.code, finding.seq, finding.sentence, finding.last_seq)
    return count


def _unchecked(walk: _Walk, no_key: bool, no_comparison: bool, no_checkpoint: bool) -> tuple[str, ...]:
    said = {"tree": walk.is_broken, "seal": no_key, "notes": no_comparison, "backup": no_checkpoint}
    return tuple(code for code, applies in said.items() if applies)
