"""Spoken views: digits said in words (pt, en, es) and letters typed for the digits that they look like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tarimba.personal_data.fold import plain
from tarimba.personal_data.spelling import spelled
from tarimba.personal_data.views import Edit, View


def _numbered(first: int, step: int, words: str) -> dict[str, int]:
    """`um,uma dois,two` from 1 in steps of 1 -> {"um": 1, "uma": 1, "dois": 2, "two": 2}."""
    return {
        word: first + step * place for place, names in enumerate(words.split()) for word in names.split(",")
    }


_UNITS: Final = _numbered(
    0, 1,
    "zero,cero um,uma,one,un,uno,una dois,duas,two,dos tres,three quatro,four,cuatro cinco,five "
    "seis,six,meia sete,seven,siete oito,eight,ocho nove,nine,nueve",
)  # fmt: skip
_TEENS: Final = _numbered(
    10, 1,
    "dez,ten,diez onze,eleven,once doze,twelve,doce treze,thirteen,trece quatorze,catorze,fourteen,catorce "
    "quinze,fifteen,quince dezesseis,dezasseis,sixteen,dieciseis dezessete,dezassete,seventeen,diecisiete "
    "dezoito,eighteen,dieciocho dezenove,dezanove,nineteen,diecinueve",
) | _numbered(
    21, 1,
    "veintiuno,veintiun veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho "
    "veintinueve",
)  # fmt: skip
_TENS: Final = _numbered(
    20, 10,
    "vinte,twenty,veinte trinta,thirty,treinta quarenta,forty,cuarenta cinquenta,fifty,cincuenta "
    "sessenta,sixty,sesenta setenta,seventy oitenta,eighty,ochenta noventa,ninety",
)  # fmt: skip
_HUNDREDS: Final = _numbered(
    100, 100,
    "cem,cento,cien,ciento duzentos,doscientos trezentos,trescientos quatrocentos,cuatrocientos "
    "quinhentos,quinientos seiscentos,seiscientos setecentos,setecientos oitocentos,ochocientos "
    "novecentos,novecientos",
)  # fmt: skip
_NUMBERS: Final[Mapping[str, int]] = MappingProxyType({**_UNITS, **_TEENS, **_TENS, **_HUNDREDS, "oh": 0})
_REPEATS: Final[Mapping[str, int]] = MappingProxyType(
    {"double": 2, "duplo": 2, "dobro": 2, "doble": 2, "triple": 3, "triplo": 3}
)
_AND: Final = frozenset({"e", "y", "and"})
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("traco", "tracinho", "hifen", "dash", "hyphen", "guion", "menos"), "-")
    | dict.fromkeys(("barra", "slash"), "/")
    | dict.fromkeys(("ponto", "punto", "dot", "point"), ".")
)
# Words that people say between digits and that stand for no digit.
_BETWEEN: Final = frozenset({*_AND, *_SIGNS, "depois", "then", "luego"})
# Articles and words of other meanings: alone they say no digit.
_ALONE_NO_NUMBER: Final = frozenset(
    {"um", "uma", "one", "un", "uno", "una", "oh", "once", "meia", "dos", "cem"}
)
_WORD: Final = re.compile(r"[a-z]+")
_GAP: Final = re.compile(r"[\s,.;:/()\-_|]{0,4}")
# A run of digits with a few of the letters that are drawn like digits.
_MIXED: Final = re.compile(
    r"(?<![A-Za-z0-9])[\dOoQlISsZzB](?:[.\-/ ()]{0,2}[\dOoQlISsZzB]){6,20}(?![A-Za-z0-9])"
)
_LONE_START: Final = re.compile(r"[A-Za-z]{1,3}[.\-/ ()]+")
_LONE_END: Final = re.compile(r"[.\-/ ()]{1,2}[A-Za-z]$")
_LETTER: Final = re.compile(r"[A-Za-z]")
_DIGIT: Final = re.compile(r"[0-9]")
_DRAWN: Final = str.maketrans("OoQlISsZzB", "0001155228")


@dataclass(slots=True)
class _Run:
    """Number words that follow each other, read as one string of digits."""

    start: int
    end: int = 0
    words: list[str] = field(default_factory=list)
    digits: str = ""
    open: int = 0
    """What a smaller number may still complete: 100 after "cento", 10 after "vinte"."""
    joined: bool = False
    """"e", "y" or "and" was the last word."""
    times: int = 1
    sign: str = ""
    """What was said since the last number: a document's own signs tell what it is."""

    def add(self, word: str, end: int) -> None:
        value = _NUMBERS[word]
        if self._completes(word, value):
            self.digits = self.digits[: -len(str(self.open))] + str(value + self._last())
        else:
            self.digits += self.sign * bool(self.words) + str(value) * self.times
        self.open = _magnitude(word, value)
        self.words.append(word)
        self.end, self.joined, self.times, self.sign = end, False, 1, ""

    def _last(self) -> int:
        return int(self.digits[-len(str(self.open)) :])

    def _completes(self, word: str, value: int) -> bool:
        """`quarenta e três` is 43, `forty three` is 43; `vinte um` is read out digit by digit."""
        if self.sign or not self.open or not 0 < value < self.open or len(self.words) == 0:
            return False
        return self.joined or self.words[-1].endswith(("ty", "cientos", "ciento")) or word in _TENS


