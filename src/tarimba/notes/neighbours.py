"""Which notes stand next to a text: those that say the same in other words. Integers decide, as in the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, select

from tarimba.kernel import Kernel
from tarimba.notes import rules, search_store, store
from tarimba.notes.model import Owner, Stored
from tarimba.notes.ranking import ROWS_MAX
from tarimba.proposals.model import Text
from tarimba.storage.tables import space

SIMILAR_MAX: Final = 5
# Of those that share the rarest words so many are compared word by word.
_COMPARED_MAX: Final = 40
_NUMBER: Final = select(space.c.space_no).where(space.c.space_id == bindparam("space_id"))


def similar(kernel: Kernel, connection: Connection, space_id: str, source_id: str, text: Text) -> list[str]:
    """Ids of up to five active notes that the agent reads and that say much the same as `text`, closest first."""
    return [one.note.note_id for one in neighbours(kernel, connection, space_id, source_id, text)]


def neighbours(
    kernel: Kernel, connection: Connection, space_id: str, source_id: str, text: Text
) -> list[Stored]:
    """The notes of `similar` themselves."""
    owner = store.owner(connection, space_id, source_id)
    if owner is None:
        return []
    terms = frozenset(kernel.words.weighted(text.title, text.body, text.tags))
    now = kernel.writer.now(space_id)
    heads = sharing(connection, space_id, owner, terms, now)
    theirs = store.terms_of(connection, space_id, [head.note.note_id for head in heads])
    near = []
    for head in heads:
        likeness = rules.likeness(terms, frozenset(theirs[head.note.note_id]))
        if likeness >= rules.SIMILAR:
            near.append((-likeness, head.age, head))
    return [head for _, _, head in sorted(near, key=lambda found: found[:2])[:SIMILAR_MAX]]


def sharing(
    connection: Connection, space_id: str, owner: Owner, terms: frozenset[int], now: int
) -> Sequence[Stored]:
    """Active notes that the agent reads and that share words with these, most of the rarest first."""
    place = (connection, int(connection.scalar(_NUMBER, {"space_id": space_id}) or 0), owner.pools)
    having = search_store.having(*place, sorted(terms))
    telling, rows = [], 0
    for term in sorted(having, key=lambda term: (having[term], term)):
        if rows + having[term] > ROWS_MAX:
            break
        telling.append(term)
        rows += having[term]
    shared: dict[int, int] = {}
    for hit in search_store.best(*place, telling, ROWS_MAX) if telling else ():
        shared[hit.age] = shared.get(hit.age, 0) + 1
    leading = sorted(shared, key=lambda age: (-shared[age], age))[:_COMPARED_MAX]
    found = store.heads_by_age(connection, space_id, leading, now)
    return [found[age] for age in leading if age in found]
