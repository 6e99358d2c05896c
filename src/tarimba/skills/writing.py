"""Canonical bytes: what every reader of SKILL.md understands in the same way. Pure."""

from __future__ import annotations

import re
from typing import Final

from tarimba.skills.scalars import TYPED
from tarimba.text import fold_space

# What YAML does not print, and the mark that some readers trim as white space.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_PLAIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f](?!.*(?::(?: |$)| #))")
# Some readers end the frontmatter at the first three hyphens, wherever they stand.
_FENCE_WITHIN: Final = re.compile("(?<=-)-(?=-)")
_END: Final = re.compile("\r\n?")


def write(name: str, description: str, body: str) -> bytes:
    """The canonical bytes of a skill; reading them gives the same three back.

    `description` is folded to one line, `body` gets LF. Raises ValueError for an unpaired surrogate in the body.
    """
    head = f"---\nname: {_value(name)}\ndescription: {_value(fold(description))}\n---\n"
    return (head + _END.sub("\n", body)).encode("utf-8")


def fold(text: str) -> str:
    """The text on one line: each run of white space is one space, what cannot be printed is left out."""
    return fold_space(_UNPRINTABLE.sub("", fold_space(text)))


def is_unprintable(text: str) -> bool:
    """Whether folding the text leaves something out that is no white space."""
    return _UNPRINTABLE.search(fold_space(text)) is not None


def _value(text: str) -> str:
    """The text as a YAML value, without quotes only where no reader could take it for anything else."""
    has_fence = "---" in text
    if _PLAIN.match(text) and not TYPED.fullmatch(text) and not has_fence:
        return text
    # Some readers strip quotes and know no escapes: so those quotes are used that need none.
    if '"' not in text and "\\" not in text and not has_fence:
        return f'"{text}"'
    if "'" not in text and not has_fence:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _FENCE_WITHIN.sub(r"\\u002d", escaped) + '"'