def _magnitude(word: str, value: int) -> int:
    if word in _HUNDREDS:
        return 100
    # "cento e vinte e três" stays open for the three.
    return 10 if word in _TENS and value % 10 == 0 else 0


def spoken(view: View) -> View:
    """Digit words as digits, then the words for signs and letters between the pieces of a number as such."""
    low = plain(view.text)
    if sum(word in _NUMBERS for word in _WORD.findall(low)) >= 2:
        runs = list(_runs(view.text, list(_WORD.finditer(low))))
        view = view.rewrite((run.start, run.end, run.digits) for run in runs if _says_number(run))
    return spelled(view)


def _says_number(run: _Run) -> bool:
    return len(run.words) > 1 or run.words[0] not in _ALONE_NO_NUMBER


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[_Run]:
    run: _Run | None = None
    at = 0
    for word in words:
        if run and not _GAP.fullmatch(text, at, word.start()):
            yield from _closed(run)
            run = None
        run, done = _step(run, word)
        yield from _closed(done)
        at = word.end()
    yield from _closed(run)


def _step(run: _Run | None, word: re.Match[str]) -> tuple[_Run | None, _Run | None]:
    """The run after this word, and the run that the word has ended."""
    text = word[0]
    if text in _NUMBERS:
        run = run or _Run(word.start())
        run.add(text, word.end())
        return run, None
    if text in _REPEATS:
        run = run or _Run(word.start())
        run.times = _REPEATS[text]
        return run, None
    if run and text in _BETWEEN:
        run.joined = text in _AND
        run.sign = _SIGNS.get(text, run.sign)
        return run, None
    return None, run


def _closed(run: _Run | None) -> Iterator[_Run]:
    if run and run.words:
        yield run


def drawn(view: View) -> View:
    """`98O65-4O21` as `98065-4021`: letters for digits, in runs that are mostly digits."""
    return view.rewrite(_drawn(view.text))


def _drawn(text: str) -> Iterator[Edit]:
    for match in _MIXED.finditer(text):
        letters = len(_LETTER.findall(match[0]))
        if letters and letters * 2 <= len(_DIGIT.findall(match[0])):
            # "4321. o passo ...": a letter that stands alone at an end is a word.
            start, end = _inner(match)
            yield start, end, text[start:end].translate(_DRAWN)


def _inner(match: re.Match[str]) -> tuple[int, int]:
    left, right = _LONE_START.match(match[0]), _LONE_END.search(match[0])
    return match.start() + (left.end() if left else 0), match.start() + (
        right.start() if right else len(match[0])
    )
