"""My skills: the three layers with what counts and what is hidden, every file, and writing one's own."""

from __future__ import annotations

from typing import Any, Final, Literal, cast

from tarimba.console.asking import following, place
from tarimba.console.page import Html, Page, Shown, Visit
from tarimba.console.seats import called, going, is_shown, no_seat, seated
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.skills import member, member_writing
from tarimba.skills.member_writing import Wish
from tarimba.skills.model import FILE_NAME, Language, Problem
from tarimba.skills.service import retold

_PATH: Final = "/my-skills"
_ACT: Final = "member_skills"
_SHOWN: Final = 50
_BODY_MAX: Final = 2 * 1024 * 1024
_ORIGINS: Final = ("member", "shared", "managed")
_MINE: Final = "member"
Origin = Literal["member", "shared", "managed"]


def _list(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, _PATH)
    if seat is None:
        return no_seat("my_skills", _PATH)
    listed = f"my skills {seat.said}"
    first = place(kernel, visit, listed)
    found = member.list_skills(kernel, visit.principal, seat.called, first=first, limit=_SHOWN)
    values = {
        "seat": seat,
        "rows": found.items,
        "told": {row.directory: _told(visit, row.problems[0]).message for row in found.items if row.problems},
        "left_out": found.left_out,
        "following": following(kernel, visit, listed, found.ends_at),
    }
    return Html("my_skills.html", values)


def _one(kernel: Kernel, visit: Visit) -> Shown:
    return _skill(kernel, visit)


def _skill(
    kernel: Kernel, visit: Visit, refusal: Refusal | None = None, *, form: str = "", typed: str | None = None
) -> Html:
    """A skill with one of its files open; with what a person had typed when that was refused."""
    seat = seated(kernel, visit, _PATH)
    if seat is None:
        return no_seat("my_skills", _PATH)
    name, origin, path = _asked(visit)
    listed = member.list_files(kernel, visit.principal, seat.called, name, origin)
    document = member.open_file(kernel, visit.principal, seat.called, name, path, listed.row.origin).document
    values: dict[str, Any] = {
        "seat": seat,
        "row": listed.row,
        "files": listed.items,
        "more": listed.more,
        "document": document,
        "path": path,
        "is_mine": listed.row.origin == _MINE,
        "text": typed if typed is not None else document.text,
        "new": (visit.form.line("path"), visit.form.text("text")) if form == "add" else ("", ""),
        "refusal": refusal,
        "problems": _problems(visit, refusal),
        "found": [_told(visit, one) for one in listed.row.problems],
        "form": form,
    }
    return Html("my_skill.html", values, 200 if refusal is None else refusal.status)


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    return _new(kernel, visit)


def _new(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    seat = seated(kernel, visit, _PATH)
    if seat is None:
        return no_seat("my_skills", _PATH)
    values = {
        "seat": seat,
        "name": visit.form.line("name"),
        "text": visit.form.text("text"),
        "refusal": refusal,
        "problems": _problems(visit, refusal),
    }
    return Html("my_skill_new.html", values, 200 if refusal is None else refusal.status)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    name = visit.form.line("name")
    wish = Wish(name, FILE_NAME, visit.form.text("text"), unseen="*")
    try:
        member_writing.write(kernel, visit.principal, called(visit), wish)
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return _new(kernel, visit, refusal)
    return going(visit, f"{_PATH}/skill", "my_skills.done_created", name=name, origin=_MINE)


def _write(kernel: Kernel, visit: Visit) -> Shown:
    name, _, path = _asked(visit)
    text = visit.form.text("text")
    wish = Wish(name, path, text, seen=visit.form.line("seen") or None)
    try:
        member_writing.write(kernel, visit.principal, called(visit), wish)
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return _skill(kernel, visit, refusal, form="edit", typed=text)
    return going(visit, f"{_PATH}/skill", "my_skills.done_saved", name=name, origin=_MINE, path=path)


def _add(kernel: Kernel, visit: Visit) -> Shown:
    name, _, _ = _asked(visit)
    path = visit.form.line("path")
    wish = Wish(name, path, visit.form.text("text"), unseen="*")
    try:
        member_writing.write(kernel, visit.principal, called(visit), wish)
    except Refusal as refusal:
        if not is_shown(refusal):
            raise
        return _skill(kernel, visit, refusal, form="add")
    return going(visit, f"{_PATH}/skill", "my_skills.done_saved", name=name, origin=_MINE, path=path)


def _ask(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, _PATH)
    if seat is None:
        return no_seat("my_skills", _PATH)
    values = {"seat": seat, "name": visit.query.text("name"), "path": visit.query.text("path")}
    return Html("my_skill_delete.html", values)


def _delete(kernel: Kernel, visit: Visit) -> Shown:
    name, path = visit.query.text("name"), visit.query.text("path")
    member_writing.delete(kernel, visit.principal, called(visit), name, path)
    if path not in ("", FILE_NAME):
        return going(visit, f"{_PATH}/skill", "my_skills.done_file_deleted", name=name, origin=_MINE)
    return going(visit, _PATH, "my_skills.done_deleted")


def _asked(visit: Visit) -> tuple[str, Origin | None, str]:
    """The skill, whose copy of it (None: the one that counts), and the file of it that the address names."""
    origin = visit.query.choice("origin", _ORIGINS) or None
    return visit.query.text("name"), cast("Origin | None", origin), visit.query.text("path") or FILE_NAME


def _problems(visit: Visit, refusal: Refusal | None) -> list[Problem]:
    """What keeps a SKILL.md from being loaded, line by line."""
    said = () if refusal is None else refusal.extra.get("problems", ())
    return [_told(visit, Problem(**one)) for one in said]


def _told(visit: Visit, problem: Problem) -> Problem:
    return retold(problem, cast("Language", visit.speech.language))


PAGES: Final = (
    Page("GET", _PATH, _list, _ACT),
    Page("GET", f"{_PATH}/new", _new_page, _ACT),
    Page("POST", f"{_PATH}/new", _create, _ACT, body_max=_BODY_MAX),
    Page("GET", f"{_PATH}/skill", _one, _ACT),
    Page("POST", f"{_PATH}/skill", _write, _ACT, body_max=_BODY_MAX),
    Page("POST", f"{_PATH}/skill/files", _add, _ACT, body_max=_BODY_MAX),
    Page("GET", f"{_PATH}/delete", _ask, _ACT),
    Page("POST", f"{_PATH}/delete", _delete, _ACT),
)
