"""What a space may set, and within which bounds. Pure.

A setting is named as in documents and receipts, `agent_memory.title_max`; the settings of a task are named
`agent_memory.tasks.<name>.object_types`. `personal_data.allow` holds kinds that notes may name. `name` and `language`
are the space's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from tarimba.errors import Refusal, invalid
from tarimba.identity.fields import LANGUAGES, checked_name

OBJECT_TYPES_MAX = 32
TASKS_MAX = 200
ALLOW = "personal_data.allow"
# Of all kinds the one that names companies, and people only where they trade under it.
ALLOWABLE = frozenset({"cnpj"})
_PREFIX = "agent_memory."
_WORD = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}")
_TASK = re.compile(rf"agent_memory\.tasks\.({_WORD.pattern})\.object_types")


@dataclass(frozen=True, slots=True)
class SpaceSettings:
    """The settings of a space in force: what is stored, else these defaults.

    Lengths are code points; the three caps are per agent. Masked turns are kept for `retention_days`, the text of a
    rejected proposal for `rejected_text_days`. `evolution_every` tasks make a round; with 0 only people start
    one. `index_bytes` limits the index of skills. Durable sessions end `sessions_days` after their last line, with 0
    never. `tasks` gives the object types of each task.
    """

    enabled: bool = False
    writes: Literal["agent", "human_only"] = "agent"
    title_max: int = 120
    body_max: int = 2000
    writes_per_hour: int = 20
    active_notes_max: int = 500
    refusals_per_hour: int = 60
    block_tokens_default: int = 300
    rejected_text_days: int = 30
    retention_days: int = 90
    across_vendors: bool = False
    evolution: Literal["off", "observe", "draft", "apply"] = "off"
    evolution_every: int = 0
    index_bytes: int = 8192
    sessions_days: int = 0
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    allow: tuple[str, ...] = ()

    def value(self, name: str) -> Any:
        """The value in force of one setting, as JSON; None for a task that is not set."""
        if name == ALLOW:
            return list(self.allow)
        task = _TASK.fullmatch(name)
        if task is None:
            return getattr(self, FIELDS[name])
        types = self.tasks.get(task[1])
        return None if types is None else list(types)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must be: a sentence for people and the check behind it."""

    sentence: str
    holds: Callable[[Any], bool]


def _whole(low: int, high: int) -> Rule:
    return Rule(f"must be a whole number from {low} to {high}", lambda value: _is_within(value, low, high))


def _one_of(*choices: str) -> Rule:
    return Rule(f"must be one of {', '.join(choices)}", lambda value: value in choices)


def _is_within(value: Any, low: int, high: int) -> bool:
    # True is an int in Python; in JSON it is not a number.
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_allowable(value: Any) -> bool:
    kinds = value if isinstance(value, list) else [None]
    return (
        all(isinstance(kind, str) for kind in kinds)
        and len(set(kinds)) == len(kinds)
        and set(kinds) <= ALLOWABLE
    )


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "agent_memory.enabled": Rule("must be true or false", lambda value: isinstance(value, bool)),
        "agent_memory.writes": _one_of("agent", "human_only"),
        "agent_memory.title_max": _whole(1, 300),
        "agent_memory.body_max": _whole(1, 20_000),
        "agent_memory.writes_per_hour": _whole(1, 1_000_000),
        "agent_memory.active_notes_max": _whole(1, 1_000_000),
        "agent_memory.refusals_per_hour": _whole(1, 1_000_000),
        "agent_memory.block_tokens_default": _whole(50, 2000),
        "agent_memory.rejected_text_days": _whole(0, 3650),
        "conversations.retention_days": _whole(1, 3650),
        "conversations.across_vendors": Rule("must be true or false", lambda value: isinstance(value, bool)),
        "evolution.mode": _one_of("off", "observe", "draft", "apply"),
        "evolution.every_tasks": _whole(0, 1_000_000),
        "skills.index_bytes": _whole(1024, 65_536),
        "workspaces.sessions_days": _whole(0, 3650),
        ALLOW: Rule(f"must be a list of none or some of {', '.join(sorted(ALLOWABLE))}", _is_allowable),
        "language": _one_of(*LANGUAGES),
    }
)
_ELSEWHERE = {
    "conversations.retention_days": "retention_days",
    "conversations.across_vendors": "across_vendors",
    "evolution.mode": "evolution",
    "evolution.every_tasks": "evolution_every",
    "skills.index_bytes": "index_bytes",
    "workspaces.sessions_days": "sessions_days",
}
_OWN = {f.name for f in fields(SpaceSettings)} - {"tasks", "allow", *_ELSEWHERE.values()}
FIELDS: Mapping[str, str] = MappingProxyType({f"{_PREFIX}{name}": name for name in _OWN} | _ELSEWHERE)
"""The field of each setting by its name."""


def checked(name: str, value: Any) -> Any:
    """The value of one setting as it is stored. Raises 422 naming the setting and its rule.

    None removes a task, and so does an empty list.
    """
    if name == "name":
        return checked_name("name", value)
    if _TASK.fullmatch(name):
        return _object_types(value)
    rule = RULES.get(name)
    if rule is None:
        raise Refusal(
            "invalid_input", "There is no such setting, or the name of a task has not the form of a tag."
        )
    if not rule.holds(value):
        raise invalid(name, rule.sentence)
    return value


def task_setting(task: str) -> str:
    """The setting that holds the object types of a task."""
    return f"agent_memory.tasks.{task}.object_types"


def settings_of(stored: Mapping[str, Any]) -> SpaceSettings:
    """The settings in force, from what is stored by name; what is not one of them is passed over."""
    plain: dict[str, Any] = {}
    tasks: dict[str, tuple[str, ...]] = {}
    for name, value in stored.items():
        task = _TASK.fullmatch(name)
        if task is not None:
            tasks[task[1]] = tuple(value)
        elif name in FIELDS:
            plain[FIELDS[name]] = value
    allow = tuple(stored.get(ALLOW, ()))
    return SpaceSettings(**plain, tasks=MappingProxyType(tasks), allow=allow)


def _object_types(value: Any) -> list[str] | None:
    name = "agent_memory.tasks.<name>.object_types"
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > OBJECT_TYPES_MAX:
        raise invalid(name, f"must be a list of at most {OBJECT_TYPES_MAX} object types")
    if not all(isinstance(entry, str) and _WORD.fullmatch(entry) for entry in value):
        raise invalid(name, "must hold words of the form of a tag")
    return list(dict.fromkeys(value)) or None
