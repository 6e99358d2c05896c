"""What the model sees around a run of words: the kind of line, heads and verbs further off, companions in a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tarimba.personal_data.name_tokens import Run, Words

_BACK: Final = 9
"""How many words back a head still speaks for a name: `stations out of order: one, two`."""
_AHEAD: Final = 4
_ENDS: Final = frozenset({".", ";", "!", "?", "("})
_LINKS: Final = frozenset({",", "e", "y", "and", "&", "/", ";", "ou", "or", "x", "+", "vs", "–"})
SMALL: Final = frozenset(
    "a o as os da do de das dos el la los las al del the an of na no nas nos em en in at um uma un una ao aos pra pro "
    "para por com con with to".split()
)
_FIELD: Final = 8
"""So many groups of like words in a row belong to one wider field of meaning."""
_LONG: Final = 5
_TAIL: Final = 3
_HEADS_MAX: Final = 4
_KNOWN: Final = 3
_ORDINARY: Final = 3


class Line(NamedTuple):
    """The words [start, end) of one line, a letter for its kind, and the classes of the line that heads it."""

    start: int
    end: int
    kind: str
    title: str


class Chain(NamedTuple):
    """A list of runs, such as `one, two and three`: how many, and what lists know of them."""

    size: int
    known: str


class Context(NamedTuple):
    """What lists make of a run, see `_likeness`, and the features of its surroundings."""

    kind: str
    row: list[str]


def field_of(kin: int) -> int:
    """The wider field of a group of like words; 0 for none."""
    return -(-kin // _FIELD)


def context_rows(words: Words) -> Mapping[int, Context]:
    """For each run, by its first word, the features of its wider context. Work grows with the text."""
    runs = runs_of(words)
    if not runs:
        return {}
    chains = [kind for chain in chains_of(words, runs) for kind in [_chain(words, chain)] * len(chain)]
    heads = _heads(words, runs)
    lines = _lines(words)
    line = next(lines)
    rows = {}
    for run, chain in zip(runs, chains, strict=True):
        while run.start >= line.end:
            line = next(lines)
        kind = _likeness(words, run)
        row = [
            *_far(words, run, line, kind),
            *_beside(words, run, kind),
            f"xs={chain.size}/{chain.known}/{kind}",
            *_elsewhere(words, run, heads),
        ]
        rows[run.start] = Context(kind, row)
    return rows


def runs_of(words: Words) -> list[Run]:
    """Each run once, in order."""
    found: list[Run] = []
    for run in words.runs:
        if run.start >= 0 and (not found or found[-1] is not run):
            found.append(run)
    return found


def _lines(words: Words) -> Iterator[Line]:
    title, start = "", 0
    size = len(words)
    for end in (*(at for at, shape in enumerate(words.shapes) if shape == "\n"), size):
        stop = end + (end < size)
        yield Line(start, stop, _kind(words, start, end), title)
        if end > start and words.shapes[end - 1] == ":":
            title = _letters(words.cues[start:end])
        elif end < size and words.ends[end] - words.starts[end] > 1:
            title = ""
        start = stop


def _kind(words: Words, start: int, end: int) -> str:
    """`t` table, `h` heading, `b` bullet, `l` log or chat, `k` key with a value, `c` code, `p` prose."""
    if start >= end:
        return "e"
    first = words.shapes[start]
    if first in {"|", "#", "-", "*", "•", ">", "[", "<", "@", "{", "/", '"', "$"}:
        return first
    if first == "0":
        return "0"
    signs = words.shapes[start + 1 : min(start + 4, end)]
    if ":" in signs:
        return "k"
    return "=" if "=" in signs else "p"


def _letters(cues: Sequence[str]) -> str:
    letters = "".join(cues)
    return letters if len(letters) < 2 else "".join(sorted(set(letters)))


def _likeness(words: Words, run: Run) -> str:
    """What lists make of a run, with its case and whether it is one word or more.

    `n` a full name, `f` a common first name, `r` a rare one, `s` a surname, `w` a word, `u` unknown.
    """
    letters = [
        at for at in range(run.start, run.end) if words.shapes[at][0] in "xX" and len(words.low[at]) > 1
    ]
    entries = [words.entries[at] for at in letters] or [words.entries[run.start]]
    first = max(entry.first if entry.word < 2 else 0 for entry in entries)
    last = max(entry.last if entry.word < 2 else 0 for entry in entries[1:] or entries)
    if len(entries) > 1 and first > _KNOWN and last > _KNOWN - 1:
        kind = "n"
    elif first > _KNOWN:
        kind = "f"
    elif any(entry.word == _ORDINARY for entry in entries):
        kind = "w"
    else:
        kind = "r" if first > 1 else "s" if last > _KNOWN else "u"
    return f"{kind}{words.shapes[run.start]}{min(len(letters), 2)}"


def _far(words: Words, run: Run, line: Line, kind: str) -> Iterator[str]:
    """Classes a little further off in the sentence, before the name and after it, and of the line's title."""
    back = max(line.start, run.start - _BACK)
    start = next((at + 1 for at in range(run.start - 1, back - 1, -1) if words.shapes[at] in _ENDS), back)
    ahead = min(line.end, run.end + _AHEAD)
    end = next((at for at in range(run.end, ahead) if words.shapes[at] in _ENDS), ahead)
    yield from (f"xn={letter}/{kind[0]}" for letter in _letters(words.cues[start : run.start]))
    yield from (f"xa={letter}/{kind[0]}" for letter in _letters(words.cues[run.end : end]))
    yield from (f"xt={letter}" for letter in line.title)
    opens = "^" if run.start == line.start else "." if run.start == start else ""
    yield f"xl={line.kind}{opens}"
    yield f"xk={line.kind}{opens}{kind}"


