"""The names of skills: which are legal, which can be saved, and who does not see which. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tarimba.errors import invalid
from tarimba.skills.model import NAME_MAX, RESERVED

_LEGAL: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_EVERYWHERE: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NOT_IN_A_SLUG: Final = re.compile(r"[^a-z0-9]+")
_NOT_IN_A_NAME: Final = re.compile(r"[^a-z0-9._-]+")

STRICT_HARNESSES: Final = ("nanobot", "picoclaw")
"""They pass over a skill whose name is more than lower-case words joined by single hyphens: nanobot in its plugins,
where an agent's own skills are, picoclaw everywhere."""


def is_legal(name: str) -> bool:
    """Whether Tarimba takes the name as it stands."""
    return _LEGAL.fullmatch(name) is not None and ".." not in name and not name.endswith(".")


def is_seen_everywhere(name: str) -> bool:
    """Whether every harness sees a skill of this name."""
    return _EVERYWHERE.fullmatch(name) is not None


def slug(name: str) -> str | None:
    """The legal name nearest to this one: lower case, accents folded, ends trimmed; None where none is near.

    White space and punctuation become hyphens. A letter of another alphabet has no place in a name, and leaving it out
    would make another name.
    """
    if len(name) > NAME_MAX:
        return None
    folded = _folded(name)
    if any(char.isalnum() and not char.isascii() for char in folded):
        return None
    near = re.sub(r"\.{2,}", ".", _NOT_IN_A_NAME.sub("-", folded)).lstrip("._-").rstrip(".")
    # What was put at an end goes again; what the author wrote there is legal.
    near = near if folded[-1:] == "-" else near.rstrip("-") or near
    return near if is_legal(near) else None


def strict_slug(name: str) -> str:
    """The proposal for a legal name that not every harness sees."""
    return _NOT_IN_A_SLUG.sub("-", _folded(name)).strip("-")


def checked_name(name: str) -> str:
    """The name as it is accepted from people and agents. Raises 422 naming the rule, never the name."""
    if not is_legal(name):
        raise invalid(
            "name",
            "1 to 64 of a-z, 0-9, dot, hyphen and underscore, a letter or digit first, no two dots, no dot last",
        )
    if name in RESERVED:
        raise invalid("name", "is reserved for a document of Tarimba")
    return name


def _folded(name: str) -> str:
    parts = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char)).strip()
