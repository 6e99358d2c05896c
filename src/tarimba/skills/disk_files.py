"""The files that administrators share, as an agent finds them on disk: below `tenant` and below `subscription`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.skills import published
from tarimba.skills.disk_set import ErasedError
from tarimba.skills.disk_store import told_of
from tarimba.skills.records import File, SharedFile
from tarimba.skills.rules import content_hash
from tarimba.skills.staging import Content, Tree
from tarimba.storage import Database

FOLDERS: Final = ("tenant", "subscription")


@dataclass(frozen=True, slots=True)
class SharedSet:
    """Both folders by name, also when there is nothing in them."""

    space_id: str
    trees: Mapping[str, Tree]
    files: Mapping[str, Sequence[SharedFile]]

    def content(self, database: Database, name: str) -> Content:
        """Paths and bytes of one folder, read one by one: together they may be larger than memory."""
        return self._read(database, self.files[name])

    def _read(self, database: Database, listed: Sequence[SharedFile]) -> Iterator[tuple[str, bytes]]:
        for file in listed:
            with database.read() as connection:
                try:
                    data = published.blob(connection, self.space_id, file.hash)
                except KeyError:
                    raise ErasedError from None
            yield file.path, data


def shared_set(connection: Connection, space_id: str, subscription_id: str, source_id: str) -> SharedSet:
    """What is shared with an agent in a subscription now: in each folder what is for this agent wins by path.

    An agent that is not there, or in no such subscription, has neither folder.
    """
    if told_of(connection, space_id, subscription_id, source_id) is None:
        return SharedSet(space_id, {}, {})
    layers = published.file_layers(connection, space_id, subscription_id, source_id)
    files = {name: _winning([one for one in layers if one.scope == name]) for name in FOLDERS}
    trees = {name: Tree(name, _hash(found), _stamp(found)) for name, found in files.items()}
    return SharedSet(space_id, trees, files)


def _winning(layers: Sequence[SharedFile]) -> list[SharedFile]:
    """`layers` are the weaker first. A path that can't stand beside a stronger one, as its folder, is left out."""
    found: dict[str, SharedFile] = {}
    folders: set[str] = set()
    for one in reversed(layers):
        steps = one.path.split("/")
        above = {"/".join(steps[:depth]) for depth in range(1, len(steps))}
        if one.path not in found and one.path not in folders and above.isdisjoint(found):
            found[one.path] = one
            folders |= above
    return [found[path] for path in sorted(found)]


def _hash(files: Sequence[SharedFile]) -> str:
    return content_hash([File(one.path, one.hash, one.size) for one in files])


def _stamp(files: Sequence[SharedFile]) -> int:
    return max((one.published_at // SECOND for one in files), default=0)
