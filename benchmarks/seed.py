"""Filling a space with notes: derived by the same rules as a note that is written, stored in bulk.

The space, its agents and keys are declared as an operator declares them. Up to 20,000 texts are distinct; a
larger space repeats them among different agents, which leaves how often words occur as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, select, update

from benchmarks.texts import Text, Writer
from tarimba.blocks import rules as blocks
from tarimba.identity.hosting import apply_text
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.notes import rules
from tarimba.notes.model import Note
from tarimba.notes.store import packed
from tarimba.notes.wire import note_json
from tarimba.storage.tables import agent, note_chain, note_term, note_version, space, space_head, vendor

AGENT_NOTES = 500
SMALL_NOTES = 10
DISTINCT_MAX = 20_000
_FRESH, _FRESH_SEED = 1000, 5
_VENDOR_AGENTS = 40
# One note in so many is open to its vendor; none in the vendor of the two agents that are measured.
_OPENED = 100


@dataclass(frozen=True, slots=True)
class Seeded:
    """A filled space: keys of the two agents that are measured and of the whole space, and its counts.

    `fresh` are texts that the detectors let pass, to write as new notes.
    """

    space_id: str
    large_key: str
    small_key: str
    admin_key: str
    notes: int
    agents: int
    fresh: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class _Derived:
    """A text with all that its note stores beside it."""

    text: Text
    line: str
    tokens: int
    terms: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one note goes. `age` is its ordinal in the space."""

    source_id: str
    pool: int
    visibility: str
    age: int
    text: int


def texts(kernel: Kernel, count: int) -> list[_Derived]:
    """The distinct texts of a space of `count` notes, derived as `prepare` derives them."""
    writer = Writer()
    return [_derive(kernel, writer.text()) for _ in range(min(count, DISTINCT_MAX))]


def fill(kernel: Kernel, count: int) -> Seeded:
    """Makes the space in an empty database and puts `count` active notes into it."""
    sizes = _sizes(count)
    applied = apply_text(kernel, _manifest(len(sizes)), None)
    derived = texts(kernel, count)
    places = list(_places(kernel, applied.space_id, sizes, len(derived)))
    with kernel.database.read() as connection:
        space_no = int(connection.scalar(select(space.c.space_no)) or 0)
    _store(kernel, applied.space_id, space_no, places, derived)
    keys = {slug: found["bench"] for slug, found in applied.agent_keys.items() if found}
    large, small, admin = keys["agent-0"], keys["agent-1"], applied.keys["admin"]
    assert large is not None
    assert small is not None
    assert admin is not None
    return Seeded(applied.space_id, large, small, admin, count, len(sizes), _fresh(kernel))


def _fresh(kernel: Kernel) -> tuple[Text, ...]:
    writer = Writer(_FRESH_SEED)
    texts = (writer.text() for _ in range(_FRESH))
    return tuple(
        text
        for text in texts
        if kernel.detectors.check({"title": text.title, "body": text.body, "tags": text.tags}).clean
    )


