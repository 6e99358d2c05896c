"""The writer that needs no model: the recorded actions in their order, never a word that somebody said. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tarimba.conversations.model import Turn
from tarimba.distill.abstracting import abstracted
from tarimba.distill.model import Offer, Task
from tarimba.distill.naming import CUSTOMER

# One action is no procedure.
STEPS_MIN: Final = 2
_STEPS_MAX: Final = 40
_TAGS_MAX: Final = 5
_WORD_MAX: Final = 80

Step = tuple[str, tuple[str, ...]]
_TITLE: Final[Mapping[str, str]] = MappingProxyType(
    {"pt": "Ações registradas: {}", "en": "Recorded actions: {}", "es": "Acciones registradas: {}"}
)
_OPENING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pt": "Tirado só das ações registradas de um atendimento, na ordem, sem nada do que foi dito:",
        "en": "Drawn only from the recorded actions of one piece of work, in their order, and from nothing said:",
        "es": "Tomado solo de las acciones registradas de una atención, en orden, sin nada de lo que se dijo:",
    }
)
_MORE: Final[Mapping[str, str]] = MappingProxyType(
    {"pt": "(e mais {} ações)", "en": "(and {} more actions)", "es": "(y {} acciones más)"}
)
_MORE_ROOM: Final = 30
_ON: Final[Mapping[str, str]] = MappingProxyType({"pt": "em", "en": "on", "es": "en"})


def offer_of(task: Task) -> Offer | None:
    """The ordered operations with their object types; None when they are fewer than two or do not fit."""
    steps = folded(_steps(task))
    if len(steps) < STEPS_MIN:
        return None
    lines = _fitting(steps, task)
    if len(lines) < STEPS_MIN:
        return None
    if len(lines) < len(steps):
        lines.append(_MORE[task.language].format(len(steps) - len(lines)))
    opening = _OPENING[task.language]
    return Offer(
        kind="procedure",
        title=_title(steps, task),
        body="\n".join([opening, *lines]),
        tags=tuple(_tags(steps)),
    )


def folded(steps: Iterable[Step]) -> list[Step]:
    """The steps without immediate repeats."""
    kept: list[Step] = []
    for step in steps:
        if not kept or kept[-1] != step:
            kept.append(step)
    return kept


def _steps(task: Task) -> list[Step]:
    return [
        (_plain(turn.operation, task.language), _types(turn, task.language))
        for turn in task.turns
        if turn.operation and turn.role != CUSTOMER
    ]


def _types(turn: Turn, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_plain(kind, language) for kind, _ in turn.objects))


def _plain(word: str, language: str) -> str:
    """One line of code, short, without the marks of code and without values of the case."""
    return abstracted(" ".join(word.replace("`", "'").split()), language)[:_WORD_MAX]


def _fitting(steps: Sequence[Step], task: Task) -> list[str]:
    room = task.body_max - len(_OPENING[task.language]) - _MORE_ROOM
    lines: list[str] = []
    for number, (operation, types) in enumerate(steps[:_STEPS_MAX], 1):
        on = f" {_ON[task.language]} {', '.join(types)}" if types else ""
        line = f"{number}. `{operation}`{on}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines


def _title(steps: Sequence[Step], task: Task) -> str:
    """The operations that fit, each whole: a part of a name is another name."""
    names = [name for name, _ in folded((operation, ()) for operation, _ in steps)]
    form = _TITLE[task.language]
    for shown in range(len(names), 0, -1):
        title = form.format(" > ".join(names[:shown]) + (" > …" if shown < len(names) else ""))
        if len(title) <= task.title_max:
            return title
    return form.format("…")[: task.title_max]


def _tags(steps: Sequence[Step]) -> list[str]:
    """The first word of each operation, where it has the form of a tag."""
    words = (re.split(r"[^a-z0-9]+", operation.lower(), maxsplit=1)[0] for operation, _ in steps)
    return list(dict.fromkeys(word for word in words if word and len(word) <= 64))[:_TAGS_MAX]
