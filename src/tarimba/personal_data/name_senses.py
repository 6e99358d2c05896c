"""What a text itself says to be a thing: `Storm X`, `X (virtual assistant)`, `X and Y are meeting rooms`.

Such a word is no person's name anywhere in that text: writers go on with the bare name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from tarimba.personal_data.name_context import chains_of, field_of, runs_of
from tarimba.personal_data.name_nouns import (
    APPOSED,
    CONNECTORS,
    ENGLISH,
    MODIFIERS,
    OF_PEOPLE,
    PEOPLE,
    THINGS,
    TRADES,
    VERBS,
)
from tarimba.personal_data.name_tokens import Run, Words
from tarimba.personal_data.name_words import PARTICLES

_HEADS: Final = frozenset("FWPYEV")
_HEADS_INSIDE: Final = frozenset("FWPYEVI")
_PERSONAL: Final = frozenset("TRSAKN")
_ANNOUNCING: Final = frozenset("TR")
_FORENAME: Final = 3
_QUOTES: Final = frozenset({'"', "'", "“", "”", "«", "»", "`", "*", "‘"})
_OF: Final = frozenset({"de", "of"})
_OF_THE: Final = frozenset({"do", "da", "dos", "das", "del"})
_IS: Final = frozenset("es is are sao son era eram eran was were".split())
_MANY: Final = frozenset("are sao son eram eran were".split())
_ALL: Final = frozenset("both ambos ambas all todos todas".split())
_VIRTUAL: Final = frozenset(
    {"assistente", "asistente", "assistant", "assistants", "assistentes", "asistentes"}
)
_AND: Final = frozenset({"e", "y", "and"})
_LONG: Final = 4
_MANY_THINGS: Final = 2
_NOT: Final = frozenset("not no nao nor".split())
_NAMED_MONTHS: Final = frozenset("april may june jan abril maio julio augusto domingos domingo".split())
_MONTHS: Final = _NAMED_MONTHS | frozenset(
    "january february march july august september october november december feb mar apr jun jul aug sep oct nov dec "
    "janeiro fevereiro marco junho julho agosto setembro outubro novembro dezembro enero febrero marzo mayo junio "
    "septiembre octubre noviembre diciembre sabados sabado segunda".split()
)
_MACHINES: Final = frozenset({6, 7, 8, 9, 11, 12})
"""The fields of meaning in `training/lists/kin.txt` whose nouns name no person after `is the`."""
_DEFINITE: Final = frozenset("o a os as el la los las the our nosso nossa nuestro nuestra".split())
_BOTH: Final = frozenset(
    "agent agente agentes agents monitor monitora model modelo persona reader leitor lector motor star".split()
)
"""Nouns for persons as well as for machines."""
_HONOURS: Final[Mapping[str, frozenset[str]]] = {
    "don": frozenset("el la los las del al o os do no ao".split()),
    "dona": frozenset("el los del al o os do dos no nos ao aos un um".split()),
}
"""Titles, and the articles that never stand before them where they are a person's."""
_GLUE: Final = frozenset("-_./")
_PATH: Final = frozenset("./\\")
_AHEAD: Final = 6
_SENTENCE: Final = 12
_BREAKS: Final = frozenset({"\n", ".", ";", "-", "*", "•"})
_PLURAL_MIN: Final = 3


class Things(NamedTuple):
    """What a text calls by what it is: folded words, phrases with single blanks, and the stretches that do so."""

    said: frozenset[str]
    stretches: Mapping[int, int]
    """For each word of such a stretch, a head and what it names, the place after its last one."""


def things(words: Words) -> Things:
    """What the text says to be things. Work grows with its length."""
    runs = runs_of(words)
    found: set[str] = set()
    stretches: dict[int, int] = {}
    before: list[Run] = []
    found.update(_calendar(words))
    for chain in chains_of(words, runs):
        before = [run for run in before if _same_sentence(words, run, chain[0])] + chain
        said = _said(words, chain[-1].end) or _listed(words, chain[0].start) or _many(words, chain)
        for run in before if said == "all" else chain if said else ():
            found.update(_phrases(words, run.start, run.end))
    for run in runs:
        heads = list(_heads_inside(words, run))
        for head, end in pairwise([*heads, run.end]):
            found.update(_phrases(words, head + 1, end))
            stretches.update(dict.fromkeys(range(head, end), end))
        if (not heads and _headed(words, run)) or _is_apart(words, run):
            found.update(_phrases(words, run.start, run.end))
    return Things(frozenset(found), stretches)


class Senses:
    """What one text calls things, looked for once it is asked."""

    __slots__ = ("_things", "_words")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._things: Things | None = None

    @property
    def said(self) -> int:
        """How many things the text names, up to two."""
        return min(len(self._known.said), _MANY_THINGS)

    @property
    def _known(self) -> Things:
        if self._things is None:
            self._things = things(self._words)
        return self._things

    def thing(self, start: int, end: int) -> bool:
        """Whether the words [start, end) are nothing but what the text calls a thing."""
        letters = _letters(self._words, start, end)
        known, stretches = self._known
        if end <= stretches.get(start, 0):
            return True
        return bool(letters) and (" ".join(letters) in known or all(low in known for low in letters))

    def pardoned(self, start: int, end: int) -> bool:
        """Whether the words [start, end) are a thing also where they stand, and not what somebody does it for."""
        run = self._words.runs[start]
        if end <= run.end and _titled_thing(self._words, run):
            return True
        return self.thing(start, end) and not (start and _may_be_verb(self._words, start - 1))


