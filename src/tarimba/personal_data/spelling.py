"""Spelled views: words for signs, letters and lone digits that stand between the pieces of a number or a plate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.views import Edit, View

_OPEN: Final = r"[\s(\[{,;.]{0,3}"
_CLOSE: Final = r"[\s)\]},;.:=]{0,3}"
_SIGN: Final = re.compile(
    rf"(?<=[0-9a-z]){_OPEN}\b(?:(?P<dash>traco|tracinho|hifen|dash|hyphen|guion|menos)|(?P<slash>barra|slash)"
    rf"|(?P<dot>ponto|punto|dot|point))\b{_CLOSE}(?=[0-9a-z])"
)
_LETTER_WORD: Final = re.compile(
    r"(?<![0-9a-z])(?:letra|letter)\s{0,2}[:=]?\s{0,2}[\"'(]?(?=[a-z](?![0-9a-z]))"
)
_CHECK_WORD: Final = re.compile(
    r"(?<=\d)[\s,(=/-]{0,4}\b(?:dv|dig|digito|digit|check digit)\b[\s.:=]{0,3}(?=[\dx](?![0-9a-z]))"
)
_LONE: Final = re.compile(
    r"(?:(?<=[^a-z][a-z][\s.,/-])|(?<=[^a-z][a-z], )|(?<=\d[\s.,/-])|(?<=\d, )|(?<=ag )|(?<=cta ))"
    r"(?:(?P<zero>zero|cero|oh)|(?P<one>um|one|uno)|(?P<two>dois|two|dos)|(?P<three>tres|three)"
    r"|(?P<four>quatro|four|cuatro)|(?P<five>cinco|five)|(?P<six>seis|six|meia)|(?P<seven>sete|seven|siete)"
    r"|(?P<eight>oito|eight|ocho)|(?P<nine>nove|nine|nueve))(?=[\s.,/-]{1,3}(?:[0-9]|[a-z](?![a-z])))"
)
_LONE_WORDS: Final = frozenset(
    "zero cero oh um one uno dois two dos tres three quatro four cuatro cinco five seis six meia sete seven siete oito "
    "eight ocho nove nine nueve".split()
)
_WORD: Final = re.compile(r"[a-z]+")
_DIGITS: Final[Mapping[str, str]] = MappingProxyType(
    dict(zip("zero one two three four five six seven eight nine".split(), "0123456789", strict=True))
)
_SIGNS: Final[Mapping[str, str]] = MappingProxyType({"dash": "-", "slash": "/", "dot": "."})
_ALPHANUMERIC_END: Final = re.compile(r"(?:\d|(?<![a-z])[a-z])$")


def spelled(view: View) -> View:
    """`41 barra 0002` as `41/0002`, `R-J-K quatro D` as `R-J-K 4 D`, `letra q` as `q`; the same view without any."""
    low = plain(view.text)
    for stems, edits in _STEPS:
        # Looking for the words first is cheaper than for all that may stand around them.
        if any(stem in low for stem in stems):
            before, view = view, view.rewrite(edits(low))
            low = low if view is before else plain(view.text)
    return view


def _signs(low: str) -> Iterator[Edit]:
    """Signs said between pieces: a sentence holds the same words between whole words."""
    for match in _SIGN.finditer(low):
        left = _ALPHANUMERIC_END.search(low, max(0, match.start() - 2), match.start())
        if left and _PIECE.match(low, match.end()):
            yield match.start(), match.end(), _SIGNS[match.lastgroup or ""]


_PIECE: Final = re.compile(r"[a-z]?\d|[a-z](?![a-z])")


def _lone(low: str) -> Iterator[Edit]:
    if _LONE_WORDS.isdisjoint(_WORD.findall(low)):
        return
    yield from ((m.start(), m.end(), _DIGITS[m.lastgroup or ""]) for m in _LONE.finditer(low))


def _checks(low: str) -> Iterator[Edit]:
    return ((m.start(), m.end(), "-") for m in _CHECK_WORD.finditer(low))


def _letters(low: str) -> Iterator[Edit]:
    return ((m.start(), m.end(), "") for m in _LETTER_WORD.finditer(low))


_STEPS: Final = (
    (
        (
            "trac",
            "hifen",
            "dash",
            "hyphen",
            "guion",
            "menos",
            "barra",
            "slash",
            "ponto",
            "punto",
            "dot",
            "point",
        ),
        _signs,
    ),
    (("",), _lone),
    (("dv", "dig"), _checks),
    (("letra", "letter"), _letters),
)
