"""What a harness is told that does not read the folder of memory by itself, in the language of the space. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

# The first line stands before the notes, the second instead of them where they can't be taken in.
NOTES: Final = MappingProxyType(
    {
        "en": (
            "# The member's standing notes",
            (
                "How this member wants things done is in `{path}`. The member changes it between your turns: read it "
                "before you answer, each time, and follow it."
            ),
        ),
        "es": (
            "# Las notas permanentes del miembro",
            (
                "Cómo quiere las cosas este miembro está en `{path}`. El miembro lo cambia entre tus turnos: léelo "
                "antes de responder, cada vez, y síguelo."
            ),
        ),
        "pt": (
            "# As notas permanentes do membro",
            (
                "Como este membro quer as coisas está em `{path}`. O membro o altera entre os seus turnos: leia-o "
                "antes de responder, a cada vez, e siga-o."
            ),
        ),
    }
)
