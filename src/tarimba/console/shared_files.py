"""Files that administrators share with agents: the list by scope, a new one, taking one along and away."""

from __future__ import annotations

from typing import Final

from tarimba.console.asking import following, is_for_the_form, window
from tarimba.console.page import Download, Html, Page, Redirect, Shown, Visit
from tarimba.console.skill_places import Spot, may_publish, named, publishable, spot_of, within_of
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.skills import service as skills

_FORM_MAX: Final = 11 * 1024 * 1024


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _list(kernel, visit)


def _list(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    within = within_of(visit.query)
    name = f"files {within}"
    found, ends_at = skills.list_files_within(kernel, visit.principal, within, window(kernel, visit, name))
    values = named(kernel, visit)
    theirs = values["subscriptions"]
    values |= {
        "files": [(one, may_publish(visit, theirs, one.place)) for one in found],
        "following": following(kernel, visit, name, ends_at),
        "where": visit.query.line("subscription"),
        "agent": within.agent,
        "publishes": publishable(visit, theirs),
        "spot": spot_of(visit.form),
        "path": visit.form.line("path"),
        "refusal": refusal,
    }
    return Html("shared_files.html", values, 200 if refusal is None else refusal.status)


def _share(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    given = skills.Given(form.line("path"), form.files.get("file", b""))
    try:
        made = skills.share(kernel, visit.principal, spot_of(form).asked, given)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _list(kernel, visit, refusal)
    return Redirect("/skills/files", "shared.done_shared" if made.status == 201 else "shared.done_same")


def _content(kernel: Kernel, visit: Visit) -> Shown:
    asked = spot_of(visit.query).asked
    found = skills.read_shared_file(kernel, visit.principal, asked, visit.query.line("path"))
    return Download(found.content, found.name)


def _remove_page(kernel: Kernel, visit: Visit) -> Shown:
    return _removing(kernel, visit, spot_of(visit.query), visit.query.line("path"))


def _removing(kernel: Kernel, visit: Visit, spot: Spot, path: str) -> Html:
    return Html("shared_file_remove.html", {**named(kernel, visit), "spot": spot, "path": path})


def _remove(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    skills.unshare(kernel, visit.principal, spot_of(form).asked, form.line("path"))
    return Redirect("/skills/files", "shared.done_removed")


PAGES: Final = (
    Page("GET", "/skills/files", _show, "look_at_skills"),
    Page("POST", "/skills/files", _share, "publish_skills", body_max=_FORM_MAX),
    Page("GET", "/skills/files/content", _content, "look_at_skills"),
    Page("GET", "/skills/files/remove", _remove_page, "publish_skills"),
    Page("POST", "/skills/files/remove", _remove, "publish_skills"),
)
