"""The text of a draft's SKILL.md, in the canonical form of the package. Pure."""

from __future__ import annotations

from tarimba.evolution.model import Skill
from tarimba.skills import format as skill_format


def written(skill: Skill) -> str:
    """The whole file. Raises `UnicodeEncodeError` for what no file can hold."""
    return skill_format.write(skill.name, skill.description, f"\n{skill.body}\n").decode()


def read(content: str) -> Skill | None:
    """What a whole file says; None for one that would be repaired or not loaded, or that says more than it may."""
    data = content.encode()
    found = skill_format.read(data, directory="")
    if found.verdict != "ok" or skill_format.other_keys(data) or not found.body.strip():
        return None
    return Skill(found.name, found.description, found.body.strip("\n"))
