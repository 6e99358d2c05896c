"""What is noted while a file is read: every deviation by its rule, and the verdict that follows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tarimba.skills import words_en, words_es, words_pt
from tarimba.skills.model import Language, Problem, Verdict

QUARANTINED: Final = frozenset(
    """
    anchor description-empty description-kind description-missing encoding file-name file-too-large name-kind
    name-too-long name-unsavable no-closing-fence no-opening-fence nul outside repeated-key unreadable
    """.split()
)
REPAIRED: Final = frozenset(
    """
    bom colon comment description-long escape fence-space hash leading-blank line-ends missing-space name-directory
    name-missing name-slug quote stray-line tab-indent typed unprintable yaml-sign
    """.split()
)
WARNED: Final = frozenset(
    """
    bidi description-bytes description-title keys-left-out name-reserved name-style not-looked-at override
    personal-data pipe-to-shell secret tag-character too-many-files zero-width
    """.split()
)
WORDS: Final[Mapping[Language, Mapping[str, tuple[str, str]]]] = MappingProxyType(
    {"en": words_en.WORDS, "es": words_es.WORDS, "pt": words_pt.WORDS}
)
_TOLD_MAX: Final = 20
_PLACE: Final = re.compile(r"\{(\w+)\}")


def retold(problem: Problem, language: Language) -> Problem:
    """A problem that was told in some language, in another one; as it is where nobody has those words."""
    if problem.rule not in WORDS[language]:
        return problem
    for words in WORDS.values():
        message, fix = words[problem.rule]
        values = _values(message, problem.message)
        others = _values(fix, problem.fix)
        if values is not None and others is not None:
            told, mend = (text.format(**values | others) for text in WORDS[language][problem.rule])
            return Problem(problem.line, problem.rule, told, mend)
    return problem


def _values(template: str, text: str) -> dict[str, str] | None:
    """What stands in the places of a sentence; None where it is not that sentence."""
    parts = _PLACE.split(template)
    names = parts[1::2]
    if len(set(names)) != len(names):
        return None
    pieces = (f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    found = re.fullmatch("".join(pieces), text, re.DOTALL)
    return None if found is None else found.groupdict()


class Report:
    """Problems in the order in which they were seen; of one rule the first twenty."""

    def __init__(self, language: Language = "en") -> None:
        self._words = WORDS[language]
        self._problems: list[Problem] = []
        self._seen: Counter[str] = Counter()

    def tell(self, line: int, rule: str, **values: str) -> None:
        """Notes one problem at a line (from 1; 0: none is meant). `values` fill the sentences of the rule."""
        self._seen[rule] += 1
        if self._seen[rule] <= _TOLD_MAX:
            message, fix = self._words[rule]
            self._problems.append(Problem(line, rule, message.format(**values), fix.format(**values)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)

    @property
    def verdict(self) -> Verdict:
        if self._seen.keys() & QUARANTINED:
            return "quarantined"
        return "repaired" if self._seen.keys() & REPAIRED else "ok"
