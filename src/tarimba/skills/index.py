"""The index of skills, which is all of them that reaches a prompt. Pure: equal skills give equal bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.skills.index_words import WORDS, Words
from tarimba.text import fold_space, neutral

# What would open code, an emphasis, a link or a tag of Markdown or HTML in the middle of a line.
_SIGNS: Final = str.maketrans({"`": "'", "*": "∗", "[": "(", "]": ")", "<": "‹", ">": "›", "\\": "∖"})
# An underscore within a word is part of a name, as in `post_credit`.
_EMPHASIS: Final = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill that may have a line. `path` is relative to the workspace; `mark` is the SHA-256 of its SKILL.md.

    `published_at` in microseconds, None for what comes with the package. `skill_id` and `content_hash`, which is that
    of all its files, are empty unless it was published.
    """

    name: str
    description: str
    path: str
    mark: str
    published_at: int | None = None
    skill_id: str = ""
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """The text, without a line break at its end, and what it came from. `left_out` counts skills without a line.

    `shared_end` is where, in characters, the last line of the shared ones ends; 0 where there is none.
    """

    text: str
    shared: tuple[Listed, ...] = ()
    own: tuple[Listed, ...] = ()
    left_out: int = 0
    shared_end: int = 0

    @property
    def shared_text(self) -> str:
        """What is the same for all members of a subscription, as long as nothing of it is left out."""
        return self.text[: self.shared_end]

    @property
    def own_text(self) -> str:
        """The rest: put behind a line break, it goes on the list."""
        return self.text[self.shared_end :].removeprefix("\n") if self.shared_end else self.text


@dataclass(frozen=True, slots=True)
class Frame:
    """Where and how it is said: `workspace` is absolute, as the agent sees it, `roots` relative, `limit` in bytes."""

    language: str
    workspace: str
    roots: tuple[str, ...]
    limit: int


def render(shared: Sequence[Listed], own: Sequence[Listed], frame: Frame) -> Index:
    """The index of the administrators' skills and of the workspace's own, in any order given.

    Above the limit whole lines are left out: the own ones from the end of the alphabet, then those published longest
    ago, then what comes with the package.
    """
    shared = sorted(shared, key=lambda one: one.name)
    own = sorted(own, key=lambda one: one.name)
    if not shared and not own:
        return Index("")
    words = WORDS[frame.language]
    lines = [_line(one, frame.workspace) for one in (*shared, *own)]
    head = f"{words.heading}\n\n{words.intro}\n"
    gone = _left_out(shared, own, [_size(line) for line in lines], frame, _size(head) - 1)
    kept = [line for at, line in enumerate(lines) if at not in gone]
    text = "\n".join([head, *kept, *([_omission(words, len(gone), frame)] if gone else [])])
    told = tuple(one for at, one in enumerate(shared) if at not in gone)
    return Index(
        text,
        told,
        tuple(one for at, one in enumerate(own, len(shared)) if at not in gone),
        len(gone),
        len("\n".join([head, *kept[: len(told)]])) if told else 0,
    )


def inert(text: str) -> str:
    """One line in which nothing is a sign of layout, and nothing is hidden."""
    return _EMPHASIS.sub("‗", fold_space(neutral(text)).translate(_SIGNS))


def is_shown(path: str) -> bool:
    """Whether a path can stand in a line as it is: another one could not be opened by what the line says."""
    return path.isprintable() and "`" not in path


def _line(one: Listed, workspace: str) -> str:
    return f"- **{one.name}** — {inert(one.description)} (`{workspace}/{one.path}`)"


def _size(line: str) -> int:
    """Bytes, with the line break that comes before it."""
    return len(line.encode()) + 1


def _left_out(
    shared: Sequence[Listed], own: Sequence[Listed], sizes: list[int], frame: Frame, head: int
) -> frozenset[int]:
    """The places of the lines that do not fit. `head` is the size of what stands above, in bytes."""
    total = head + sum(sizes)
    gone: list[int] = []
    if total <= frame.limit:
        return frozenset()
    for at in _in_turn(shared, own):
        gone.append(at)
        total -= sizes[at]
        # The last line grows with the number in it.
        if total + _size(_omission(WORDS[frame.language], len(gone), frame)) <= frame.limit:
            break
    return frozenset(gone)


def _in_turn(shared: Sequence[Listed], own: Sequence[Listed]) -> Iterator[int]:
    """The places of the lines in the order in which they give way."""
    yield from range(len(shared) + len(own) - 1, len(shared) - 1, -1)
    yield from sorted(range(len(shared)), key=lambda at: _age(shared[at]))


def _age(one: Listed) -> tuple[bool, int, str]:
    return one.published_at is None, one.published_at or 0, one.name


def _omission(words: Words, count: int, frame: Frame) -> str:
    roots = f" {words.also} ".join(f"`{frame.workspace}/{root}`" for root in frame.roots)
    return f"\n{words.one if count == 1 else words.more}".format(count=count, roots=roots)