def _beside(words: Words, run: Run, kind: str) -> Iterator[str]:
    """The signs that touch the run, and the words next to it or how they end."""
    start, end = words.starts[run.start], words.ends[run.end - 1]
    left = words.text[start - 1] if start else " "
    right = words.text[end] if end < len(words.text) else " "
    further = words.text[end + 1] if end + 1 < len(words.text) else " "
    yield f"xg={_sign(left)}{_sign(right)}{_sign(further)}"
    yield f"xh={_sign(left)}{_sign(right)}/{kind}"
    before = _word(words, range(run.start - 1, max(-1, run.start - 4), -1))
    after = _word(words, range(run.end, min(len(words), run.end + 3)))
    small = words.low[run.start - 1] if run.start else ""
    small = small if small in SMALL else ""
    yield f"ys={small}/{kind}"
    if before >= 0:
        yield f"yb={words.low[before][-_TAIL:]}/{small}"
        yield f"yq={words.cues[before]}/{small}/{kind}"
        yield f"gb={words.kins[before]}/{kind[0]}"
        yield f"Gb={field_of(words.kins[before])}/{small}/{kind}"
    if after >= 0:
        yield f"ya={words.low[after][-_TAIL:]}{after - run.end}"
        yield f"yz={words.low[after][1 - _TAIL :]}{after - run.end}/{kind[0]}"
        yield f"yr={words.cues[after]}{after - run.end}/{kind}"
        yield f"ga={words.kins[after]}/{kind[0]}"
        yield f"Ga={field_of(words.kins[after])}{after - run.end}/{kind}"


def _sign(letter: str) -> str:
    if letter.isspace():
        return "_"
    return "a" if letter.isalpha() else "0" if letter.isdigit() else letter


def _word(words: Words, places: range) -> int:
    """The first of these words in small letters that is none of the smallest."""
    for place in places:
        if words.shapes[place] == "\n":
            break
        if words.shapes[place] == "x" and words.low[place] not in SMALL and len(words.low[place]) > _TAIL:
            return place
    return -1


def chains_of(words: Words, runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Runs in a list with one another, such as `one, two and three`; a run alone is a list of one."""
    start = 0
    for at in range(1, len(runs) + 1):
        if at == len(runs) or not _linked(words, runs[at - 1], runs[at]):
            yield list(runs[start:at])
            start = at


def _linked(words: Words, one: Run, other: Run) -> bool:
    """Whether only signs and small words stand between two runs, or a short remark in parentheses."""
    gap = range(one.end, other.start)
    if not 0 < len(gap) <= _LONG + 1:
        return False
    inside = False
    linked = False
    for at in gap:
        low, shape = words.low[at], words.shapes[at]
        if shape in "()":
            inside = shape == "("
        elif low in _LINKS:
            linked = linked or not inside
        elif not inside and low not in SMALL:
            return False
    return linked


def _chain(words: Words, runs: Sequence[Run]) -> Chain:
    if len(runs) == 1:
        return Chain(1, "")
    known: set[str] = set()
    for run in runs:
        known.update(mark.lower() for mark in words.marks[run.start : run.end] if mark)
        first = words.entries[run.start]
        known.add("f" if first.first > _HEADS_MAX and first.word < 2 else "u" if not first.word else "w")
    return Chain(min(len(runs), _LONG), "".join(sorted(known)))


def _heads(words: Words, runs: Sequence[Run]) -> Mapping[str, str]:
    """What stands right before each first word of a run, anywhere in the text: `the server x ... x is down`."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for at in range(run.start - 1, max(-1, run.start - 3), -1):
            if words.low[at] not in SMALL and words.shapes[at] not in {'"', "'", "("}:
                found.setdefault(words.low[run.start], set()).update(words.cues[at])
                break
    return {low: "".join(sorted(letters)) for low, letters in found.items()}


def _elsewhere(words: Words, run: Run, heads: Mapping[str, str]) -> Iterator[str]:
    yield from (f"xe={letter}" for letter in heads.get(words.low[run.start], ""))
