"""What should stand in an agent's directory: what is published for it, over what comes with the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.harnesses.service import Profile, profile
from tarimba.skills import disk_store as store
from tarimba.skills import managed
from tarimba.skills.disk_store import Winner
from tarimba.skills.model import Language
from tarimba.skills.records import File
from tarimba.skills.rules import content_hash
from tarimba.skills.staging import Content, Tree
from tarimba.storage import Database

# What comes with the package was published at no moment that all hosts share.
_NEVER = 0


class ErasedError(Exception):
    """Something was erased between choosing and reading it."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """The skills that come with the package, for one harness and one language, each with its files."""

    profile: Profile
    language: Language
    files: Mapping[str, Sequence[File]]


@dataclass(frozen=True, slots=True)
class DiskSet:
    """A whole set by name. Each of `trees` is one of `winners`, else of `shipped`."""

    space_id: str
    trees: Mapping[str, Tree]
    winners: Mapping[str, Winner]
    shipped: Shipped | None

    def files(self, connection: Connection, name: str) -> Sequence[File] | None:
        """What a skill of the set consists of; None when it was erased since."""
        winner = self.winners.get(name)
        if winner is not None:
            return store.files(connection, self.space_id, winner)
        return None if self.shipped is None else self.shipped.files.get(name)

    def content(self, database: Database, name: str) -> Content:
        """Paths and bytes of a skill. Raises `ErasedError`."""
        with database.read() as connection:
            listed = self.files(connection, name)
            if listed is not None and name not in self.winners:
                return [(file.path, self._shipped_bytes(name, file)) for file in listed]
            found = None if listed is None else store.content(connection, self.space_id, listed)
        if found is None:
            raise ErasedError
        return found

    def data(self, connection: Connection, name: str, digest: str) -> bytes | None:
        """The bytes of that hash in a skill of the set; None when it holds none."""
        file = next((one for one in self.files(connection, name) or () if one.hash == digest), None)
        if file is None:
            return None
        if name not in self.winners:
            return self._shipped_bytes(name, file)
        found = store.content(connection, self.space_id, [file])
        return None if found is None else found[0][1]

    def _shipped_bytes(self, name: str, file: File) -> bytes:
        assert self.shipped is not None
        return managed.content(self.shipped.profile, self.shipped.language, name, file.path)


def disk_set(connection: Connection, space_id: str, subscription_id: str, source_id: str) -> DiskSet:
    """The set as it is now. An agent that is not there, or in no such subscription, has none."""
    known = store.told_of(connection, space_id, subscription_id, source_id)
    if known is None:
        return DiskSet(space_id, {}, {}, None)
    winners = store.winners(connection, space_id, subscription_id, source_id)
    shipped = _shipped(known.harness, _language(known.language))
    return _whole(space_id, winners, shipped)


def one_of(connection: Connection, space_id: str, subscription_id: str, source_id: str, name: str) -> DiskSet:
    """As `disk_set`, of one name."""
    known = store.told_of(connection, space_id, subscription_id, source_id)
    if known is None:
        return DiskSet(space_id, {}, {}, None)
    winners = store.winners(connection, space_id, subscription_id, source_id, name)
    return _whole(space_id, winners, _shipped(known.harness, _language(known.language)))


def _whole(space_id: str, winners: Mapping[str, Winner], shipped: Shipped | None) -> DiskSet:
    trees = {}
    if shipped is not None:
        trees = {name: Tree(name, content_hash(files), _NEVER) for name, files in shipped.files.items()}
    return DiskSet(
        space_id, trees | {name: winner.tree for name, winner in winners.items()}, winners, shipped
    )


def _language(wanted: str) -> Language:
    # The view of the API does the same, but stands above the disk.
    return next((known for known in get_args(Language) if known == wanted), "en")


def _shipped(harness: str, language: Language) -> Shipped | None:
    try:
        known = profile(harness)
    except Refusal:
        # An agent of a harness that was never shipped: nobody knows which documents it needs.
        return None
    files = {
        one.name: tuple(
            File(piece.path, piece.hash, piece.size) for piece in managed.pieces(known, language, one.name)
        )
        for one in managed.managed(known, language)
    }
    return Shipped(known, language, files)
