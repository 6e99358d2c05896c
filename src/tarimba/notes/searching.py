"""Searching notes: the database finds candidates, integers of ours rank them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from tarimba import text
from tarimba.errors import Refusal
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.kernel import Kernel
from tarimba.notes import ranking, search_store, store
from tarimba.notes.desk import readable_pools
from tarimba.notes.model import Note, Question, Read
from tarimba.notes.preparing import committed
from tarimba.notes.ranking import LEADERS_MAX, ROWS_MAX, Word
from tarimba.notes.words import tag_term
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read

_SHOWN_AT_ONCE = 200


def search(kernel: Kernel, principal: Principal, asked: Question) -> Read:
    """The active notes that the caller reads and that have words of the query, best first.

    Nothing while the memory is off. Raises 403, and 422 for what has not the form of a tag; an odd query is
    no error, it finds nothing.
    """
    allow(principal, "read_notes")
    try:
        tags = text.tags(asked.tags)
    except text.GateError as error:
        raise Refusal("invalid_input", error.sentence) from error
    notes: list[Note] = []
    with kernel.database.read() as connection:
        if space_settings.load(connection, principal.space_id).enabled:
            notes = _Looking(kernel, principal, connection).notes(asked.query, tags, asked.limit)
    key = kernel.keys.of(principal.space_id)
    receipt = Receipt(
        action="notes.search",
        actor=principal.actor,
        via=principal.via,
        agent=principal.source_id,
        detail={
            "query": key.commit(asked.query),
            "tags": [key.commit(tag) for tag in tags],
            "notes": [note.note_id for note in notes],
            "limit": asked.limit,
            **committed(key, asked.about),
        },
    )
    return Read(tuple(notes), record_read(kernel.writer, principal.space_id, receipt))


class _Looking:
    """One search in one snapshot, within the pools of its reader."""

    def __init__(self, kernel: Kernel, principal: Principal, connection: Connection) -> None:
        pools = readable_pools(principal)
        self._kernel = kernel
        self._space_id = principal.space_id
        self._place = (connection, principal.space_no, None if pools is None else sorted(pools))

    def notes(self, query: str, tags: Sequence[str], limit: int) -> list[Note]:
        """The best `limit` notes for the query, each with one of the tags if there are any."""
        tag_terms = [tag_term(tag) for tag in tags]
        words, tagged = self._words(query, tag_terms)
        if not words:
            return []
        if tags and tagged <= ROWS_MAX:
            ages = {row.age for row in search_store.best(*self._place, tag_terms, ROWS_MAX)}
            return self._shown(ranking.ranked(words, self._hits(words, ages)), limit)
        for finding in ranking.attempts(words):
            hits = self._found(words, finding, tag_terms)
            found = self._shown(ranking.ranked(words, hits), limit)
            if found:
                return found
        return []

    def _words(self, query: str, tag_terms: Sequence[int]) -> tuple[list[Word], int]:
        """The words of the query that any note has, and in how many rows the tags are."""
        groups = self._kernel.words.query_terms(query)
        if not groups:
            return [], 0
        connection, _, pools = self._place
        terms = sorted({term for group in groups for term in group}.union(tag_terms))
        having = search_store.having(*self._place, terms)
        total = search_store.total(connection, self._space_id, pools)
        return ranking.weighed(groups, having, total), sum(having.get(term, 0) for term in tag_terms)

    def _found(
        self, words: Sequence[Word], finding: Sequence[Word], tag_terms: Sequence[int]
    ) -> Sequence[Any]:
        """All hits of the leaders among the notes that the finding words are in."""
        terms = [term for word in finding for term in word.terms]
        hits = search_store.best(*self._place, terms, ROWS_MAX)
        is_cut = len(hits) == ROWS_MAX
        if tag_terms:
            ages = sorted({hit.age for hit in hits})
            kept = {row.age for row in search_store.of_notes(*self._place, tag_terms, ages, self._space_id)}
            hits = [hit for hit in hits if hit.age in kept]
        if len(finding) == len(words) and not is_cut:
            return hits
        return self._hits(words, ranking.ranked(finding, hits)[:LEADERS_MAX])

    def _shown(self, ages: Sequence[int], limit: int) -> list[Note]:
        """The first `limit` of them that have not ended."""
        connection = self._place[0]
        now = self._kernel.writer.now(self._space_id)
        notes: list[Note] = []
        start, size = 0, limit
        while len(notes) < limit and start < len(ages):
            some = ages[start : start + size]
            found = store.heads_by_age(connection, self._space_id, some, now)
            notes += [found[age].note for age in some if age in found]
            # Few have ended, so the first `limit` are mostly enough; where many have, more are read at once.
            start, size = start + size, min(size * 4, _SHOWN_AT_ONCE)
        return notes[:limit]

    def _hits(self, words: Sequence[Word], ages: Iterable[int]) -> Sequence[Any]:
        terms = sorted({term for word in words for term in word.terms})
        return search_store.of_notes(*self._place, terms, sorted(ages), self._space_id)
