"""What is noted while a file is read: every deviation by its rule, and the verdict that follows."""

from __future__ import annotations

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
