"""Published skills: the list by scope, one with its files, its text and its versions, going back and taking away."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from tarimba.console.asking import SHOWN, following, is_for_the_form, place, window
from tarimba.console.page import Download, Html, Page, Redirect, Shown, Visit
from tarimba.console.rendering import url
from tarimba.console.skill_places import (
    Spot,
    lines_of,
    may_publish,
    named,
    publishable,
    shown,
    spot_of,
    within_of,
)
from tarimba.errors import Refusal, invalid, not_found
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.skills import service as skills

_VERSION_MAX: Final = 2**31
_STATES: Final = ("in_force", "removed")


def _list(kernel: Kernel, visit: Visit) -> Shown:
    within = within_of(visit.query)
    state = visit.query.choice("state", _STATES, "in_force")
    name = f"skills {within} {state}"
    found, ends_at = skills.list_skills_within(
        kernel, visit.principal, within, window(kernel, visit, name), removed=state == "removed"
    )
    values = named(kernel, visit)
    values |= {
        "skills": found,
        "following": following(kernel, visit, name, ends_at),
        "where": visit.query.line("subscription"),
        "agent": within.agent,
        "state": state,
        "states": _STATES,
        "publishes": publishable(visit, values["subscriptions"]),
    }
    return Html("skills.html", values)


def _one(kernel: Kernel, visit: Visit) -> Shown:
    query = visit.query
    version = query.number("version", 0, 1, _VERSION_MAX) or None
    return _skill(kernel, visit, spot_of(query), query.line("name"), version)


def _skill(
    kernel: Kernel,
    visit: Visit,
    spot: Spot,
    name: str,
    version: int | None = None,
    refusal: Refusal | None = None,
) -> Html:
    """A skill at one version: that in force unless another is named, the last one where none is in force."""
    listed = f"versions {spot.query} {name}"
    before = place(kernel, visit, listed) or None
    versions, in_force, ends_at = skills.list_versions(
        kernel, visit.principal, spot.asked, name, limit=SHOWN, before=before
    )
    if not versions:
        raise not_found("skill")
    number = version or in_force or versions[0].version
    document = skills.read_document(kernel, visit.principal, spot.asked, name, number)
    values = named(kernel, visit)
    values |= {
        "spot": spot,
        "one": document.published,
        "document": document,
        "problems": [_told(visit, one) for one in document.problems],
        "text": shown(document.text),
        "opened": _opened(kernel, visit, spot, document.published),
        "versions": versions,
        "in_force": in_force,
        "following": following(kernel, visit, listed, ends_at),
        "changes": _changes(kernel, visit, spot, versions, document.published),
        "may_publish": may_publish(visit, values["subscriptions"], document.published.place),
        "may_erase": may(visit.principal, "erase"),
        "refusal": refusal,
    }
    return Html("skill.html", values, 200 if refusal is None else refusal.status)


def _told(visit: Visit, one: dict[str, Any]) -> dict[str, Any]:
    """A problem that was kept in the publisher's language, in the visitor's."""
    known: Any = visit.speech.language
    kept = skills.Problem(one["line"], one["rule"], one["message"], one["fix"])
    return one | skills.retold(kept, known).as_json()


def _opened(kernel: Kernel, visit: Visit, spot: Spot, one: skills.Published) -> Any:
    """The file that is asked for beside SKILL.md: its path, its text (None where it is no text), whether it is cut."""
    path = visit.query.line("path")
    if not path:
        return None
    found = skills.read_content(kernel, visit.principal, spot.asked, one.name, one.version, path)
    try:
        text, is_cut = shown(found.content.decode())
    except UnicodeDecodeError:
        return path, None, False
    return path, None if "\0" in text else text, is_cut


def _changes(
    kernel: Kernel, visit: Visit, spot: Spot, versions: list[skills.Published], one: skills.Published
) -> Any:
    """What the version has other than the one before it; None where there is none to compare with."""
    older = {after.version: before.version for after, before in pairwise(versions)}.get(one.version)
    older = visit.query.number("before", 0, 1, _VERSION_MAX) or older
    if older is None:
        return None
    found = skills.compare(kernel, visit.principal, spot.asked, one.name, (older, one.version))
    return found, lines_of(found.text)


def _archive(kernel: Kernel, visit: Visit) -> Shown:
    query = visit.query
    version = query.number("version", 0, 1, _VERSION_MAX) or None
    found = skills.read_archive(kernel, visit.principal, spot_of(query).asked, query.line("name"), version)
    return Download(found.content, found.name, "application/zip")


def _content(kernel: Kernel, visit: Visit) -> Shown:
    query = visit.query
    version = query.number("version", 0, 1, _VERSION_MAX) or None
    found = skills.read_content(
        kernel, visit.principal, spot_of(query).asked, query.line("name"), version, query.line("path")
    )
    return Download(found.content, found.name)


def _roll_back(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    spot, name = spot_of(form), form.line("name")
    version = form.number("version", 1, 1, _VERSION_MAX)
    try:
        skills.roll_back(
            kernel, visit.principal, spot.asked, name, version, seen=form.line("in_force_hash") or None
        )
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _skill(kernel, visit, spot, name, None, refusal)
    return Redirect(address(spot, name), "skills.done_rolled_back")


def _remove_page(kernel: Kernel, visit: Visit) -> Shown:
    return _removing(kernel, visit, spot_of(visit.query), visit.query.line("name"))


def _removing(kernel: Kernel, visit: Visit, spot: Spot, name: str, refusal: Refusal | None = None) -> Html:
    versions, in_force, _ = skills.list_versions(kernel, visit.principal, spot.asked, name, limit=1)
    if not versions:
        raise not_found("skill")
    values = named(kernel, visit)
    values |= {
        "spot": spot,
        "one": versions[0],
        "in_force": in_force,
        "may_publish": may_publish(visit, values["subscriptions"], versions[0].place),
        "may_erase": may(visit.principal, "erase"),
        "refusal": refusal,
    }
    return Html("skill_remove.html", values, 200 if refusal is None else refusal.status)


def _remove(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    spot, name = spot_of(form), form.line("name")
    erases = form.choice("decision", ("remove", "erase"), "remove") == "erase"
    try:
        if erases and form.line("typed") != name:
            raise invalid("typed", "must be the name of the skill")
        (skills.erase if erases else skills.remove)(kernel, visit.principal, spot.asked, name)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _removing(kernel, visit, spot, name, refusal)
    if erases:
        return Redirect("/skills", "skills.done_erased")
    return Redirect(address(spot, name), "skills.done_removed")


def address(spot: Spot, name: str) -> str:
    """The page of a skill."""
    return url("/skills/one", **spot.query, name=name).removeprefix(url(""))


PAGES: Final = (
    Page("GET", "/skills", _list, "look_at_skills"),
    Page("GET", "/skills/one", _one, "look_at_skills"),
    Page("GET", "/skills/archive", _archive, "look_at_skills"),
    Page("GET", "/skills/content", _content, "look_at_skills"),
    Page("POST", "/skills/rollback", _roll_back, "publish_skills"),
    Page("GET", "/skills/remove", _remove_page, "publish_skills"),
    Page("POST", "/skills/remove", _remove, "publish_skills"),
)
