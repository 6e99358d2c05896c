"""The stored notes against the log: each version must be the one that a receipt names by its content hash.

Free of the server like the verifier. What it heard of in the log and what is stored are compared in a temporary
SQLite file, so memory stays bounded however many versions there are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tarimba.receipts.report import Finding

_SCRATCH = """
CREATE TABLE claim (note_id TEXT, hash TEXT, agent TEXT, is_import INTEGER, seq INTEGER);
CREATE TABLE version (note_id TEXT PRIMARY KEY, stored TEXT, actual TEXT, is_rendered INTEGER, seq INTEGER);
CREATE TABLE place (note_id TEXT PRIMARY KEY, chain TEXT, version INTEGER, ended INTEGER, is_named INTEGER,
  status TEXT, agent TEXT, is_importing INTEGER);
CREATE TABLE retired (note_id TEXT, seq INTEGER);
CREATE TABLE completed (agent TEXT, seq INTEGER);
CREATE TABLE voided (agent TEXT, is_import INTEGER, seq INTEGER, PRIMARY KEY (agent, is_import));
CREATE VIEW live AS SELECT * FROM claim c WHERE NOT EXISTS (SELECT 1 FROM voided v
  WHERE v.agent = c.agent AND v.is_import <= c.is_import AND v.seq > c.seq);
BEGIN;
"""
# Each stored version beside its receipts: `first` its first live one, `gone` that of its retirement, `after` that of
# the version which replaced it (an import stores all versions at once, so its receipts say nothing of the order).
_STANDING = """
CREATE INDEX claim_note ON claim (note_id);
CREATE INDEX place_chain ON place (chain, version);
CREATE INDEX retired_note ON retired (note_id);
CREATE TABLE beginning AS SELECT note_id, min(seq) AS first, is_import FROM live GROUP BY note_id;
CREATE UNIQUE INDEX beginning_note ON beginning (note_id);
CREATE TABLE standing AS SELECT p.*, c.first, c.is_import, coalesce(c.first, v.seq) AS at, v.seq AS began,
  EXISTS (SELECT 1 FROM place q WHERE q.chain = p.chain AND q.version > p.version) AS is_replaced,
  EXISTS (SELECT 1 FROM claim d JOIN voided e ON e.agent = d.agent AND NOT e.is_import AND e.seq > d.seq
    WHERE d.note_id = p.note_id) AS was_erased,
  (SELECT min(r.seq) FROM retired r WHERE r.note_id = p.note_id AND r.seq > c.first) AS gone,
  (SELECT CASE WHEN NOT b.is_import THEN b.first END FROM place q JOIN beginning b USING (note_id)
    WHERE q.chain = p.chain AND q.version > p.version ORDER BY q.version LIMIT 1) AS after,
  EXISTS (SELECT 1 FROM completed f WHERE f.agent = p.agent AND f.seq > c.first) AS is_complete,
  EXISTS (SELECT 1 FROM completed f WHERE f.agent IN (p.agent, 'None') AND f.seq > c.first) AS may_show
