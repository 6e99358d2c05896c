"""What differs between two texts, as lines to read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

# What a screen shows; both texts can be had whole.
SHOWN_MAX: Final = 64 * 1024
# Lines of one text times lines of the other, above which they are not compared line by line: somebody may have written
# them to make that slow.
_COMPARED_MAX: Final = 250_000
_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines that begin with `-` (before), `+` (now) or a space (both), with `@@` between the parts.

    `is_cut` when it goes on above 64 KiB.
    """

    text: str
    is_cut: bool


def difference(before: str, now: str) -> Difference:
    """What became of `before`. Empty when nothing did."""
    found: list[str] = []
    size = 0
    for line in _lines(before.split("\n"), now.split("\n")):
        size += len(line) + 1
        if size > SHOWN_MAX:
            found.append(line[: max(0, SHOWN_MAX - size + len(line))])
            return Difference("\n".join(found), is_cut=True)
        found.append(line)
    return Difference("\n".join(found), is_cut=False)


def _lines(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    head = _same(before, now)
    tail = _same(before[head:][::-1], now[head:][::-1])
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    if not old and not new:
        return
    start = max(0, head - _AROUND)
    yield f"@@ -{start + 1} +{start + 1} @@"
    yield from (f" {line}" for line in before[start:head])
    yield from _middle(old, new)
    yield from (f" {line}" for line in before[len(before) - tail :][:_AROUND])


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines the two begin with alike."""
    number = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        number += 1
    return number


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if len(old) * len(new) > _COMPARED_MAX:
        yield from _replaced(old, new)
        return
    for kind, left, left_end, right, right_end in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            yield from (f" {line}" for line in old[left:left_end])
        else:
            yield from _replaced(old[left:left_end], new[right:right_end])


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)
