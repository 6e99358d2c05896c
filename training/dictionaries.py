"""Ordinary words of three languages by how often people say them: from the package pyspellchecker (MIT)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

from tarimba.personal_data.fold import plain

LEAST: Final = {"pt": 55, "es": 0, "en": 150}
"""So often a word must stand in the dictionary's films: below that the English one holds many a name."""
COMMON: Final = 1_000
SHORTEST: Final = 3


def ordinary_words() -> Iterator[tuple[str, int]]:
    """Each word in small letters without accents, and its class: 2 for one that is often said, 1 for another."""
    for lang, least in LEAST.items():
        raw = (files("spellchecker") / "resources" / f"{lang}.json.gz").read_bytes()
        for word, count in json.loads(gzip.decompress(raw)).items():
            if count >= least and len(word) >= SHORTEST and word.isalpha():
                yield plain(word), 2 if count >= COMMON else 1