FROM place p JOIN version v USING (note_id) LEFT JOIN beginning c USING (note_id);
"""
# A head without a live receipt is a finding of its own unless it was erased, so its state is left alone here.
_WRONG_STATUS = """NOT is_replaced AND CASE
  WHEN first IS NULL THEN was_erased AND status <> 'erased'
  WHEN status IN ('importing_active', 'importing_retired') THEN NOT is_import OR is_complete OR NOT is_importing
  WHEN is_import AND NOT may_show THEN 1
  WHEN gone IS NOT NULL THEN status <> 'retired'
  WHEN status = 'retired' THEN NOT is_import
  ELSE status <> 'active' END"""
_STANDS = "SELECT at, note_id FROM standing WHERE {} ORDER BY at"
_WRONG_SPAN = """status <> 'erased' AND first IS NOT NULL AND CASE
  WHEN NOT is_import AND began <> first THEN 1
  WHEN is_replaced THEN ended IS NULL OR ended <> after
  WHEN status IN ('active', 'importing_active') THEN ended IS NOT NULL
  ELSE ended IS NULL OR ended <> gone END"""
# What should have been at `seq`, where the log vouches for it, else where the version says it began.
_PLACED = "SELECT coalesce((SELECT min(c.seq) FROM live c WHERE c.note_id = v.note_id), v.seq) AS at, note_id"
_QUERIES = {
    "edited": f"{_PLACED} FROM version v WHERE stored <> actual ORDER BY at",
    "rendered": f"{_PLACED} FROM version v WHERE NOT is_rendered ORDER BY at",
    "rewritten": "SELECT c.seq, note_id FROM live c JOIN version v USING (note_id) WHERE c.hash <> v.stored "
    "ORDER BY c.seq",
    # An erased agent's versions may still wait to be scrubbed, so any receipt of theirs will do.
    "unreceipted": "SELECT v.seq, note_id FROM version v LEFT JOIN claim c USING (note_id) WHERE c.seq IS NULL "
    "ORDER BY v.seq",
    "vanished": "SELECT c.seq, note_id FROM live c LEFT JOIN version v USING (note_id) WHERE v.seq IS NULL "
    "ORDER BY c.seq",
    "head": _STANDS.format("NOT is_replaced AND NOT is_named AND status <> 'erased'"),
    "status": _STANDS.format(_WRONG_STATUS),
    "span": _STANDS.format(_WRONG_SPAN),
}
_SENTENCES = {
    "edited": "The text of note version {note} (seq {seq}) was altered: it does not have its content hash.",
    "rendered": "The line of note version {note} (seq {seq}), which blocks show, was altered.",
    "rewritten": "Note version {note} was replaced: the receipt at seq {seq} names another content hash.",
    "unreceipted": "No receipt vouches for note version {note}, which says that it began at seq {seq}.",
    "vanished": "Note version {note} of the receipt at seq {seq} is gone, and no receipt says that it was erased.",
    "head": "The state of the note whose newest version is {note} (seq {seq}) was altered: its head, end or readers.",
    "status": "The status of the note whose newest version is {note} (seq {seq}) is not the one its receipts say.",
    "span": "When note version {note} (seq {seq}) was read, from and up to which receipt, was altered.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stored version stands: its chain, its number there, the seq it ended at, the state of the chain.

    `is_named` is whether the row of the chain, were this its newest version, says what it must: head, number, end
    and pool. `is_importing` is whether an import of the chain's `agent` is still at work.
    """

    chain_id: str
    version: int
    seq_to: int | None
    is_named: bool
    status: str
    agent: str
    is_importing: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A stored note version: the hash kept beside it, the hash of its present text, and where it began.

    `is_rendered` is whether its stored line is what its text renders to. Without a `place` the state is not compared.
    """

    note_id: str
    stored_hash: str
    actual_hash: str
    is_rendered: bool
    seq_from: int
    place: Place | None = None


class NoteComparison:
    """Compares `versions`, read only once the log was walked, with the receipts of that walk."""

    def __init__(self, versions: Iterable[Version]) -> None:
        self._versions = versions
        self._scratch = sqlite3.connect("", isolation_level=None)
        self._scratch.executescript(_SCRATCH)

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """See `verify.Comparison`. Erasing ends what was claimed before, undoing an import what imports claimed."""
        agent = str(document.get("source_id") or document.get("agent"))
        detail = document.get("detail")
        about = detail if isinstance(detail, dict) else {}
        is_import = document.get("action") == "import"
        if document.get("action") == "erase.requested" or (is_import and about.get("state") == "undone"):
            self._scratch.execute("INSERT OR REPLACE INTO voided VALUES (?, ?, ?)", (agent, is_import, seq))
        if is_import and about.get("state") == "complete":
            self._scratch.execute("INSERT INTO completed VALUES (?, ?)", (agent, seq))
        if document.get("action") == "note.retire" and about.get("changed") == ["status"]:
            self._scratch.execute("INSERT INTO retired VALUES (?, ?)", (str(document.get("note_id")), seq))
        claims = [(note, digest, agent, is_import, seq) for note, digest in _claims(document, about)]
        if claims:
            self._scratch.executemany("INSERT INTO claim VALUES (?, ?, ?, ?, ?)", claims)

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Comparison`."""
        for version in self._versions:
            self._store(version)
        self._scratch.executescript(_STANDING)
        count: int = self._scratch.execute("SELECT count(*) FROM version").fetchone()[0]
        return count, self._disagreements()

    def _store(self, of: Version) -> None:
        row = (of.note_id, of.stored_hash, of.actual_hash, of.is_rendered, of.seq_from)
        self._scratch.execute("INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?, ?)", row)
        if of.place is not None:
            at = of.place
            placed = (of.note_id, at.chain_id, at.version, at.seq_to, at.is_named)
            state = (at.status, at.agent, at.is_importing)
            insert = "INSERT OR REPLACE INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            self._scratch.execute(insert, (*placed, *state))

    def _disagreements(self) -> Iterator[Finding]:
        for code, query in _QUERIES.items():
            for seq, note_id in self._scratch.execute(query):
                yield Finding(code, seq, _SENTENCES[code].format(note=note_id, seq=seq))
        self._scratch.close()


def _claims(document: dict[str, Any], detail: dict[str, Any]) -> list[tuple[str, str]]:
    """The (note id, content hash) pairs that a receipt vouches for: one of its own, or many of an import."""
    many = detail.get("notes")
    pairs = list(many.items()) if isinstance(many, dict) else []
    pairs.append((document.get("note_id"), detail.get("content_hash")))
    return [(note, digest) for note, digest in pairs if isinstance(note, str) and isinstance(digest, str)]
