"""The different words of a graph as its database keeps them: in shards, each a text with a word on every line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

SHARDS: Final = 1024
# Between a form and the word that has it.
_TAB: Final = "\t"


def shard_of(term: int) -> int:
    """Where a word or form is, by the id of its term."""
    return term % SHARDS


def lines_of(stored: str) -> set[str]:
    """The lines of a shard."""
    return set(stored.split("\n")) - {""}


def stored(lines: AbstractSet[str]) -> str:
    """The text of a shard: sorted, with a line break around each line; empty without any."""
    return "\n{}\n".format("\n".join(sorted(lines))) if lines else ""


def has_word(shard: str, word: str) -> bool:
    return f"\n{word}\n" in shard


def form_line(form: str, word: str) -> str:
    return f"{form}{_TAB}{word}"


def words_of_form(shard: str, form: str) -> Iterator[str]:
    """The words that have a form, from the shard of the form."""
    return (line.partition(_TAB)[2] for line in _lines_with(shard, f"\n{form}{_TAB}"))


def holding(shards: Iterable[str], part: str, most: int) -> list[str] | None:
    """The words with this part in them, None when there are more than `most`.

    A line break at an end of the part is that end of the word.
    """
    found: list[str] = []
    for shard in shards:
        if part in shard:
            found += _lines_with(shard, part)
            if len(found) > most:
                return None
    return found


def _lines_with(shard: str, part: str) -> Iterator[str]:
    starts, ends = part.startswith("\n"), part.endswith("\n")
    at = shard.find(part)
    while at >= 0:
        begin = at if starts else shard.rfind("\n", 0, at)
        end = at + len(part) - 1 if ends else shard.index("\n", at + len(part))
        yield shard[begin + 1 : end]
        at = shard.find(part, end)
