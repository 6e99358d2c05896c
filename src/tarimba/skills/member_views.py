"""What a member sees of skills: those of all three layers, which copy is opened, and what is in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tarimba.skills.index import Listed
from tarimba.skills.index_cache import Shared
from tarimba.skills.member_files import Piece
from tarimba.skills.model import Problem, Verdict
from tarimba.skills.roots import OwnSkill, Settled

Origin = Literal["member", "shared", "managed"]
"""Whose copy it is: the member's and the agent's, the administrators', or that of the package."""

_ORDER: Final = ("managed", "shared", "member")


@dataclass(frozen=True, slots=True)
class Row:
    """A skill in one of the layers. `shadowed_by` is the SHA-256 of the SKILL.md that is opened in its place, or empty.

    `directory` is what its files are asked for by. `mark` is the SHA-256 of its SKILL.md, empty where none was read.
    """

    name: str
    directory: str
    origin: Origin
    description: str
    verdict: Verdict
    mark: str
    shadowed_by: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One file. `text` is None for what is no text, or too large; `hash` is empty where nothing could be read."""

    name: str
    origin: Origin
    piece: Piece
    text: str | None
    verdict: Verdict | None = None
    problems: tuple[Problem, ...] = ()


def rows(shared: Shared, settled: Settled) -> list[Row]:
    """All three layers by name; of one name the package's, the administrators' and then the member's."""
    in_force = {one.name: one.mark for one in shared.skills}
    found = [_of_shared(one, "shared") for one in shared.skills if one.skill_id]
    for one in shared.managed:
        hidden = in_force[one.name] if in_force[one.name] != one.mark else ""
        found.append(_of_shared(one, "managed", hidden))
    found += [_of_own(one) for one in (*settled.opened, *settled.quarantined)]
    found += [_of_own(one.skill, one.by) for one in settled.shadowed]
    return sorted(found, key=lambda row: (row.name, _ORDER.index(row.origin), row.directory))


def named(found: Sequence[Row], name: str, origin: Origin | None) -> Row | None:
    """The row that a request means: of the layer it names, else the copy that is opened, else any that there is."""
    fitting = [row for row in found if row.directory == name and origin in (None, row.origin)]
    return min(fitting, key=lambda row: bool(row.shadowed_by), default=None)


def _of_shared(one: Listed, origin: Origin, shadowed_by: str = "") -> Row:
    return Row(one.name, one.name, origin, one.description, "ok", one.mark, shadowed_by)


def _of_own(one: OwnSkill, shadowed_by: str = "") -> Row:
    return Row(
        one.name,
        one.directory,
        "member",
        one.description,
        one.verdict,
        one.mark,
        shadowed_by,
        one.problems,
    )
