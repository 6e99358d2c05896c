"""The review before anybody sees a draft. Waits for the detectors; no transaction."""

from __future__ import annotations

from collections.abc import Sequence

from tarimba.distill import service as distill
from tarimba.evolution import rules
from tarimba.evolution.model import Problem, Skill
from tarimba.kernel import Kernel
from tarimba.personal_data import service as personal_data
from tarimba.personal_data.model import Knowledge


def reviewed(kernel: Kernel, knew: Knowledge, skill: Skill, operations: Sequence[str]) -> Skill | Problem:
    """The skill as it may be seen and stored, or why it may not, as a code.

    Raises 503 `detectors_unavailable`: then nothing is known.
    """
    made = rules.gated(skill)
    if not isinstance(made, Skill):
        return made
    return problem_of(kernel, knew, made, operations) or made


def problem_of(kernel: Kernel, knew: Knowledge, skill: Skill, operations: Sequence[str]) -> Problem | None:
    """What is wrong with a skill whose form is right; None when nothing is. Raises 503."""
    whole = f"{skill.name}\n{skill.description}\n{skill.body}"
    if any(personal_data.find_credentials(whole)):
        return "secret"
    if distill.speaks_to_agents(whole):
        return "speaks_to_agents"
    if not operations or not rules.names_only(skill, operations):
        return "not_as_done"
    fields = {"title": skill.description, "body": skill.body, "tags": [skill.name]}
    return None if personal_data.check(kernel, knew, fields).clean else "personal_data"
