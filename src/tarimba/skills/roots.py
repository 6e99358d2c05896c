"""Two roots, one set: which copy of a name is opened when administrators and an agent both have one. Pure.

The administrators' copy, by declared name: the other way round an agent could replace an instruction by calling a
file the same. So their root is the one where the harness looks first (`harnesses.model.Profile.order`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tarimba.skills.model import Problem, Verdict


@dataclass(frozen=True, slots=True)
class OwnSkill:
    """A directory among the agent's own skills. `mark` is the SHA-256 of its SKILL.md, empty where none was read.

    `name` is the declared one made legal; that of the directory where nothing legal could be read.
    """

    directory: str
    name: str
    description: str
    verdict: Verdict
    mark: str
    size: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A copy that is not opened, and the SHA-256 of the SKILL.md that is opened in its place."""

    skill: OwnSkill
    by: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of the agent's own skills: opened by name, never opened, and not loaded at all."""

    opened: tuple[OwnSkill, ...]
    shadowed: tuple[Shadowed, ...]
    quarantined: tuple[OwnSkill, ...]


def settle(shared: Mapping[str, str], own: Iterable[OwnSkill]) -> Settled:
    """`shared` gives the SHA-256 of the administrators' SKILL.md by name.

    Of two own ones with one name the directory of that name is opened, else the first in the alphabet.
    """
    opened: dict[str, OwnSkill] = {}
    shadowed: list[Shadowed] = []
    quarantined: list[OwnSkill] = []
    for skill in sorted(own, key=lambda one: (one.directory != one.name, one.directory)):
        if skill.verdict == "quarantined":
            quarantined.append(skill)
        elif skill.name in shared:
            shadowed.append(Shadowed(skill, shared[skill.name]))
        elif skill.name in opened:
            shadowed.append(Shadowed(skill, opened[skill.name].mark))
        else:
            opened[skill.name] = skill
    return Settled(tuple(opened[name] for name in sorted(opened)), _in_order(shadowed), tuple(quarantined))


def _in_order(shadowed: Sequence[Shadowed]) -> tuple[Shadowed, ...]:
    return tuple(sorted(shadowed, key=lambda one: (one.skill.name, one.skill.directory)))
