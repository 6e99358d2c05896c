"""Settling what an entity is: one with another, put away, or back in its place."""

from __future__ import annotations

from tarimba.graph.model import By, Scope, Settled
from tarimba.kernel import Kernel
from tarimba.storage.once import OnceKey


def merge_entities(
    kernel: Kernel, scope: Scope, by: By, source: str, target: str, *, once_key: OnceKey | None = None
) -> Settled:
    raise NotImplementedError


def archive_entity(
    kernel: Kernel, scope: Scope, by: By, name: str, *, once_key: OnceKey | None = None
) -> Settled:
    raise NotImplementedError


def unarchive_entity(
    kernel: Kernel, scope: Scope, by: By, name: str, *, once_key: OnceKey | None = None
) -> Settled:
    raise NotImplementedError
