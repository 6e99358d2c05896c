"""Settings of the space: the switch, who may write, caps, times, learning, tasks, and what notes may name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tarimba.console.asking import is_for_the_form
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal, invalid
from tarimba.identity import spaces
from tarimba.identity.rules import allow, may
from tarimba.identity.setting_rules import ALLOW, ALLOWABLE, task_setting
from tarimba.kernel import Kernel

_MEMORY: Final = "agent_memory."


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of a form: `name` is the setting's own. `choices` are values that a choice offers."""

    name: str
    kind: Literal["number", "choice", "tick", "line", "ticks"]
    choices: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """What its words begin with."""
        return self.name.replace(".", "_")

    def sent(self, visit: Visit) -> Any:
        """The value that a form says. Raises 422."""
        form = visit.form
        if self.kind == "tick":
            return form.flag(self.name)
        if self.kind == "ticks":
            return form.all(self.name)
        said = form.line(self.name)
        return _number(self.name, said) if self.kind == "number" else said

    def typed(self, visit: Visit) -> Any:
        """What a refused form said, to be shown again."""
        return self.sent(visit) if self.kind in {"tick", "ticks"} else visit.form.line(self.name)


def _number(name: str, said: str) -> int:
    if not said.isascii() or not said.isdigit() or len(said) > 12:
        raise invalid(name, "must be a whole number")
    return int(said)


def _numbers(*names: str) -> tuple[Setting, ...]:
    return tuple(Setting(name, "number") for name in names)


SECTIONS: Final[Mapping[str, tuple[Setting, ...]]] = {
    "writing": (
        Setting(_MEMORY + "writes", "choice", ("agent", "human_only")),
        *_numbers(_MEMORY + "writes_per_hour", _MEMORY + "refusals_per_hour", _MEMORY + "active_notes_max"),
    ),
    "size": _numbers(
        _MEMORY + "title_max", _MEMORY + "body_max", _MEMORY + "block_tokens_default", "skills.index_bytes"
    ),
    "keeping": _numbers(
        _MEMORY + "rejected_text_days", "conversations.retention_days", "workspaces.sessions_days"
    ),
    "learning": (
        Setting("evolution.mode", "choice", ("off", "observe", "draft", "apply")),
        *_numbers("evolution.every_tasks"),
    ),
    "sharing": (
        Setting("conversations.across_vendors", "tick"),
        Setting(ALLOW, "ticks", tuple(sorted(ALLOWABLE))),
    ),
    "space": (Setting("name", "line"), Setting("language", "choice", ("pt", "en", "es"))),
}
# Each place of the settings, with what it asks for: a person lands on the first that is theirs.
TABS: Final = (
    ("general", "/settings", "settings"),
    ("words", "/settings/words", "vocabulary"),
    ("servers", "/settings/servers", "settings"),
    ("data", "/settings/data", "export"),
    ("jobs", "/settings/jobs", "jobs"),
)


def tabs(visit: Visit) -> list[tuple[str, str]]:
    """The places of the settings that the visitor may open: (name, path)."""
    return [(name, path) for name, path, act in TABS if may(visit.principal, act)]


def _page(kernel: Kernel, visit: Visit, refusal: Refusal | None = None, section: str = "") -> Html:
    space, settings = spaces.read_settings(kernel, visit.principal)
    in_force = {"name": space.name, "language": space.language}
    values: dict[str, Any] = {}
    for name, fields in SECTIONS.items():
        for one in fields:
            known = in_force[one.name] if one.name in in_force else settings.value(one.name)
            values[one.name] = one.typed(visit) if name == section else known
    shown = {
        "space": space,
        "is_on": settings.enabled,
        "sections": SECTIONS,
        "values": values,
        "tasks": sorted(settings.tasks.items()),
        "given": {name: visit.form.line(name) for name in ("task", "types")},
        "section": section,
        "refusal": refusal,
        "tabs": tabs(visit),
    }
    return Html("settings.html", shown, 200 if refusal is None else refusal.status)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    mine = tabs(visit)
    if mine and mine[0][1] != "/settings":
        return Redirect(mine[0][1])
    allow(visit.principal, "settings")
    return _page(kernel, visit)


def _changed(
    kernel: Kernel, visit: Visit, section: str, changes: Callable[[], Mapping[str, Any]], done: str
) -> Shown:
    try:
        spaces.change_settings(kernel, visit.principal, changes())
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _page(kernel, visit, refusal, section)
    return Redirect("/settings", done)


def _save(kernel: Kernel, visit: Visit) -> Shown:
    section = visit.form.choice("section", SECTIONS)
    if not section:
        raise invalid("section", "must be one of those that the form offers")
    return _changed(
        kernel,
        visit,
        section,
        lambda: {one.name: one.sent(visit) for one in SECTIONS[section]},
        "settings.done_saved",
    )


def _switch(kernel: Kernel, visit: Visit) -> Shown:
    turns_on = visit.form.choice("memory", ("on", "off")) == "on"
    done = "settings.done_on" if turns_on else "settings.done_off"
    return _changed(kernel, visit, "switch", lambda: {_MEMORY + "enabled": turns_on}, done)


def _off_page(_kernel: Kernel, _visit: Visit) -> Shown:
    """Asks before the memory is turned off."""
    return Html("settings_off.html")


def _task(kernel: Kernel, visit: Visit) -> Shown:
    """Sets the object types of a task; none takes the task away."""
    types = visit.form.line("types").replace(",", " ").split()
    name = task_setting(visit.form.line("task"))
    return _changed(kernel, visit, "tasks", lambda: {name: types or None}, "settings.done_task")


PAGES: Final = (
    Page("GET", "/settings", _show, tuple(act for _, _, act in TABS)),
    Page("POST", "/settings", _save, "settings"),
    Page("POST", "/settings/memory", _switch, "settings"),
    Page("GET", "/settings/off", _off_page, "settings"),
    Page("POST", "/settings/tasks", _task, "settings"),
)
