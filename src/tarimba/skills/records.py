"""What is published, as it is kept: where, which files, which version. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Scope = Literal["tenant", "subscription"]
SKILL_FILE: Final = "SKILL.md"


@dataclass(frozen=True, slots=True)
class Place:
    """One of the four scopes: the space or one subscription, for all agents (`source_id` is empty) or for one."""

    scope: Scope
    subscription_id: str = ""
    source_id: str = ""

    @property
    def layer(self) -> int:
        """1 tenant, 2 tenant for this agent, 3 subscription, 4 subscription for this agent: the higher one wins."""
        return (3 if self.scope == "subscription" else 1) + bool(self.source_id)


@dataclass(frozen=True, slots=True)
class File:
    """A file of a skill. `hash` is the SHA-256 of its bytes, which harnesses read.

    `original` is that of the bytes that somebody sent, when what is published was written anew from them.
    """

    path: str
    hash: str
    size: int
    original: str = ""


@dataclass(frozen=True, slots=True)
class Published:
    """One version of a skill at one of the four scopes. `files` are sorted by path; `published_at` in microseconds."""

    skill_id: str
    scope: Scope
    subscription_id: str
    source_id: str
    name: str
    description: str
    verdict: str
    version: int
    content_hash: str
    size: int
    files: tuple[File, ...]
    published_at: int
    published_by: str
    ordinal: int

    @property
    def place(self) -> Place:
        return Place(self.scope, self.subscription_id, self.source_id)

    @property
    def digests(self) -> frozenset[str]:
        """The hashes of everything that this version holds, the bytes as they were sent too."""
        return frozenset(digest for file in self.files for digest in (file.hash, file.original) if digest)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What one name comes to: the layer that wins, and those that it hides, the strongest first."""

    winner: Published
    hidden: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file that administrators share at one of the four scopes."""

    file_id: str
    scope: Scope
    subscription_id: str
    source_id: str
    path: str
    hash: str
    size: int
    version: int
    published_at: int
    published_by: str
    ordinal: int

    @property
    def place(self) -> Place:
        return Place(self.scope, self.subscription_id, self.source_id)
