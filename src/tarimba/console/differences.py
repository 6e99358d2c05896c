"""What differs between two texts, word by word. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, Literal

Piece = tuple[Literal["same", "gone", "new"], str]
_TOKENS: Final = re.compile(r"\s+|\w+|[^\w\s]")
# Above so many words on both sides the texts are shown whole beside each other: comparing costs their product.
_WORDS_MAX: Final = 6_000


def words_between(before: str, after: str) -> list[Piece]:
    """The pieces in order: what both have, what went, what came."""
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    if before == after:
        return [("same", after)] if after else []
    if len(old) + len(new) > _WORDS_MAX:
        return [piece for piece in (("gone", before), ("new", after)) if piece[1]]
    pieces: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", "".join(old[a:b])))
            continue
        if a < b:
            pieces.append(("gone", "".join(old[a:b])))
        if c < d:
            pieces.append(("new", "".join(new[c:d])))
    return pieces
