"""Texts of a graph folded, and what a search takes for a piece of one. Pure.

Case, accents, forms of letters and runs of white space do not tell texts apart. A folded text is made of pieces: runs
of letters and digits, and every other visible character for itself.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tarimba.notes.words import is_stop, without_marks

_PIECE: Final = re.compile(r"[^\W_]+|[^\w\s]|_")
_JOINED: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_WORD: Final = re.compile(r"[^\W_]+")
QUERY_WORDS_MAX: Final = 64
# With what questions begin, beside the words that only build a sentence.
_ASKING: Final = frozenset(
    "onde aonde quanto quanta quantos quantas quais adonde cuanto cuanta cuantos cuantas cuales many much whose".split()
)


def fold(text: str) -> str:
    """The text as it is compared: lower case, no accents, one space for any white space, none at the ends."""
    low = text.lower() if text.isascii() else without_marks(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(low.split())


def pieces(folded: str) -> list[str]:
    """All pieces of a folded text, in order."""
    return _PIECE.findall(folded)


def vocabulary(folded: str) -> set[str]:
    """What the index keeps of a folded text: its pieces, and `email` where it has `e-mail`."""
    return {*_PIECE.findall(folded), *_unhyphenated(folded)}


def words(folded: str) -> set[str]:
    """The words of a folded text: what the words of a query are looked for among."""
    return {*_WORD.findall(folded), *_unhyphenated(folded)}


def telling(folded: str) -> tuple[str, ...]:
    """The words of a folded query that say what it is about, each once; all of them where none does. At most 64."""
    found = tuple(dict.fromkeys(_WORD.findall(folded)))
    about = tuple(word for word in found if not (is_stop(word) or word in _ASKING))
    return (about or found)[:QUERY_WORDS_MAX]


def readings(folded: str) -> tuple[tuple[str, ...], ...]:
    """The words of a folded query in each way to read it: a hyphen parts words, or is left out."""
    ways = (telling(folded), telling(folded.replace("-", "")))
    return tuple(way for way in dict.fromkeys(ways) if way)


def _unhyphenated(folded: str) -> list[str]:
    return [found.replace("-", "") for found in _JOINED.findall(folded)] if "-" in folded else []


def goes_on(piece: str) -> bool:
    """Whether a piece may be a part of a longer one: a character for itself is not."""
    return _WORD.fullmatch(piece) is not None
