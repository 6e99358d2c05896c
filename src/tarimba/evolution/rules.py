"""What counts as a way of working, and what a draft must be before anybody sees it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tarimba import text
from tarimba.evolution import skill_file
from tarimba.evolution.model import Problem, Skill
from tarimba.skills.model import DESCRIPTION_MAX, RESERVED

# The modes of a space in which drafts are made.
DRAFTING: Final = frozenset({"draft", "apply"})
SEEN_MIN: Final = 2
# Seven of ten; whole numbers, so that no database rounds.
SUCCESS_TENTHS: Final = 7
OPERATIONS_MAX: Final = 200
BODY_MAX: Final = 20_000
# A model that is away may be back soon; then the operations alone make the draft.
WAITS_S: Final = (5, 30, 120)

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_SPAN: Final = re.compile(r"`+([^`\n]+)`+")
_OF_LENGTH: Final = frozenset({"blank", "too_long", "too_short"})


def folded(operations: Iterable[str]) -> tuple[str, ...]:
    """The operations without immediate repeats, each on one line."""
    kept: list[str] = []
    for operation in operations:
        one = text.fold_space(operation)
        if one and (not kept or kept[-1] != one):
            kept.append(one)
    return tuple(kept[:OPERATIONS_MAX])


def signature(operations: Sequence[str]) -> str:
    """Folded operations joined by `>`. Two ways of working never have the same."""
    return ">".join(one.replace("\\", "\\\\").replace(">", "\\>") for one in operations)


def went_well(succeeded: bool | None) -> bool:
    """Whether a task counts as a success: one that was ended without a word of failure does."""
    return succeeded is not False


def is_name(name: str) -> bool:
    """Whether a skill may have this name."""
    return _NAME.fullmatch(name) is not None and name not in RESERVED


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name, or the name with the first number from 2 on that makes it free."""
    used = {*taken, *RESERVED}
    name, number = wanted, 1
    while name in used:
        number += 1
        tail = f"-{number}"
        name = wanted[: 40 - len(tail)].rstrip("-") + tail
    return name


def gated(skill: Skill) -> Skill | Problem:
    """The skill as it is stored, or why it can't be: its form is wrong, or it hides something."""
    if not is_name(skill.name):
        return "invalid_skill"
    try:
        made = Skill(
            skill.name,
            text.clean(skill.description, field="description", max_length=DESCRIPTION_MAX, one_line=True),
            text.clean(skill.body.strip(), field="body", max_length=BODY_MAX),
        )
    except text.GateError as error:
        return "invalid_skill" if error.rule in _OF_LENGTH else "hidden_text"
    is_same = skill_file.read(skill_file.written(made)) == made
    return made if is_same else "invalid_skill"


def names_only(skill: Skill, operations: Sequence[str]) -> bool:
    """Whether what stands in code marks is what was done: a step that nobody took is no part of a procedure."""
    done = {plain(one) for one in operations}
    spans = _SPAN.findall(f"{skill.description}\n{skill.body}")
    return all(text.fold_space(span) in done for span in spans)


def plain(operation: str) -> str:
    """An operation as it stands between marks of code."""
    return operation.replace("`", "'")