def _letters(words: Words, start: int, end: int) -> list[str]:
    return [
        words.low[place]
        for place in range(start, end)
        if words.shapes[place][0] in "xX" and words.low[place] not in PARTICLES
    ]


def _phrases(words: Words, start: int, end: int) -> Iterator[str]:
    """The names of a run, which `and` may part, without an article in front."""
    first = start
    for place in range(start, end + 1):
        if place == end or words.low[place] in _AND:
            while first < place - 1 and words.low[first] in MODIFIERS:
                first += 1
            letters = _letters(words, first, place)
            if letters:
                yield " ".join(letters)
            first = place + 1


def _heads_inside(words: Words, run: Run) -> Iterator[int]:
    """The words of the run that say what it is: `Winter Storm X`, `Law X and Law Y`."""
    for place in range(run.start, run.end - 1):
        cues = words.cues[place]
        # `Sistema da Ana` is hers; `Rua da Ana` is a street.
        hers = ("Y" in cues and words.low[place + 1] in _OF_THE) or _forename(words, place)
        if _HEADS_INSIDE.intersection(cues) and not _PERSONAL.intersection(cues) and not hers:
            yield place


def _forename(words: Words, place: int) -> bool:
    """`la paciente Remedios X`: a head that people are called too, after a word for a person."""
    return (
        words.entries[place].first >= _FORENAME
        and place > 0
        and bool(_ANNOUNCING.intersection(words.cues[place - 1]))
    )


def _headed(words: Words, run: Run) -> bool:
    place = run.start - 1
    while place >= 0 and words.shapes[place] in _QUOTES:
        place -= 1
    if place > 0 and words.low[place] in _OF:
        cues = words.cues[place - 1]
        return bool({"E", "F"}.intersection(cues)) and not _PERSONAL.intersection(cues)
    if place < 0:
        return False
    cues = words.cues[place]
    return bool(_HEADS.intersection(cues)) and not _PERSONAL.intersection(cues)


def _may_be_verb(words: Words, place: int) -> bool:
    return words.low[place] in VERBS and (not place or words.low[place - 1] not in MODIFIERS)


def _is_apart(words: Words, run: Run) -> bool:
    return _apposed(words, run) or _glued(words, run) or _inside_path(words, run) or _titled_thing(words, run)


def _titled_thing(words: Words, run: Run) -> bool:
    """`el Don X`, `o Dona X`: goods and ships, since nobody is called so."""
    if words.low[run.start] not in _HONOURS or words.shapes[run.start] == "x" or not run.start:
        return False
    return words.low[run.start - 1] in _HONOURS[words.low[run.start]]


def _apposed(words: Words, run: Run) -> bool:
    """`X (our voice bot)`, `X, the virtual assistant`."""
    at = run.end
    while at < len(words) and words.shapes[at] in _QUOTES:
        at += 1
    if at >= len(words) or words.shapes[at] not in {"(", ",", "–", "—", "-"}:
        return False
    nouns = APPOSED - TRADES if _tradesman(words, run, at + 1) else APPOSED
    return _names_thing(words, at + 1, nouns)


def _tradesman(words: Words, run: Run, start: int) -> bool:
    """Whether a noun for a machine may be the trade of somebody here: `Y Z, servidor público`."""
    if len(_letters(words, run.start, run.end)) > 1:
        return True
    return any(
        words.low[at] in TRADES and words.low[at + 1] in OF_PEOPLE
        for at in range(start, min(start + _AHEAD, len(words) - 1))
    )


def _names_thing(words: Words, start: int, nouns: frozenset[str]) -> bool:
    """Whether the first noun from `start` on is one of these; in English one word may stand before it."""
    spare = 1
    for at in range(start, min(start + _AHEAD, len(words))):
        low, shape = words.low[at], words.shapes[at]
        if low in nouns:
            return _head_noun(words, at) and (low not in _VIRTUAL or _virtual(words, at))
        if not spare:
            return False
        if low in MODIFIERS or _is(words, at) or shape in {"0", "-"}:
            continue
        if shape != "x" or len(low) < _LONG:
            return False
        spare -= 1
    return False


def _names_machine(words: Words, start: int) -> bool:
    """Whether an article and a noun for machines, ships or goods follow: `the boiler`, not `the boiler fitter`."""
    for at in range(start + 1, min(start + _AHEAD, len(words))):
        if words.low[at] in MODIFIERS:
            continue
        noun = (
            field_of(words.kins[at]) in _MACHINES
            and words.low[at] not in _BOTH
            and words.low[start] in _DEFINITE
        )
        return noun and (
            at + 1 == len(words) or words.shapes[at + 1] != "x" or words.low[at + 1] in CONNECTORS
        )
    return False


