"""What the Console says, in Portuguese, English and Spanish: one file of words for each page.

A key is `page.name`; a value may have `{places}`. With a count, `key.one` and `key.other` are chosen by it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from tarimba.clock import SECOND

LANGUAGES: Final = ("pt", "en", "es")
LOCALES: Final[Mapping[str, str]] = MappingProxyType({"pt": "pt-BR", "en": "en", "es": "es"})
_MONTHS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pt": "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
        "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "es": "ene. feb. mar. abr. may. jun. jul. ago. sept. oct. nov. dic.",
    }
)
Texts = Mapping[str, Mapping[str, str]]


def load() -> Texts:
    """Every text by key and language. Raises `ValueError` for a key that is not said in every language."""
    found: dict[str, Mapping[str, str]] = {}
    for entry in sorted(files("tarimba.console").joinpath("words").iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml"):
            for page, keys in tomllib.loads(entry.read_text(encoding="utf-8")).items():
                for name, texts in keys.items():
                    found[f"{page}.{name}"] = _complete(f"{page}.{name}", texts)
    return MappingProxyType(found)


def _complete(key: str, texts: Mapping[str, str]) -> Mapping[str, str]:
    if set(texts) != set(LANGUAGES) or not all(texts.values()):
        raise ValueError(f"{key} must be said in {', '.join(LANGUAGES)}")
    return MappingProxyType(dict(texts))


@dataclass(frozen=True, slots=True)
class Speech:
    """The words in one language."""

    language: str
    texts: Texts

    def __call__(self, key: str, count: int | None = None, **values: Any) -> str:
        """The text of a key. An unknown key is a fault of ours: `KeyError`."""
        if count is not None:
            key = f"{key}_{'one' if count == 1 else 'other'}"
            values["count"] = self.number(count)
        text = self.texts[key][self.language]
        return text.format(**values) if values else text

    def has(self, key: str) -> bool:
        return key in self.texts

    @property
    def locale(self) -> str:
        return LOCALES[self.language]

    def number(self, value: int) -> str:
        """Thousands apart, as the language does."""
        apart = f"{value:,}"
        return apart if self.language == "en" else apart.replace(",", ".")

    def decimal(self, value: float | str) -> str:
        """A number with a fraction, parted as the language does."""
        return str(value) if self.language == "en" else str(value).replace(".", ",")

    def date(self, at_us: int) -> str:
        """The day, in UTC."""
        at = datetime.fromtimestamp(at_us // SECOND, UTC)
        month = _MONTHS[self.language].split()[at.month - 1]
        return f"{month} {at.day}, {at.year}" if self.language == "en" else f"{at.day} {month} {at.year}"

    def day(self, at_us: int) -> str:
        """The day and the month in numbers, in UTC."""
        at = datetime.fromtimestamp(at_us // SECOND, UTC)
        return f"{at:%m/%d}" if self.language == "en" else f"{at:%d/%m}"

    def moment(self, at_us: int) -> str:
        """The day and the minute, in UTC."""
        at = datetime.fromtimestamp(at_us // SECOND, UTC)
        return f"{self.date(at_us)}, {at:%H:%M} UTC"


def chosen(accept: str, texts: Texts) -> Speech:
    """The language that a browser asks for first among ours; Portuguese else. Source: RFC 9110, 12.5.4."""
    asked = [_weighed(part, at) for at, part in enumerate(accept.split(",")[:20])]
    for _, _, language in sorted(asked):
        if language in LANGUAGES:
            return Speech(language, texts)
    return Speech(LANGUAGES[0], texts)


def _weighed(part: str, at: int) -> tuple[float, int, str]:
    tag, _, weight = part.partition(";q=")
    try:
        known = float(weight) if weight else 1.0
    except ValueError:
        known = 0.0
    return -known, at, tag.strip().lower()[:2]
