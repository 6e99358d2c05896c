"""My memory: the member's standing notes with their versions, the agent's notebook beside them, and projects."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.console.seats import Seated, called, going, is_shown, no_seat, said_of, seated
from tarimba.errors import Refusal, not_found
from tarimba.kernel import Kernel
from tarimba.workspaces import memory, memory_versions
from tarimba.workspaces import service as workspaces
from tarimba.workspaces.memory import Reading, Wish
from tarimba.workspaces.service import NewProject

_PATH: Final = "/memory"
_ACT: Final = "own_memory"
# A form writes each byte of a text of 256 KiB in three, and each of its line ends in six.
_BODY_MAX: Final = 2 * 1024 * 1024
_ANY: Final = "*"
# What the agent put in the place of a file: a link, a folder, more than is read.
_UNREADABLE: Final = frozenset({"conflict", "too_large"})


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _page(kernel, visit)


def _page(
    kernel: Kernel, visit: Visit, refusal: Refusal | None = None, *, form: str = "", typed: str | None = None
) -> Html:
    """The notes as they stand; with what a person had typed (`form` says where) when that was refused."""
    seat = seated(kernel, visit, _PATH, in_projects=True)
    if seat is None:
        return no_seat("memory", _PATH)
    notes, in_the_way = _custom(kernel, visit, seat)
    values: dict[str, Any] = {
        "seat": seat,
        "notes": notes,
        "in_the_way": in_the_way,
        "text": typed if typed is not None else notes.text if notes else "",
        "seen": notes.hash if notes else _ANY,
        "found": _found(notes),
        "others": _others(kernel, visit, seat),
        "versions": memory_versions.list_versions(kernel, visit.principal, seat.called).items,
        "new": (visit.form.line("project"), visit.form.line("name")),
        "refusal": refusal,
        "form": form,
    }
    return Html("memory.html", values, 200 if refusal is None else refusal.status)


def _custom(kernel: Kernel, visit: Visit, seat: Seated) -> tuple[Reading | None, Refusal | None]:
    try:
        return memory.read(kernel, visit.principal, seat.called), None
    except Refusal as refusal:
        if refusal.code not in _UNREADABLE:
            raise
        return None, refusal


def _found(notes: Reading | None) -> dict[str, Any] | None:
    """What was written past the server: lines that follow each other with the same sign are one piece."""
    if notes is None or notes.found is None:
        return None
    told = notes.found
    lines = told.difference.text.split("\n")
    pieces = [
        (sign, "\n".join(line[1:] for line in together))
        for sign, together in groupby(lines, key=lambda line: line[:1])
    ]
    return {"pieces": pieces, "is_cut": told.difference.is_cut, "since": told.since}


def _others(kernel: Kernel, visit: Visit, seat: Seated) -> list[tuple[str, Reading | None]]:
    """What the agent keeps there itself, None where it can't be read."""
    names: tuple[Any, ...] = ("PROJECT.md", "MEMORY.md") if seat.called.project else ("MEMORY.md",)
    found: list[tuple[str, Reading | None]] = []
    for name in names:
        try:
            found.append((name, memory.read(kernel, visit.principal, seat.called, name)))
        except Refusal as refusal:
            if refusal.code not in _UNREADABLE:
                raise
            found.append((name, None))
    return found


def _save(kernel: Kernel, visit: Visit) -> Shown:
    text = visit.form.text("text")
    return _written(kernel, visit, text, "memory.done_saved")


def _keep(kernel: Kernel, visit: Visit) -> Shown:
    """What was found on the disk counts as the member's own from now on."""
    found = memory.read(kernel, visit.principal, called(visit))
    return _written(kernel, visit, found.text, "memory.done_kept")


def _restore(kernel: Kernel, visit: Visit) -> Shown:
    old = memory_versions.open_version(
        kernel, visit.principal, called(visit), _number(visit.form.line("version"))
    )
    return _written(kernel, visit, old.text, "memory.done_restored")


def _written(kernel: Kernel, visit: Visit, text: str, done: str) -> Shown:
    wish = Wish(text, seen=visit.form.line("seen") or None)
    try:
        memory.write(kernel, visit.principal, called(visit), wish)
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return _page(kernel, visit, refusal, form="text", typed=text)
    return going(visit, _PATH, done)


def _version(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, _PATH, in_projects=True)
    if seat is None:
        return no_seat("memory", _PATH)
    number = _number(visit.path["version"])
    old = memory_versions.open_version(kernel, visit.principal, seat.called, number)
    notes, _ = _custom(kernel, visit, seat)
    values = {"seat": seat, "old": old, "notes": notes, "seen": notes.hash if notes else _ANY}
    return Html("memory_version.html", values)


def _add_project(kernel: Kernel, visit: Visit) -> Shown:
    named = called(visit)
    new = NewProject(visit.form.line("project"), visit.form.line("name"))
    try:
        workspaces.add_own_project(kernel, visit.principal, named, new)
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return _page(kernel, visit, refusal, form="project")
    said = said_of(replace(named, project=new.project))
    return Redirect(f"{_PATH}?seat={said}", "memory.done_project")


def _number(said: str) -> int:
    if not (said.isascii() and said.isdigit() and len(said) <= 15):
        raise not_found("version")
    return int(said)


PAGES: Final = (
    Page("GET", _PATH, _show, _ACT),
    Page("POST", _PATH, _save, _ACT, body_max=_BODY_MAX),
    Page("POST", f"{_PATH}/keep", _keep, _ACT),
    Page("POST", f"{_PATH}/restore", _restore, _ACT),
    Page("POST", f"{_PATH}/projects", _add_project, _ACT),
    Page("GET", f"{_PATH}/versions/{{version}}", _version, _ACT),
)
