"""Refusals in the visitor's language: each sentence that a form can meet is known by its English form.

Use cases say what they want in English (`field: rule`); here the rule is found among the words of `sentences.toml`,
its numbers and names are kept, and the field gets the label that its form has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tarimba.console.words import Speech, Texts

_WORDS: Final = "sentences."
_FIELDS: Final = "fields."
_FIELD: Final = re.compile(r"(?P<field>[a-z][a-zA-Z0-9_.\[\]]*): (?P<rule>.+)", re.DOTALL)
_HOLE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and the language that it is in."""

    text: str
    language: str


@dataclass(frozen=True)
class Sentences:
    """Every known sentence, found by what it is in English."""

    texts: Texts

    def say(self, speech: Speech, detail: str) -> Said:
        """`detail` in the visitor's language; as it is where nobody has said it in that language."""
        whole = self._rule(speech, detail)
        if whole is not None:
            return Said(whole, speech.language)
        parts = _FIELD.fullmatch(detail)
        if parts is None:
            return Said(detail, "en")
        rule = self._rule(speech, parts["rule"].removesuffix("."))
        if rule is None:
            return Said(detail, "en")
        return Said(f"{self._label(speech, parts['field'])}: {rule}.", speech.language)

    def knows(self, sentence: str) -> bool:
        """Whether a sentence, without its field, is said in every language."""
        return any(pattern.fullmatch(sentence) for pattern, _ in self._patterns)

    def _rule(self, speech: Speech, sentence: str) -> str | None:
        for pattern, key in self._patterns:
            found = pattern.fullmatch(sentence)
            if found is not None:
                return sentence if speech.language == "en" else speech(key, None, **found.groupdict())
        return None

    def _label(self, speech: Speech, field: str) -> str:
        """The label of a setting or a field of a form; what has none keeps its name."""
        last = field.rpartition(".")[2].partition("[")[0]
        keys = [_FIELDS + field, _FIELDS + last]
        if "." in field:
            keys.insert(0, f"settings.{field.replace('.', '_')}")
        for key in keys:
            if speech.has(key):
                return speech(key)
        return field

    @cached_property
    def _patterns(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Those with most words of their own first, so that what says more is found before what says less."""
        found = sorted(self._known(), key=lambda one: -len(_HOLE.sub("", one[1])))
        return tuple((_pattern(text), key) for key, text in found)

    def _known(self) -> Iterator[tuple[str, str]]:
        for key, said in self.texts.items():
            if key.startswith(_WORDS):
                yield key, said["en"]


def _pattern(text: str) -> re.Pattern[str]:
    parts = _HOLE.split(text.replace("{{", "\0").replace("}}", "\1"))
    # Every second part is the name of a hole.
    made = "".join(
        f"(?P<{part}>.+?)" if number % 2 else re.escape(part.replace("\0", "{").replace("\1", "}"))
        for number, part in enumerate(parts)
    )
    return re.compile(made, re.DOTALL)
