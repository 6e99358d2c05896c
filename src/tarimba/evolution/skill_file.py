"""The text of a SKILL.md: a frontmatter with `name` and `description` alone, then the body. Pure."""

from __future__ import annotations

import json
import re
from typing import Final

from tarimba.evolution.model import Skill

_PARTS: Final = re.compile(r"---\nname: ([^\n]+)\ndescription: ([^\n]+)\n---\n\n(.*)\n", re.DOTALL)
# Read as the string it is by YAML 1.1 and 1.2: no number, no day, no truth value.
_BARE: Final = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def written(skill: Skill) -> str:
    """The file. A quoted value is a JSON string, which is a string of YAML too."""
    bare = _BARE.fullmatch(skill.name) is not None and skill.name not in _WORDS
    name = skill.name if bare else _quoted(skill.name)
    return f"---\nname: {name}\ndescription: {_quoted(skill.description)}\n---\n\n{skill.body}\n"


def read(content: str) -> Skill | None:
    """What a file in the form of `written` says; None for any other."""
    found = _PARTS.fullmatch(content)
    if found is None:
        return None
    name, description = _value(found[1]), _value(found[2])
    if name is None or description is None or not found[3].strip():
        return None
    return Skill(name, description, found[3])


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value(shown: str) -> str | None:
    if not shown.startswith('"'):
        return shown if _BARE.fullmatch(shown) and shown not in _WORDS else None
    try:
        value = json.loads(shown)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
