"""SQL of published skills and of their bytes: rows to values and back. No decisions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, select, update

from tarimba.skills.records import File, Place, Published
from tarimba.storage import Tx
from tarimba.storage.tables import blob, skill, skill_version

_VERSION: Final = (
    skill.c.skill_id,
    skill.c.scope,
    skill.c.subscription_id,
    skill.c.source_id,
    skill.c.name,
    *(
        skill_version.c[name]
        for name in (
            "version", "description", "verdict", "content_hash", "size", "files", "published_at", "published_by",
            "ordinal",
        )
    ),
)  # fmt: skip
_SAME_SKILL: Final = and_(
    skill.c.space_id == skill_version.c.space_id, skill.c.skill_id == skill_version.c.skill_id
)
_ALL: Final = select(*_VERSION).join_from(skill, skill_version, _SAME_SKILL)
_CURRENT: Final = _ALL.where(skill_version.c.version == skill.c.version)


def in_force(connection: Connection, space_id: str, which: ColumnElement[bool]) -> list[Published]:
    """The versions in force of the skills that `which` (over `skill`) takes, in no order."""
    rows = connection.execute(_CURRENT.where(skill.c.space_id == space_id, which)).all()
    return [_published(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Entry:
    """A name at one scope. `version` is the one in force, 0 when it is removed."""

    skill_id: str
    version: int


def entry(connection: Connection, space_id: str, place: Place, name: str) -> Entry | None:
    """The name at this scope, also a removed one."""
    query = select(skill.c.skill_id, skill.c.version).where(skill.c.space_id == space_id)
    row = connection.execute(query.where(at(skill, place), skill.c.name == name)).first()
    return Entry(row.skill_id, row.version) if row else None


def version(connection: Connection, space_id: str, skill_id: str, number: int) -> Published | None:
    query = _ALL.where(skill.c.space_id == space_id, skill.c.skill_id == skill_id)
    row = connection.execute(query.where(skill_version.c.version == number)).first()
    return _published(row) if row else None


def versions(
    connection: Connection, space_id: str, skill_id: str, before: int | None, limit: int
) -> list[Published]:
    """Newest first, those before the version `before`."""
    query = _ALL.where(skill.c.space_id == space_id, skill.c.skill_id == skill_id)
    if before is not None:
        query = query.where(skill_version.c.version < before)
    rows = connection.execute(query.order_by(skill_version.c.version.desc()).limit(limit)).all()
    return [_published(row) for row in rows]


def problems(connection: Connection, space_id: str, skill_id: str, number: int) -> str:
    """What was found wrong with a version, as it is stored; an empty list where there is no such version."""
    query = select(skill_version.c.problems).where(skill_version.c.space_id == space_id)
    mine = (skill_version.c.skill_id == skill_id, skill_version.c.version == number)
    return str(connection.execute(query.where(*mine)).scalar() or "[]")


def listed(
    connection: Connection, space_id: str, which: ColumnElement[bool], after: int, limit: int
) -> list[tuple[int, Published]]:
    """The versions in force of the skills that `which` takes, with the place of the skill: oldest skill first."""
    query = _CURRENT.add_columns(skill.c.ordinal.label("place")).where(skill.c.space_id == space_id, which)
    query = query.where(skill.c.ordinal > after).order_by(skill.c.ordinal).limit(limit)
    return [(row.place, _published(row)) for row in connection.execute(query)]


def listed_removed(
    connection: Connection, space_id: str, which: ColumnElement[bool], after: int, limit: int
) -> list[tuple[int, Published]]:
    """As `listed`, of those that are not in force: the last version of each."""
    other = skill_version.alias()
    mine = (other.c.space_id == skill.c.space_id, other.c.skill_id == skill.c.skill_id)
    newest = select(func.max(other.c.version)).where(*mine).correlate(skill).scalar_subquery()
    query = _ALL.add_columns(skill.c.ordinal.label("place")).where(skill.c.space_id == space_id, which)
    query = query.where(skill.c.version == 0, skill_version.c.version == newest, skill.c.ordinal > after)
    rows = connection.execute(query.order_by(skill.c.ordinal).limit(limit))
    return [(row.place, _published(row)) for row in rows]


def versions_after(
    connection: Connection, space_id: str, after: int, limit: int
) -> list[tuple[Published, str, bool]]:
    """Every version in the order of publishing, with its problems and whether it is in force."""
    more = (skill_version.c.problems, skill.c.version.label("present"))
    query = _ALL.add_columns(*more).where(skill.c.space_id == space_id, skill_version.c.ordinal > after)
    rows = connection.execute(query.order_by(skill_version.c.ordinal).limit(limit)).all()
    return [(_published(row), row.problems, row.version == row.present) for row in rows]


def count_in_force(connection: Connection, space_id: str, place: Place) -> int:
    query = select(func.count()).select_from(skill).where(skill.c.space_id == space_id, at(skill, place))
    return int(connection.execute(query.where(skill.c.version > 0)).scalar() or 0)


def content(connection: Connection, space_id: str, digest: str) -> bytes | None:
    query = select(blob.c.content).where(blob.c.space_id == space_id, blob.c.hash == digest)
    found = connection.execute(query).scalar()
    return None if found is None else bytes(found)


def at(table: Any, place: Place) -> ColumnElement[bool]:
    """The condition that a row stands at this very scope."""
    columns = table.c
    return and_(
        columns.scope == place.scope,
        columns.subscription_id == place.subscription_id,
        columns.source_id == place.source_id,
    )


def digests_after(connection: Connection, space_id: str, after: str, limit: int) -> list[str]:
    """The hashes of what is kept, in their order."""
    query = select(blob.c.hash).where(blob.c.space_id == space_id, blob.c.hash > after)
    return list(connection.scalars(query.order_by(blob.c.hash).limit(limit)))


def add_skill(tx: Tx, skill_id: str, place: Place, name: str) -> None:
    """A name that has no version yet."""
    tx.write(
        insert(skill).values(
            space_id=tx.space_id,
            skill_id=skill_id,
            scope=place.scope,
            subscription_id=place.subscription_id,
            source_id=place.source_id,
            name=name,
            version=0,
            created_at=tx.now,
            ordinal=tx.next_ordinal(),
        )
    )


def add_version(tx: Tx, new: Published, problems: str) -> None:
    """A version, which is in force from now on. `problems` is JSON."""
    tx.write(
        insert(skill_version).values(
            space_id=tx.space_id,
            skill_id=new.skill_id,
            version=new.version,
            description=new.description,
            verdict=new.verdict,
            problems=problems,
            files=files_text(new.files),
            content_hash=new.content_hash,
            size=new.size,
            published_at=new.published_at,
            published_by=new.published_by,
            ordinal=new.ordinal,
        )
    )
    put_in_force(tx, new.skill_id, new.version)


def put_in_force(tx: Tx, skill_id: str, version: int) -> None:
    """`version` 0 is none: the skill is removed."""
    tx.write(update(skill).where(_one(tx, skill, skill_id)).values(version=version))


def newest(tx: Tx, skill_id: str) -> int:
    """The number of the last version that there ever was; 0 when there was none."""
    query = select(func.max(skill_version.c.version)).where(_one(tx, skill_version, skill_id))
    return int(tx.scalar(query) or 0)


def hold(tx: Tx, digests: Collection[str], contents: Mapping[str, bytes]) -> None:
    """One holder more for each of the hashes; what is not kept yet is kept, from `contents` (bytes by their hash)."""
    wanted = sorted(set(digests))
    mine = (blob.c.space_id == tx.space_id, blob.c.hash.in_(wanted))
    known = {row.hash for row in tx.all(select(blob.c.hash).where(*mine))}
    tx.write(update(blob).where(*mine).values(refs=blob.c.refs + 1))
    new = [
        {
            "space_id": tx.space_id,
            "hash": one,
            "size": len(contents[one]),
            "content": contents[one],
            "refs": 1,
        }
        for one in wanted
        if one not in known
    ]
    if new:
        tx.write(insert(blob), new)


def let_go(tx: Tx, digests: Collection[str]) -> int:
    """One holder less for each; what nobody holds any more is deleted. Returns how many were."""
    mine = (blob.c.space_id == tx.space_id, blob.c.hash.in_(sorted(set(digests))))
    tx.write(update(blob).where(*mine).values(refs=blob.c.refs - 1))
    return tx.write(delete(blob).where(*mine, blob.c.refs <= 0))


def erase(tx: Tx, skill_id: str) -> None:
    """Deletes every version of a skill and its name."""
    tx.write(delete(skill_version).where(_one(tx, skill_version, skill_id)))
    tx.write(delete(skill).where(_one(tx, skill, skill_id)))


def files_text(files: Sequence[File]) -> str:
    """The files as they are stored: JSON sorted by path."""
    return json.dumps(
        [_file_json(one) for one in sorted(files, key=lambda f: f.path)],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _one(tx: Tx, table: Any, skill_id: str) -> ColumnElement[bool]:
    return and_(table.c.space_id == tx.space_id, table.c.skill_id == skill_id)


def _file_json(one: File) -> dict[str, Any]:
    told: dict[str, Any] = {"path": one.path, "hash": one.hash, "size": one.size}
    return told | {"original": one.original} if one.original else told


def _published(row: Row[Any]) -> Published:
    return Published(
        row.skill_id,
        row.scope,
        row.subscription_id,
        row.source_id,
        row.name,
        row.description,
        row.verdict,
        row.version,
        row.content_hash,
        row.size,
        tuple(File(**one) for one in json.loads(row.files)),
        row.published_at,
        row.published_by,
        row.ordinal,
    )
