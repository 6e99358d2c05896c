"""Shakes a database without changing what it says: rows in other places, other indexes, other plans."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

from tests.e2e.company import Place

TABLES: Final = ("note_chain", "note_version", "agent", "vendor", "space_setting")
PLANNER: Final = (
    "enable_seqscan",
    "enable_indexscan",
    "enable_bitmapscan",
    "enable_hashjoin",
    "enable_nestloop",
)
Indexes = Literal["as made", "dropped", "added"]


def shuffle(place: Place, seed: int) -> None:
    """Writes the rows of the notes again, in another order."""
    moved = random.Random(seed)
    with place.rows() as connection:
        off = "PRAGMA foreign_keys=OFF" if place.db is None else "SET session_replication_role = replica"
        connection.execute(off)
        connection.execute("BEGIN")
        for table in TABLES:
            # Table by table, so that rows of two tables never lie in the same order but by chance.
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            moved.shuffle(rows)
            connection.execute(f"DELETE FROM {table}")
            values = ", ".join(["?" if place.db is None else "%s"] * len(rows[0]))
            connection.cursor().executemany(f"INSERT INTO {table} VALUES ({values})", rows)
        connection.execute("COMMIT")


def vacuum(place: Place) -> None:
    with place.rows() as connection:
        connection.execute("VACUUM" if place.db is None else "VACUUM FULL")


def analyze(place: Place) -> None:
    with place.rows() as connection:
        connection.execute("ANALYZE")


@contextmanager
def other_indexes(place: Place, indexes: Indexes) -> Iterator[None]:
    """Within the block, without the indexes that no key needs, or with more of them."""
    made = _indexes(place) if indexes == "dropped" else []
    with place.rows() as connection:
        for name, _ in made:
            connection.execute(f"DROP INDEX {name}")
        if indexes == "added":
            connection.execute("CREATE INDEX odd_chain ON note_chain (status, head_version DESC, pool)")
            connection.execute("CREATE INDEX odd_version ON note_version (kind, note_id DESC)")
    try:
        yield
    finally:
        with place.rows() as connection:
            for _, definition in made:
                connection.execute(definition)
            if indexes == "added":
                connection.execute("DROP INDEX odd_chain")
                connection.execute("DROP INDEX odd_version")


@contextmanager
def other_plans(place: Place, off: Sequence[str]) -> Iterator[None]:
    """Within the block new connections plan without these ways. Only PostgreSQL can be told."""
    if place.db is None:
        yield
        return
    database = place.db.rpartition("/")[2]
    with place.rows() as connection:
        # What is turned off counts as very dear, and dear queries would be compiled first, which takes seconds.
        for name in ("jit", *off):
            connection.execute(f"ALTER DATABASE {database} SET {name} = off")
    try:
        yield
    finally:
        with place.rows() as connection:
            connection.execute(f"ALTER DATABASE {database} RESET ALL")


def _indexes(place: Place) -> list[tuple[Any, ...]]:
    """Name and definition of every index of the notes that is not a key's own."""
    if place.db is None:
        query = (
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN {}"
        )
    else:
        query = (
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN {} AND NOT EXISTS "
            "(SELECT 1 FROM pg_constraint WHERE conname = indexname)"
        )
    return place.ask(query.format(("note_chain", "note_version", "agent", "agent_key")))
