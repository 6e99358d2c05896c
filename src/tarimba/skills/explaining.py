"""Why an agent gets what it gets: for each name the four layers, which one won, what it hides, how they differ."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from tarimba.errors import not_found
from tarimba.identity.model import Principal
from tarimba.identity.seats import Named, agent_named, subscription_named
from tarimba.kernel import Kernel
from tarimba.skills import published, rules, store
from tarimba.skills.access import Asked, look, reach
from tarimba.skills.model import FILE_NAME
from tarimba.skills.records import Chosen, File, Place, Published

# Comparing line by line costs up to the square of the lines.
_COMPARED_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Difference:
    """What the winner has other than the layer `hidden`: paths, and the lines of SKILL.md where they were asked for."""

    hidden: Published
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """One name: what won, and how each layer that it hides differs, the strongest first."""

    chosen: Chosen
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Effective:
    """What one agent in one subscription gets. `hash` is that of the whole set; `of` are the names wanted."""

    subscription_id: str
    source_id: str
    hash: str
    count: int
    of: tuple[Explained, ...]


def explain(
    kernel: Kernel,
    principal: Principal,
    subscription: str,
    agent: str,
    *,
    name: str | None = None,
    part: slice = slice(None),
) -> Effective:
    """The names of the effective set in their order, those of `part`; or one, with the lines in which layers differ.

    `subscription` and `agent` are slugs or ids, empty for the space alone and for what all agents get.
    Raises 403 and 404.
    """
    with kernel.database.read() as connection:
        place = _place(connection, principal, subscription, agent)
        found = published.layers(connection, principal.space_id, place.subscription_id, place.source_id)
        chosen = rules.cascade(found)
        if name is not None and name not in chosen:
            raise not_found("skill")
        wanted = list(chosen)[part] if name is None else [name]
        lines = _Lines(connection, principal.space_id) if name is not None else None
        told = tuple(_explained(chosen[one], lines) for one in wanted)
    return Effective(place.subscription_id, place.source_id, rules.set_hash(chosen), len(chosen), told)


def compare(
    kernel: Kernel, principal: Principal, asked: Asked, name: str, versions: tuple[int, int]
) -> Difference:
    """What the second of two versions at one scope has other than the first, with the lines of SKILL.md.

    Raises 403, 404 and 422.
    """
    with kernel.database.read() as connection:
        place = look(connection, principal, asked)
        entry = store.entry(connection, principal.space_id, place, name)
        if entry is None:
            raise not_found("skill")
        found = [store.version(connection, principal.space_id, entry.skill_id, one) for one in versions]
        before, after = found
        if before is None or after is None:
            raise not_found("version")
        return _difference(after, before, _Lines(connection, principal.space_id))


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where the text of a version comes from."""

    connection: Connection
    space_id: str

    def of(self, one: Published) -> list[str] | None:
        """None when the text is too long to compare."""
        (file,) = (file for file in one.files if file.path == FILE_NAME)
        if file.size > _COMPARED_MAX:
            return None
        return published.blob(self.connection, self.space_id, file.hash).decode().splitlines(keepends=True)


def _place(connection: Connection, principal: Principal, subscription: str, agent: str) -> Place:
    """As a scope: that of the last layer which reaches the agent."""
    within = reach(connection, principal)
    theirs, asked = Named("", ""), Named("", "")
    if subscription:
        found = subscription_named(connection, principal.space_id, subscription)
        if found is None or not within.holds(Place("subscription", found.id)):
            raise not_found("subscription")
        theirs = found
    if agent:
        known = agent_named(connection, principal.space_id, agent)
        if known is None:
            raise not_found("agent")
        asked = known
    return Place("subscription" if theirs.id else "tenant", theirs.id, asked.id)


def _explained(chosen: Chosen, lines: _Lines | None) -> Explained:
    return Explained(chosen, tuple(_difference(chosen.winner, hidden, lines) for hidden in chosen.hidden))


def _difference(winner: Published, hidden: Published, lines: _Lines | None) -> Difference:
    ours, theirs = _hashes(winner.files), _hashes(hidden.files)
    return Difference(
        hidden,
        added=tuple(sorted(ours.keys() - theirs.keys())),
        removed=tuple(sorted(theirs.keys() - ours.keys())),
        changed=tuple(sorted(path for path in ours.keys() & theirs.keys() if ours[path] != theirs[path])),
        text=None if lines is None else _compared(lines.of(hidden), lines.of(winner)),
    )


def _compared(before: list[str] | None, after: list[str] | None) -> str | None:
    if before is None or after is None:
        return None
    return "".join(difflib.unified_diff(before, after, "hidden", "winner"))


def _hashes(files: Sequence[File]) -> Mapping[str, str]:
    return {file.path: file.hash for file in files}
