"""Folding: one plain spelling for the many that Unicode offers for the same letters, digits and signs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from tarimba.personal_data.views import Edit, View

# One code point may stand for 18 (U+FDFA): no rule needs them, and the size must stay bounded.
_EXPANSION_MAX: Final = 4
# Canonical ordering of a cluster is quadratic; what is cut off are marks, which are dropped anyway.
_CLUSTER_MAX: Final = 16
_MARKS: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
_ODD: Final = re.compile(rf".[{_MARKS}]+|[^\x00-\x7f]", re.DOTALL)
_FLIPPED: Final = re.compile("[\u202e\u2067]([^\u202c\u2069\n]+)")

_LOOKALIKES: Final = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝѵɡӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧανικορτυχɑıℓ"
        "。․・·‧∙⋅﹒‚،；：∕⁄∣ǀ‖⟨⟩〈〉"
        "〇一二三四五六七八九",
        "ABESIJKMHOPCTYXaeopcyxijshdqwvglABEZHIKMNOPTYXavikoptuxail........,,;://|||<><>0123456789",
        strict=True,
    )
)
_EXTRA_DASHES: Final = frozenset("\u2212\u02d7\u2043\u23af\u2500\u30fc\u1806")
_INVISIBLE: Final = frozenset("\u115f\u1160\u3164\uffa0\u034f")
_DROPPED: Final = frozenset({"Cf", "Mn", "Me"})
_BLANKS: Final = {"Zs": " ", "Zl": "\n", "Zp": "\n"}


def fold(text: str) -> View:
    """The folded view of a text: NFC, then NFKC character by character, without invisible characters.

    Accents stay (they belong to names); digits of any script, dashes, blanks and look-alike letters become ASCII.
    """
    if text.isascii():
        return View.of(text)
    upright = View.of(text).rewrite((m.start(), m.end(), m[1][::-1]) for m in _FLIPPED.finditer(text))
    return upright.rewrite(_edits(upright.text))


def folded(text: str) -> str:
    """Only the text of the folded view, for pieces that were decoded from somewhere else."""
    return fold(text).text


def _edits(text: str) -> Iterator[Edit]:
    known: dict[str, str] = {}
    for match in _ODD.finditer(text):
        piece = match[0]
        new = known.get(piece)
        if new is None:
            new = known[piece] = _cluster(piece)
        if new != piece:
            yield match.start(), match.end(), new


def _cluster(piece: str) -> str:
    composed = unicodedata.normalize("NFC", piece[:_CLUSTER_MAX])
    return "".join(map(_character, composed))


def _character(char: str) -> str:
    if char < "\x80":
        return char
    category = unicodedata.category(char)
    if category in _DROPPED or char in _INVISIBLE:
        return ""
    if category == "Pd" or char in _EXTRA_DASHES:
        return "-"
    plain = _BLANKS.get(category) or _LOOKALIKES.get(char)
    return plain or _compatible(char)


def _compatible(char: str) -> str:
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    wide = unicodedata.normalize("NFKC", char)[:_EXPANSION_MAX]
    if wide == char:
        return char
    return "".join(c if c == char else _character(c) for c in wide)


def _base_letter(code: int) -> int:
    """The unaccented lower-case ASCII letter under a Latin letter, or the letter itself."""
    base = unicodedata.normalize("NFD", chr(code))[0].lower()
    return ord(base) if base.isascii() and len(base) == 1 else code


_LATIN: Final = (*range(0x41, 0x5B), *range(0xC0, 0x250), *range(0x1E00, 0x1F00))
_LATIN_LETTER: Final = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_PLAIN: Final = {code: _base_letter(code) for code in _LATIN}


def plain(text: str) -> str:
    """Lower case without accents, character for character: offsets stay what they were."""
    if text.isascii():
        return text.lower()
    # Most texts hold a few letters with accents: those alone, then all at once.
    bare = _LATIN_LETTER.sub(_bare, text)
    return bare.lower() if bare.isascii() else bare.translate(_PLAIN)


def _bare(letter: re.Match[str]) -> str:
    return chr(_PLAIN[ord(letter[0])])
