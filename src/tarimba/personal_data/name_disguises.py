"""Names that are written as no name is: glued together, in a path or handle, in syllables, with digits for letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.gazetteer import Gazetteer
from tarimba.personal_data.name_words import PARTICLES
from tarimba.personal_data.views import Edit, View

Span = tuple[int, int]

_CHAINED: Final = re.compile(r"(?<![^\W_])[^\W\d_]{2,20}(?:[._+-][^\W\d_]{1,20}){1,4}(?![^\W\d_])")
_JOINT: Final = re.compile(r"[._+-][^\W\d_]")
_SEPARATOR: Final = re.compile(r"[._+-]")
_CAMEL: Final = re.compile(r"(?<![^\W\d_])(?:[A-ZÀ-Þ][a-zß-ÿ]{1,15}){2,5}(?![^\W\d_])")
_HUMPED: Final = re.compile("[a-zß-ÿ][A-ZÀ-Þ]")
_HUMP: Final = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+")
_HANDLE: Final = re.compile(r"[@/~]([a-zA-Z]{7,24})(?![^\W\d_])")
_SYLLABLES: Final = re.compile(r"(?<![^\W_])[^\W\d_]{1,4}(?:-[^\W\d_]{1,4}){1,5}(?![^\W_])")
_MIXED: Final = re.compile(r"(?<![^\W_])(?=[0-9]*[^\W\d_])(?=[^\W\d_]*[0134578])[^\W_]{3,16}(?![^\W_])")
_LETTER_BY_LETTER: Final = re.compile(
    r"(?<![^\W_])[^\W\d_](?P<sign>[-.·/ ])(?:[^\W\d_](?P=sign)){2,14}[^\W\d_](?![^\W_])"
)
_SPELT: Final = re.compile(r"\b(?:soletr|spel[lt]|deletre)[a-z]*\b[^.\n]{0,40}$")
_CALLED: Final = re.compile(
    r"\b(?:(?:sobre|pre)?nomes?|nombres?|apellidos?|surnames?|(?:first|last|full|family) names?|names?)\b[^.\n]{0,30}$"
)
_CALLED_REACH: Final = 60
_LETTERS: Final = str.maketrans("0134578", "oieastb")
_LETTERS_MIN: Final = 2
_COMMON: Final = 5
_FAMILY: Final = 4


def glued(text: str, known: Gazetteer) -> Iterator[Span]:
    """`MariaSouza`, `maria_souza`, `/u/maria.souza`, `@mariasouza`: at least a first name and a surname."""
    # Looking for what each must hold is cheaper than for all of it.
    for match in _CHAINED.finditer(text) if _JOINT.search(text) else ():
        if _full_name(_SEPARATOR.split(plain(match[0])), known):
            yield match.span()
    for match in _CAMEL.finditer(text) if _HUMPED.search(text) else ():
        if _full_name([plain(hump) for hump in _HUMP.findall(match[0])], known):
            yield match.span()
    for match in _HANDLE.finditer(text) if "@" in text or "/" in text or "~" in text else ():
        if any(_full_name(parts, known) for parts in _halves(plain(match[1]))):
            yield match.span(1)


def spelled_out(text: str) -> Iterator[Span]:
    """`sobrenome soletrado: W-A-C-H`: letters one by one after a word for a name or for spelling."""
    for match in _LETTER_BY_LETTER.finditer(text):
        before = plain(text[max(0, match.start() - _CALLED_REACH) : match.start()])
        if _SPELT.search(before) or (match["sign"] == "-" and _CALLED.search(before)):
            yield match.span()


def _halves(word: str) -> Iterator[list[str]]:
    for place in range(3, len(word) - 3):
        yield [word[:place], word[place:]]


def _full_name(parts: list[str], known: Gazetteer) -> bool:
    """Whether the parts start with a known first name, end with a surname and hold nothing else."""
    head, tail = known.entry(parts[0]), known.entry(parts[-1])
    if len(parts) < 2 or head.first < _COMMON or head.word > 1 or len(parts[-1]) < 3:
        return False
    middle = (known.entry(part) for part in parts[1:-1] if part not in PARTICLES and len(part) > 1)
    if not all(entry.first >= _FAMILY or entry.last >= _FAMILY for entry in middle):
        return False
    return (tail.last >= _FAMILY and (tail.word < 2 or tail.last > _COMMON)) or (
        tail.first > _COMMON and tail.word < 2
    )


def undisguised(view: View, known: Gazetteer) -> View:
    """The view with names put together that stand in syllables or hold digits for letters; else the same view."""
    return view.rewrite(sorted(_edits(view.text, known)))


def _edits(text: str, known: Gazetteer) -> Iterator[Edit]:
    for match in _SYLLABLES.finditer(text) if "-" in text else ():
        yield from _if_name(match, match[0].replace("-", ""), known)
    for match in _MIXED.finditer(text):
        word = match[0].translate(_LETTERS)
        # `L14` and `7h30` are no names.
        if word.isalpha() and sum(map(str.isalpha, match[0])) >= _LETTERS_MIN:
            yield from _if_name(match, word, known)


def _if_name(match: re.Match[str], word: str, known: Gazetteer) -> Iterator[Edit]:
    entry = known.entry(plain(word))
    if entry.word < 2 and (entry.first >= _FAMILY or entry.last >= _FAMILY):
        yield match.start(), match.end(), word
