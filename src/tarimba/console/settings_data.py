"""What the space holds: taking it along, bringing it in, erasing what an agent keeps, and the work under way."""

from __future__ import annotations

from typing import Any, Final

from tarimba.clock import rfc3339
from tarimba.console.asking import following, is_for_the_form, window
from tarimba.console.choosing import agent_of
from tarimba.console.page import Download, Html, Page, Redirect, Shown, Visit
from tarimba.console.settings import tabs
from tarimba.erasure import service as erasure
from tarimba.errors import Refusal, invalid
from tarimba.identity import fleet
from tarimba.identity.naming import Names, names_of
from tarimba.jobs import service as jobs
from tarimba.kernel import Kernel

_PATH: Final = "/settings/data"
_JOBS: Final = "/settings/jobs"
# A larger document goes in over the API, which reads it as it comes.
_IMPORT_MAX: Final = 64 * 1024 * 1024
_ROWS: Final = 50


def _data(kernel: Kernel, visit: Visit, refusal: Refusal | None = None, form: str = "") -> Html:
    values: dict[str, Any] = {
        "names": names_of(kernel, visit.principal),
        "agent": visit.form.line("agent"),
        "typed": visit.form.line("typed"),
        "imported": None,
        "refusal": refusal,
        "form": form,
        "tabs": tabs(visit),
    }
    return Html("settings_data.html", values, 200 if refusal is None else refusal.status)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _data(kernel, visit)


def _export(kernel: Kernel, visit: Visit) -> Shown:
    """The whole space or one agent, sent while it is read."""
    source_id = agent_of(kernel, visit, visit.form) or None
    done = erasure.export(kernel, visit.principal, source_id)
    names = names_of(kernel, visit.principal)
    what = visit.session.space_slug if source_id is None else _slug(names, source_id)
    day = rfc3339(kernel.clock.now_us())[:10]
    return Download(done.pieces, f"{what}-{day}.json", "application/json")


def _slug(names: Names, source_id: str) -> str:
    found = names.agents.get(source_id)
    return source_id if found is None else found.slug


def _import(kernel: Kernel, visit: Visit) -> Shown:
    try:
        document = visit.form.files.get("file", b"")
        if not document:
            raise invalid("file", "must be chosen")
        into = agent_of(kernel, visit, visit.form) or None
        imported = erasure.import_notes(kernel, visit.principal, iter([document]), into=into)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _data(kernel, visit, refusal, "import")
    page = _data(kernel, visit)
    return Html(page.template, {**page.values, "imported": imported, "rows": imported.refused[:_ROWS]})


def _erase(kernel: Kernel, visit: Visit) -> Shown:
    """Erases what an agent keeps, when its name was typed."""
    try:
        agent = fleet.read_agent(kernel, visit.principal, agent_of(kernel, visit, visit.form))
        if visit.form.line("typed") != agent.name:
            raise invalid("typed", "must be the name of the agent, letter for letter")
        erasure.erase(kernel, visit.principal, agent.source_id)
    except Refusal as refusal:
        if not is_for_the_form(refusal) and refusal.code != "not_found":
            raise
        return _data(kernel, visit, refusal, "erase")
    return Redirect(_JOBS, "settings.done_erased")


def _jobs(kernel: Kernel, visit: Visit) -> Shown:
    page = jobs.list_jobs(kernel, visit.principal, window(kernel, visit, "jobs"))
    values = {
        "jobs": page.items,
        "following": following(kernel, visit, "jobs", page.ends_at),
        "cursor": visit.query.line("cursor"),
        "tabs": tabs(visit),
    }
    return Html("jobs_part.html" if visit.is_part else "settings_jobs.html", values)


PAGES: Final = (
    Page("GET", _PATH, _show, "export"),
    Page("POST", _PATH + "/export", _export, "export"),
    Page("POST", _PATH + "/import", _import, "import", body_max=_IMPORT_MAX),
    Page("POST", _PATH + "/erase", _erase, "erase"),
    Page("GET", _JOBS, _jobs, "jobs"),
)
