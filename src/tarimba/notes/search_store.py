"""SQL of the search: how common terms are, and which notes have them. All by the primary key of `note_term`.

`pools` None reads every pool of the space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Integer, Select, and_, bindparam, func, select

from tarimba.storage.tables import note_chain, note_term

_ROW: Final = (note_term.c.age, note_term.c.term, note_term.c.weight, note_term.c.version)
_HAS: Final = (
    note_term.c.space_no == bindparam("no"),
    note_term.c.term.in_(bindparam("terms", expanding=True)),
)
COMMON: Final = select(note_term.c.term, func.count().label("having")).where(*_HAS).group_by(note_term.c.term)
BEST: Final = (
    select(*_ROW)
    .where(*_HAS)
    .order_by(note_term.c.weight.desc(), note_term.c.version.desc(), note_term.c.age)
    .limit(bindparam("most", type_=Integer()))
)
OF_NOTES: Final = select(*_ROW).where(*_HAS, note_term.c.age.in_(bindparam("ages", expanding=True)))
# Without pools the primary key of the terms alone would read every note that has them. The outer join keeps both
# planners to the one good order: each note's place first, then its rows by the whole key.
_ANYWHERE: Final = (
    select(*_ROW)
    .select_from(
        note_chain.outerjoin(
            note_term, and_(*_HAS, note_term.c.pool == note_chain.c.pool, note_term.c.age == note_chain.c.age)
        )
    )
    .where(
        note_chain.c.space_id == bindparam("space_id"),
        note_chain.c.age.in_(bindparam("ages", expanding=True)),
    )
)
_TOTAL: Final = (
    select(func.count())
    .select_from(note_chain)
    .where(note_chain.c.space_id == bindparam("space_id"), note_chain.c.status == "active")
)
# PostgreSQL reads the whole table when a list of places is long.
_AT_ONCE: Final = 200


def total(connection: Connection, space_id: str, pools: Sequence[int] | None) -> int:
    """Active notes in the pools."""
    query = _TOTAL if pools is None else _TOTAL.where(note_chain.c.pool.in_(pools))
    return int(connection.scalar(query, {"space_id": space_id}) or 0)


def having(
    connection: Connection, space_no: int, pools: Sequence[int] | None, terms: Sequence[int]
) -> dict[int, int]:
    """For each term the number of notes that have it."""
    values = {"no": space_no, "terms": list(terms)}
    rows = connection.execute(within(COMMON, pools), values)
    return {row.term: row.having for row in rows}


def best(
    connection: Connection, space_no: int, pools: Sequence[int] | None, terms: Sequence[int], most: int
) -> Sequence[Any]:
    """Up to `most` rows (age, term, weight, version): the heaviest first, then the most revised, the oldest."""
    values = {"no": space_no, "terms": list(terms), "most": most}
    return connection.execute(within(BEST, pools), values).all()


def of_notes(
    connection: Connection,
    space_no: int,
    pools: Sequence[int] | None,
    terms: Sequence[int],
    ages: Sequence[int],
    space_id: str,
) -> list[Any]:
    """The rows of these terms for the notes of these ages."""
    query = _ANYWHERE if pools is None else within(OF_NOTES, pools)
    fixed = {"no": space_no, "terms": list(terms)} | ({"space_id": space_id} if pools is None else {})
    rows: list[Any] = []
    for start in range(0, len(ages), _AT_ONCE):
        found = connection.execute(query, {**fixed, "ages": list(ages[start : start + _AT_ONCE])})
        # A note without any of the terms comes as a row of NULLs.
        rows += [row for row in found.all() if row.term is not None]
    return rows


def within(query: Select[Any], pools: Sequence[int] | None) -> Select[Any]:
    """The query narrowed to the pools."""
    return query if pools is None else query.where(note_term.c.pool.in_(pools))
