"""What the model sees of a word: classes, shapes and neighbours.

A spelling counts only if the model knows it, and it knows none but frequent ones that are no names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tarimba.personal_data.gazetteer import Entry, Gazetteer
from tarimba.personal_data.name_context import SMALL, context_rows, field_of
from tarimba.personal_data.name_senses import Senses
from tarimba.personal_data.name_tokens import Run, Words

_OUT: Final = "_"
_BUCKETS: Final = "01122334"
"""Classes 0 to 7 in five steps."""
_AROUND: Final = 2
_ORDINARY: Final = 3
_FAMILY: Final = 3
_SOUNDS_STEP: Final = 8
_SOUNDS_MAX: Final = 5
_SENTENCE: Final = 7
"""How far the words of a sentence count that stand near no name."""
_BREAKS: Final = frozenset({"\n", ".", ";", "!", "?"})


def features_of(
    words: Words, known: Gazetteer, spelled: Sequence[str] | None = None, senses: Senses | None = None
) -> list[list[str]]:
    """One row of features for each word, empty where no word near may be a name.

    Training gives spellings that hide what is no word of the vocabulary.
    """
    spelled = words.low if spelled is None else spelled
    rows: list[list[str]] = [[] for _ in words.low]
    asked = _asked(words)
    if not asked:
        return rows
    kinds = [_kind(words, place) for place in range(len(words))]
    pad = [_OUT, _OUT]
    low = [*pad, *spelled, *pad]
    around = [*pad, *kinds, *pad]
    cues = [*pad, *words.cues, *pad]
    kins = [0, 0, *words.kins, 0, 0]
    runs = _run_rows(words, spelled, senses or Senses(words))
    for place in asked:
        rows[place] = [
            *_own(words, place, kinds[place], known),
            *_near(low, around, cues, place + 2),
            *_kin(kins, words.shapes[place], place + 2),
            *runs[place],
        ]
    return rows


def maybe_named(words: Words) -> bool:
    """Whether any word may be part of a name at all: most sentences of a procedure have none."""
    return any(map(_maybe, words.shapes, words.entries))


def _maybe(shape: str, entry: Entry) -> bool:
    if shape[0] not in "xX" or shape == "x0":
        return False
    first, last, word, *_ = entry
    if shape[0] == "X":
        return word < _ORDINARY or first > 1 or last > _FAMILY
    return not word or (word < _ORDINARY - 1 and first + last > 2)


def _asked(words: Words) -> list[int]:
    """The words that may be names and those around them, in order."""
    size = len(words)
    wanted: list[int] = []
    for place, maybe in enumerate(map(_maybe, words.shapes, words.entries)):
        if maybe:
            start = max(0, place - _AROUND, wanted[-1] + 1 if wanted else 0)
            wanted += range(start, min(size, place + _AROUND + 1))
    return wanted


def _kind(words: Words, place: int) -> str:
    shape = words.shapes[place]
    if shape[0] not in "xX":
        return shape
    entry = words.entries[place]
    return f"{shape}{_BUCKETS[entry.first]}{_BUCKETS[entry.last]}{entry.word}{words.marks[place]}"


def _own(words: Words, place: int, kind: str, known: Gazetteer) -> list[str]:
    low, shape, line = words.low[place], words.shapes[place], words.lines[place]
    row = ["k=" + kind, "s=" + shape + line]
    if shape[0] in "xX":
        entry = words.entries[place]
        row += (
            f"f={entry.first}{entry.word}",
            f"F={entry.first}{shape}",
            f"l={entry.last}{entry.word}",
            f"L={entry.last}{shape}",
            "c=" + words.cues[place],
            "m=" + words.marks[place],
        )
        if entry.word < 2 and len(low) > 3:
            row += ("3=" + low[-3:], "2=" + low[-2:] + shape)
        if not (entry.first or entry.last or entry.word):
            row.append(f"o={_sounds(known, low)}{shape}")
    return row


def _sounds(known: Gazetteer, low: str) -> int:
    return max(-_SOUNDS_MAX, min(_SOUNDS_MAX, known.sounds(low) // _SOUNDS_STEP))


def _near(low: Sequence[str], kinds: Sequence[str], cues: Sequence[str], at: int) -> list[str]:
    """The neighbourhood: rows are padded by two places on each side."""
    here, before, after = kinds[at], kinds[at - 1], kinds[at + 1]
    left, right, lefter, righter = low[at - 1], low[at + 1], low[at - 2], low[at + 2]
    cue_left, cue_right = cues[at - 1], cues[at + 1]
    shape = here[:2]
    return [
        f"w={low[at]}",
        f"w-={left}",
        f"w+={right}",
        f"v-={lefter}",
        f"v+={righter}",
        f"k-={before}",
        f"k+={after}",
        f"j-={before}/{here}",
        f"j+={here}/{after}",
        f"W-={left}/{shape}",
        f"W+={right}/{shape}",
        f"p-={lefter}/{left}",
        f"q-={cue_left}/{here}",
        f"q+={cue_right}/{here}",
        f"Q-={cues[at - 2]}/{cue_left}/{shape}",
        f"Q+={cue_right}/{cues[at + 2]}/{shape}",
    ]


def _kin(kins: Sequence[int], shape: str, at: int) -> Iterator[str]:
    """Of which meaning the next words are: what the model learned of `reboot` goes for `reiniciar` too."""
    for name, place in (("g-", at - 1), ("g+", at + 1), ("G-", at - 2), ("G+", at + 2)):
        if kins[place]:
            yield f"{name}={kins[place]}"
            yield f"{name}{shape}={field_of(kins[place])}"


def _run_rows(words: Words, spelled: Sequence[str], senses: Senses) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in words.low]
    wider = context_rows(words)
    place = 0
    while place < len(rows):
        run = words.runs[place]
        if run.start < 0:
            place += 1
            continue
        context = wider[run.start]
        shared = [
            *_run_row(words, run.start, run.end, spelled),
            *context.row,
            f"xd={senses.said}/{context.kind}",
            *_sentence(words, run, context.kind, spelled),
            f"xw={senses.thing(run.start, run.end):d}",
        ]
        for at in range(run.start, run.end):
            rows[at] = [*shared, f"rp={min(at - run.start, 4)}/{min(run.end - at, 4)}"]
        place = run.end
    return rows


def _sentence(words: Words, run: Run, kind: str, spelled: Sequence[str]) -> Iterator[str]:
    """The words in small letters around a run in its sentence, in no order, and how many numbers stand there."""
    numbers = 0
    for places in (range(run.start - 1, -1, -1), range(run.end, len(words))):
        for at in places[:_SENTENCE]:
            shape = words.shapes[at]
            if shape in _BREAKS:
                break
            if shape == "x" and len(spelled[at]) > 1 and spelled[at] not in SMALL:
                yield "xb=" + spelled[at]
            if words.kins[at] and spelled[at] not in SMALL:
                yield f"gs={words.kins[at]}"
                yield f"Gs={field_of(words.kins[at])}/{kind[0]}"
            numbers += shape == "0"
    yield f"xi={min(numbers, 2)}/{kind}"


def _run_row(words: Words, start: int, end: int, spelled: Sequence[str]) -> list[str]:
    """What a run says as a whole: how it starts and ends, what stands around it, which cues it holds."""
    inside = "".join(sorted(set("".join(words.cues[start:end]))))
    first = words.entries[start]
    best = max(entry.first if entry.word < 2 else 0 for entry in words.entries[start:end])
    last = max(entry.last if entry.word < 2 else 0 for entry in words.entries[start:end])
    plain_words = sum(entry.word > 1 for entry in words.entries[start:end])
    before = spelled[start - 1] if start else _OUT
    cue = words.cues[start - 1] if start else _OUT
    wider = words.cues[start - 2] if start > 1 else _OUT
    after = spelled[end] if end < len(words) else _OUT
    marks = "".join(sorted(set("".join(words.marks[start:end]))))
    head = f"{_BUCKETS[first.first]}{first.word}"
    size = min(end - start, 5)
    return [
        f"rs={size}{words.lines[start]}",
        f"rc={inside}",
        f"rk={size}{_BUCKETS[best]}{_BUCKETS[last]}{min(plain_words, 2)}{marks}",
        f"rh={head}{size}",
        f"rb={before}",
        f"ra={after}",
        f"rq={cue}/{wider}/{head}",
        f"rx={inside}{cue}{marks}",
    ]