def _sizes(count: int) -> list[int]:
    """Notes of each agent: the large one first, then the small one, then the rest evenly."""
    large = min(AGENT_NOTES, count - SMALL_NOTES)
    rest = count - large - SMALL_NOTES
    others = -(-rest // AGENT_NOTES)
    return [large, SMALL_NOTES, *(rest // others + (at < rest % others) for at in range(others))]


def _manifest(agents: int) -> str:
    lines = ['space = {slug = "bench", name = "Bench", language = "pt", environment = "test"}']
    # Caps per hour are not what is measured.
    lines += ["[agent_memory]", "enabled = true", "writes_per_hour = 1000000", "active_notes_max = 1000000"]
    lines += ["[[key]]", 'name = "admin"', 'scopes = ["admin"]']
    lines += ["[[person]]", 'slug = "owner"', 'email = "owner@example.com"', 'roles = ["owner"]']
    for at in range(_vendor_of(agents - 1) + 1):
        lines += ["[[vendor]]", f'slug = "vendor-{at}"']
    for at in range(agents):
        lines += ["[[agent]]", f'slug = "agent-{at}"', f'vendor = "vendor-{_vendor_of(at)}"']
        if at < 2:
            lines += ["[[agent.key]]", 'name = "bench"', 'scopes = ["agent_memory", "agent_memory:write"]']
    return "\n".join(lines)


def _vendor_of(agent_at: int) -> int:
    return 0 if agent_at < 2 else 1 + (agent_at - 2) // _VENDOR_AGENTS


def _derive(kernel: Kernel, written: Text) -> _Derived:
    line = blocks.render_line(written.kind, written.title, written.body)
    terms = kernel.words.weighted(written.title, written.body, written.tags)
    return _Derived(written, line, blocks.line_tokens(line, kernel.tokenizer), terms)


def _places(kernel: Kernel, space_id: str, sizes: Sequence[int], distinct: int) -> Iterator[_Place]:
    query = (
        select(agent.c.source_id, agent.c.pool, vendor.c.pool.label("vendor_pool"), vendor.c.slug)
        .join_from(agent, vendor, agent.c.vendor_id == vendor.c.vendor_id)
        .where(agent.c.space_id == space_id)
        .order_by(agent.c.ordinal)
    )
    with kernel.database.read() as connection:
        rows = connection.execute(query).all()
        age = int(connection.scalar(select(space_head.c.counter)) or 0)
    first = age + 1
    for row, size in zip(rows, sizes, strict=True):
        for _ in range(size):
            age += 1
            is_open = age % _OPENED == 0 and row.slug != "vendor-0"
            pool, visibility = (row.vendor_pool, "vendor") if is_open else (row.pool, "source")
            yield _Place(row.source_id, pool, visibility, age, (age - first) % distinct)


def _store(
    kernel: Kernel, space_id: str, space_no: int, places: Sequence[_Place], derived: Sequence[_Derived]
) -> None:
    ids = [new_id() for _ in places]
    chains = (_chain(space_id, note_id, place) for note_id, place in zip(ids, places, strict=True))
    versions = (
        _version(kernel, space_id, note_id, place, derived[place.text])
        for note_id, place in zip(ids, places, strict=True)
    )
    _bulk(kernel, note_chain, tuple(_chain("", "", places[0])), (tuple(row.values()) for row in chains))
    names = tuple(_version(kernel, "", "", places[0], derived[0]))
    _bulk(kernel, note_version, names, (tuple(row.values()) for row in versions))
    terms = ("space_no", "term", "pool", "age", "weight", "version")
    _bulk(kernel, note_term, terms, _terms(space_no, places, derived))
    with kernel.database.write() as connection:
        connection.execute(update(space_head).values(counter=places[-1].age))
    _refresh_statistics(kernel)


def _chain(space_id: str, note_id: str, place: _Place) -> dict[str, Any]:
    return {
        "space_id": space_id,
        "chain_id": note_id,
        "source_id": place.source_id,
        "age": place.age,
        "pool": place.pool,
        "head_note_id": note_id,
        "head_version": 1,
        "status": "active",
        "valid_until": None,
    }


def _version(kernel: Kernel, space_id: str, note_id: str, place: _Place, derived: _Derived) -> dict[str, Any]:
    note = _note(note_id, place, derived.text)
    salt = os.urandom(16).hex()
    return {
        "space_id": space_id,
        "note_id": note_id,
        "chain_id": note_id,
        "version": 1,
        "supersedes_note_id": None,
        "kind": note.kind,
        "title": note.title,
        "body": note.body,
        "tags": _tags_json(note.tags),
        "visibility": note.visibility,
        "evidence": None,
        "origin": note.origin,
        "valid_until": None,
        "created_at": note.created_at,
        "created_by": note.created_by,
        "seq_from": 0,
        "seq_to": None,
        "salt": salt,
        "content_hash": rules.content_hash(note_json(note), salt),
        "line": derived.line,
        "line_tokens": derived.tokens,
        "renderer": blocks.RENDERER,
        "tokenizer": kernel.tokenizer.name,
        "terms": packed(sorted(derived.terms)),
        "words": kernel.words.version,
        "detectors": "seed",
    }


def _tags_json(tags: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{tag}"' for tag in tags) + "]"


def _note(note_id: str, place: _Place, written: Text) -> Note:
    return Note(
        note_id=note_id,
        source_id=place.source_id,
        kind=written.kind,
        title=written.title,
        body=written.body,
        tags=written.tags,
        visibility=place.visibility,
        evidence=None,
        origin="agent",
        version=1,
        supersedes_note_id=None,
        status="active",
        valid_until=None,
        created_at=place.age,
        created_by=place.source_id,
    )


def _terms(
    space_no: int, places: Sequence[_Place], derived: Sequence[_Derived]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """The rows of the search index in the order of their key: sorted all at once they would fill the memory."""
    notes_of: dict[int, list[_Place]] = {}
    for place in places:
        notes_of.setdefault(place.text, []).append(place)
    texts_of: dict[int, list[int]] = {}
    for at, one in enumerate(derived):
        for term in one.terms:
            texts_of.setdefault(term, []).append(at)
    for term in sorted(texts_of):
        rows = [
            (space_no, term, place.pool, place.age, derived[at].terms[term], 1)
            for at in texts_of[term]
            for place in notes_of[at]
        ]
        yield from sorted(rows)


def _bulk(kernel: Kernel, table: Table, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Inserts rows by the driver's own bulk path, in one transaction."""
    connection = kernel.database.write_engine.raw_connection()
    try:
        cursor: Any = connection.cursor()
        columns = ", ".join(names)
        if kernel.database.is_sqlite:
            # Nothing that is measured: the server that opens the file later syncs as always.
            cursor.execute("PRAGMA synchronous = OFF")
            cursor.execute("BEGIN IMMEDIATE")
            marks = ", ".join("?" for _ in names)
            cursor.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})", rows)
            cursor.execute("COMMIT")
        else:
            # A server's limit for one statement, which filling a large table on a busy machine can reach.
            cursor.execute("BEGIN; SET LOCAL statement_timeout = 0")
            with cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            connection.commit()
    finally:
        connection.close()


def _refresh_statistics(kernel: Kernel) -> None:
    """What autovacuum does within a minute of service; SQLite's plans need none."""
    if kernel.database.is_sqlite:
        return
    with kernel.database.maintenance() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