def _head_noun(words: Words, at: int) -> bool:
    """Whether no other noun follows: `the server`, and not `the server admin`."""
    after = at + 1
    if words.low[at] not in ENGLISH or after >= len(words) or words.shapes[after] != "x":
        return True
    return words.low[after] in CONNECTORS


def _virtual(words: Words, at: int) -> bool:
    """An assistant is a machine where the text says so: persons are assistants too."""
    return not {"virtual", "virtuais", "virtuales", "digital", "voz", "voice"}.isdisjoint(
        words.low[at - 2 : at + 4]
    )


def _said(words: Words, end: int) -> str:
    """`X is a server`, `X, Y and Z are the printers`; "all": `X goes first, Y second (both are bots)`."""
    for at in range(end, min(end + _AHEAD, len(words))):
        if words.shapes[at] == "\n":
            return ""
        if _is(words, at) and (at == end or words.low[at] in _MANY or words.shapes[at - 1] in _QUOTES):
            if _nobody(words, at):
                return "all"
            every = not _ALL.isdisjoint(words.low[end : at + 2])
            named = _names_thing(words, at + 1, THINGS) or _names_machine(words, at + 1)
            return ("all" if every else "these") if named else ""
    return ""


def _listed(words: Words, start: int) -> str:
    """`Stations out of order: X, Y`: a line or sentence that opens with a plural and comes to a colon."""
    if not start or words.shapes[start - 1] != ":":
        return ""
    opening = start - 1
    while opening and start - opening < _SENTENCE and words.shapes[opening - 1] not in _BREAKS:
        opening -= 1
    first = next((at for at in range(opening, start) if words.low[at] not in MODIFIERS), opening)
    cues = words.cues[first]
    plural = words.low[first].endswith("s") and len(words.low[first]) > _PLURAL_MIN
    return "these" if plural and _HEADS.intersection(cues) and not _PERSONAL.intersection(cues) else ""


def _is(words: Words, at: int) -> bool:
    # Folded, `é` would be `e`, which joins names.
    low = words.low[at]
    return low in _IS or (low == "e" and words.text[words.starts[at]] == "é")


def _nobody(words: Words, at: int) -> bool:
    """`is ..., not a person`, up to the end of the sentence."""
    stop = next(
        (to for to in range(at, min(at + _SENTENCE, len(words))) if words.shapes[to] in {"\n", "."}), at + 1
    )
    return any(
        words.low[to] in _NOT and not PEOPLE.isdisjoint(words.low[to + 1 : min(to + 4, stop)])
        for to in range(at, min(stop, len(words)))
    )


def _many(words: Words, chain: list[Run]) -> str:
    """`the nodes X, Y and Z`: a plural right before the first of a list."""
    first = chain[0]
    if len(chain) < 2 and not any(words.low[at] in _AND for at in range(first.start, first.end)):
        return ""
    heads = [at for at in _heads_inside(words, first) if at == first.start]
    at = heads[0] if heads else first.start - 1
    low = words.low[at] if at >= 0 else ""
    headed = bool(heads) or _headed(words, first)
    return "these" if headed and low.endswith("s") and len(low) > _PLURAL_MIN else ""


def _calendar(words: Words) -> Iterator[str]:
    """Months that bear a first name, where another month or a number stands near."""
    months = [at for at, low in enumerate(words.low) if low in _MONTHS]
    for at in months:
        if words.low[at] in _NAMED_MONTHS:
            near = {words.shapes[to] for to in (at - 1, at + 1) if 0 <= to < len(words)}
            if "0" in near or len(months) > 1:
                yield words.low[at]


def _same_sentence(words: Words, run: Run, other: Run) -> bool:
    gap = words.shapes[run.end : min(other.start, run.end + _SENTENCE)]
    return other.start - run.end < _SENTENCE and "\n" not in gap and "." not in gap


def _glued(words: Words, run: Run) -> bool:
    """`franklin-api`, `srv_rosa`: a word in small letters tied to one of machines."""
    if words.shapes[run.start] != "x" or run.end - run.start > 1:
        return False
    for sign, other in ((run.start - 1, run.start - 2), (run.end, run.end + 1)):
        if 0 <= other < len(words) and words.shapes[sign] in _GLUE and _touch(words, sign):
            cues = words.cues[other]
            if {"Y", "Z"}.intersection(cues) and not _PERSONAL.intersection(cues):
                return True
    return False


def _inside_path(words: Words, run: Run) -> bool:
    """`core.Oliver.merge`, `/opt/marta/run`: a word between two signs of a path, letters on both sides."""
    left, right = run.start - 1, run.end
    if run.end - run.start > 1 or left < 1 or right + 1 >= len(words):
        return False
    sides = (
        words.shapes[left] in _PATH
        and words.shapes[right] in _PATH
        and _touch(words, left)
        and _touch(words, right)
    )
    return sides and words.shapes[left - 1][0] in "xX" and words.shapes[right + 1][0] in "xX"


def _touch(words: Words, sign: int) -> bool:
    return words.ends[sign - 1] == words.starts[sign] and words.ends[sign] == words.starts[sign + 1]
