"""The writer that needs no model: the operations in their order, in the language of the space. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tarimba.evolution.model import Skill
from tarimba.evolution.rules import BODY_MAX, is_name, plain
from tarimba.skills.model import DESCRIPTION_MAX

_STEPS_MAX: Final = 40
_NAMED_MAX: Final = 6
_NAME_MAX: Final = 40
# What the words around the steps leave of what a skill may have.
_BODY_ROOM: Final = BODY_MAX - 200
_DESCRIPTION_ROOM: Final = DESCRIPTION_MAX - 100
_BREAKS: Final = re.compile(r"[^a-z0-9]+")

_NAME: Final[Mapping[str, str]] = MappingProxyType(
    {"pt": "procedimento", "en": "procedure", "es": "procedimiento"}
)
_WHEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pt": "Use quando uma tarefa pede {}.",
        "en": "Use when a task calls for {}.",
        "es": "Úsala cuando una tarea pide {}.",
    }
)
_THEN: Final[Mapping[str, str]] = MappingProxyType({"pt": "depois", "en": "then", "es": "después"})
_OPENING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pt": "Tirado das operações de {seen} tarefas terminadas; {well} deram certo. O que foi feito, na ordem:",
        "en": "Drawn from the operations of {seen} finished tasks; {well} of them went well. What was done, in order:",
        "es": "Tomado de las operaciones de {seen} tareas terminadas; {well} salieron bien. Lo que se hizo, en orden:",
    }
)
_MORE: Final[Mapping[str, str]] = MappingProxyType(
    {"pt": "(e mais {} operações)", "en": "(and {} more operations)", "es": "(y {} operaciones más)"}
)


def skill_of(operations: Sequence[str], seen: int, succeeded: int, language: str) -> Skill:
    """A skill that says no more than what was done, and how often."""
    steps = [plain(one) for one in operations]
    lines = _fitting([f"{number}. `{step}`" for number, step in enumerate(steps, 1)], _STEPS_MAX, _BODY_ROOM)
    if len(steps) > len(lines):
        lines.append(_MORE[language].format(len(steps) - len(lines)))
    opening = _OPENING[language].format(seen=seen, well=succeeded)
    return Skill(_name(steps, language), _description(steps, language), "\n".join([opening, "", *lines]))


def _name(steps: Sequence[str], language: str) -> str:
    """The words of the operations that fit, each whole where one fits."""
    words = [word for step in steps for word in _BREAKS.split(step.lower()) if word]
    name = "-".join(words)[: _NAME_MAX + 1]
    if len(name) > _NAME_MAX:
        name = name.rpartition("-")[0] or name[:_NAME_MAX]
    return name if is_name(name) else _NAME[language]


def _description(steps: Sequence[str], language: str) -> str:
    named = _fitting([f"`{step}`" for step in steps], _NAMED_MAX, _DESCRIPTION_ROOM)
    if len(steps) > len(named):
        named.append("…")
    return _WHEN[language].format(f", {_THEN[language]} ".join(named))


def _fitting(parts: Sequence[str], most: int, room: int) -> list[str]:
    """The first parts that fit into so many characters with ten between each, each whole."""
    kept: list[str] = []
    for part in parts[:most]:
        room -= len(part) + 10
        if room < 0:
            break
        kept.append(part)
    return kept
