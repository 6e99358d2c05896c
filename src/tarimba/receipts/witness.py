"""The stored notes against the log: each version must be the one that a receipt names by its content hash.

Free of the server like the verifier. What it heard of in the log and what is stored are compared in a temporary
SQLite file, so memory stays bounded however many versions there are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tarimba.receipts.verify import Finding

_SCRATCH = """
CREATE TABLE claim (note_id TEXT, hash TEXT, agent TEXT, is_import INTEGER, seq INTEGER);
CREATE TABLE version (note_id TEXT PRIMARY KEY, stored TEXT, actual TEXT, is_rendered INTEGER, seq INTEGER);
CREATE TABLE voided (agent TEXT, is_import INTEGER, seq INTEGER, PRIMARY KEY (agent, is_import));
CREATE VIEW live AS SELECT * FROM claim c WHERE NOT EXISTS (SELECT 1 FROM voided v
  WHERE v.agent = c.agent AND v.is_import <= c.is_import AND v.seq > c.seq);
BEGIN;
"""
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
}
_SENTENCES = {
    "edited": "The text of note version {note} (seq {seq}) was altered: it does not have its content hash.",
    "rendered": "The line of note version {note} (seq {seq}), which blocks show, was altered.",
    "rewritten": "Note version {note} was replaced: the receipt at seq {seq} names another content hash.",
    "unreceipted": "No receipt vouches for note version {note}, which says that it began at seq {seq}.",
    "vanished": "Note version {note} of the receipt at seq {seq} is gone, and no receipt says that it was erased.",
}


@dataclass(frozen=True, slots=True)
class Version:
    """A stored note version: the hash kept beside it, the hash of its present text, and where it began.

    `is_rendered` is whether its stored line is what its text renders to.
    """

    note_id: str
    stored_hash: str
    actual_hash: str
    is_rendered: bool
    seq_from: int


class NoteWitness:
    """Compares `versions`, read only once the log was walked, with the receipts of that walk."""

    def __init__(self, versions: Iterable[Version]) -> None:
        self._versions = versions
        self._scratch = sqlite3.connect("", isolation_level=None)
        self._scratch.executescript(_SCRATCH)

    def act(self, seq: int, document: dict[str, Any]) -> None:
        """See `verify.Witness`. Erasing ends what was claimed before, undoing an import what imports claimed."""
        agent = str(document.get("source_id") or document.get("agent"))
        detail = document.get("detail")
        about = detail if isinstance(detail, dict) else {}
        is_import = document.get("action") == "import"
        if document.get("action") == "erase.requested" or (is_import and about.get("state") == "undone"):
            self._scratch.execute("INSERT OR REPLACE INTO voided VALUES (?, ?, ?)", (agent, is_import, seq))
        claims = [(note, digest, agent, is_import, seq) for note, digest in _claims(document, about)]
        if claims:
            self._scratch.executemany("INSERT INTO claim VALUES (?, ?, ?, ?, ?)", claims)

    def conclude(self) -> tuple[int, Iterable[Finding]]:
        """See `verify.Witness`."""
        rows = ((v.note_id, v.stored_hash, v.actual_hash, v.is_rendered, v.seq_from) for v in self._versions)
        self._scratch.executemany("INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?, ?)", rows)
        self._scratch.execute("CREATE INDEX claim_note ON claim (note_id)")
        count: int = self._scratch.execute("SELECT count(*) FROM version").fetchone()[0]
        return count, self._disagreements()

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
