"""What `tarimba skills new` writes: a skill to be filled in, whose description is already a situation. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tarimba.skills.format import write
from tarimba.skills.model import Language

_EN: Final = (
    "Use when somebody asks for THIS TASK, or when THAT SIGN shows that it is needed; not for A NEIGHBOURING TASK.",
    """
# {name}

## Before you begin

- What must be at hand, and where it lies.

## Steps

1. The first step, with the command or the place.
2. How to see that it worked.

## When it goes wrong

- The sign, and what to do then.
""",
)
_PT: Final = (
    "Use quando alguém pedir ESTA TAREFA, ou quando AQUELE SINAL a tornar necessária; não para UMA TAREFA VIZINHA.",
    """
# {name}

## Antes de começar

- O que precisa estar à mão, e onde fica.

## Passos

1. O primeiro passo, com o comando ou o lugar.
2. Como ver que deu certo.

## Quando dá errado

- O sinal, e o que fazer então.
""",
)
_ES: Final = (
    "Use cuando alguien pida ESTA TAREA, o cuando AQUELLA SEÑAL muestre que hace falta; no para UNA TAREA VECINA.",
    """
# {name}

## Antes de empezar

- Lo que debe estar a mano, y dónde está.

## Pasos

1. El primer paso, con el comando o el lugar.
2. Cómo ver que salió bien.

## Cuando sale mal

- La señal, y qué hacer entonces.
""",
)
_SKELETONS: Final[Mapping[Language, tuple[str, str]]] = MappingProxyType({"en": _EN, "es": _ES, "pt": _PT})


def skeleton(name: str, language: Language = "en") -> bytes:
    """The canonical bytes of a new skill of this legal name."""
    description, body = _SKELETONS[language]
    return write(name, description, body.format(name=name))
