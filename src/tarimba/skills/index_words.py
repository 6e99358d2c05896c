"""What the index says besides its lines, in the language of the space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Words:
    """`intro` stands above the lines. `one` and `more` stand under them when some were left out: `{count}`, `{roots}`.

    `also` stands between two directories.
    """

    heading: str
    intro: str
    one: str
    more: str
    also: str


WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "en": Words(
            "## Skills",
            "These skills exist: before using one, read its file with the shell, for the line is only a summary.",
            "One more skill is not listed here: list {roots} with the shell.",
            "{count} more skills are not listed here: list {roots} with the shell.",
            "and",
        ),
        "pt": Words(
            "## Skills",
            "Estas skills existem: antes de usar uma, leia o arquivo dela com o shell, pois a linha é só um resumo.",
            "Mais uma skill não aparece aqui: liste {roots} com o shell.",
            "Mais {count} skills não aparecem aqui: liste {roots} com o shell.",
            "e",
        ),
        "es": Words(
            "## Skills",
            "Estas skills existen: antes de usar una, lee su archivo con el shell, pues la línea es solo un resumen.",
            "Otra skill no aparece aquí: lista {roots} con el shell.",
            "Otras {count} skills no aparecen aquí: lista {roots} con el shell.",
            "y",
        ),
    }
)
