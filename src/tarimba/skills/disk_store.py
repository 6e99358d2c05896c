"""SQL of what goes to disk: which versions win, in as few bytes as ten thousand of them need, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, select

from tarimba.clock import SECOND
from tarimba.skills.records import File
from tarimba.skills.staging import Tree
from tarimba.storage.tables import agent as agents
from tarimba.storage.tables import blob, shared_file, skill, skill_version, space, space_head, subscription


class Known(NamedTuple):
    """What decides which skills of the package somebody gets."""

    harness: str
    language: str


class Winner(NamedTuple):
    """The version of one name that an agent gets. `published_at` in microseconds."""

    name: str
    skill_id: str
    version: int
    content_hash: str
    published_at: int

    @property
    def tree(self) -> Tree:
        return Tree(self.name, self.content_hash, self.published_at // SECOND)


_VERSION: Final = and_(
    skill_version.c.space_id == skill.c.space_id,
    skill_version.c.skill_id == skill.c.skill_id,
    skill_version.c.version == skill.c.version,
)
_WINNER: Final = (
    skill.c.name,
    skill.c.skill_id,
    skill.c.version,
    skill_version.c.content_hash,
    skill_version.c.published_at,
)
# Built once: writing a statement takes longer than running it.
_FILES: Final = select(skill_version.c.files).where(
    skill_version.c.space_id == bindparam("space_id"),
    skill_version.c.skill_id == bindparam("skill_id"),
    skill_version.c.version == bindparam("version"),
    skill_version.c.content_hash == bindparam("hash"),
)
_BYTES: Final = select(blob.c.hash, blob.c.content).where(
    blob.c.space_id == bindparam("space_id"), blob.c.hash.in_(bindparam("hashes", expanding=True))
)


def winners(
    connection: Connection, space_id: str, subscription_id: str, source_id: str, name: str | None = None
) -> dict[str, Winner]:
    """What wins in each name (or in one), as `rules.cascade` decides it over `published.layers`."""
    query = (
        select(*_WINNER)
        .join_from(skill, skill_version, _VERSION)
        .where(
            skill.c.space_id == space_id,
            skill.c.subscription_id.in_(sorted({"", subscription_id})),
            skill.c.source_id.in_(sorted({"", source_id})),
        )
        # The empty id, which stands for all, comes first: so a stronger layer follows a weaker one.
        .order_by(skill.c.subscription_id, skill.c.source_id)
    )
    if name is not None:
        query = query.where(skill.c.name == name)
    return {row[0]: Winner._make(row) for row in connection.execute(query)}


def files(connection: Connection, space_id: str, winner: Winner) -> tuple[File, ...] | None:
    """What a version consists of; None when it was erased since."""
    which = {
        "space_id": space_id, "skill_id": winner.skill_id, "version": winner.version, "hash": winner.content_hash,
    }  # fmt: skip
    listed = connection.scalar(_FILES, which)
    return None if listed is None else tuple(File(**one) for one in json.loads(listed))


def content(connection: Connection, space_id: str, listed: Sequence[File]) -> list[tuple[str, bytes]] | None:
    """Paths with their bytes; None when some were erased since."""
    hashes = sorted({file.hash for file in listed})
    found = connection.execute(_BYTES, {"space_id": space_id, "hashes": hashes})
    bytes_of = {digest: bytes(data) for digest, data in found}
    if len(bytes_of) < len(hashes):
        return None
    return [(file.path, bytes_of[file.hash]) for file in listed]


def generation(connection: Connection, space_id: str) -> int:
    """The number that moves with whatever a cached read of the space depends on; -1 when there is no such space."""
    found = connection.scalar(select(space_head.c.generation).where(space_head.c.space_id == space_id))
    return -1 if found is None else int(found)


def published_mark(connection: Connection, space_id: str) -> tuple[int, ...]:
    """Numbers of which one at least differs after a skill or a shared file was published, or taken back."""
    asked = (
        select(func.max(skill_version.c.ordinal)).where(skill_version.c.space_id == space_id),
        select(func.sum(skill.c.version)).where(skill.c.space_id == space_id),
        select(func.max(shared_file.c.ordinal)).where(shared_file.c.space_id == space_id),
        select(func.sum(shared_file.c.version)).where(shared_file.c.space_id == space_id),
    )
    return tuple(int(connection.scalar(query) or 0) for query in asked)


def fleet_mark(connection: Connection, space_id: str) -> str:
    """A text that differs after an agent or a subscription came or went, or what decides its shipped skills changed."""
    its = select(agents.c.source_id, agents.c.harness).where(agents.c.space_id == space_id)
    theirs = select(subscription.c.subscription_id).where(subscription.c.space_id == space_id)
    language = connection.scalar(select(space.c.language).where(space.c.space_id == space_id))
    rows = sorted(f"{row[0]} {row[1]}" for row in connection.execute(its))
    return "\n".join([str(language), *rows, *sorted(connection.scalars(theirs))])


def told_of(connection: Connection, space_id: str, subscription_id: str, source_id: str) -> Known | None:
    """The agent's harness and the space's language; None unless the space has the agent and the subscription.

    Without a subscription (empty) the agent alone must be there.
    """
    query = (
        select(agents.c.harness, space.c.language)
        .join_from(agents, space, agents.c.space_id == space.c.space_id)
        .where(agents.c.space_id == space_id, agents.c.source_id == source_id)
    )
    if subscription_id:
        theirs = select(subscription.c.slug).where(
            subscription.c.space_id == space_id, subscription.c.subscription_id == subscription_id
        )
        query = query.where(theirs.exists())
    row = connection.execute(query).first()
    return None if row is None else Known(row.harness, row.language)
