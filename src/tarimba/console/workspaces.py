"""Workspaces: where agents work. What stands in each, whether memory is there; never what a member keeps."""

from __future__ import annotations

import json
from typing import Any, Final

from tarimba.console.asking import following, is_for_the_form, window
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.harnesses.service import masked
from tarimba.identity import members
from tarimba.identity.naming import members_of, names_of, subscriptions_of
from tarimba.identity.rules import may
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.workspaces import service as workspaces

_FILTERS: Final = ("subscription", "agent", "member")


def _list(kernel: Kernel, visit: Visit) -> Shown:
    wanted = {name: visit.query.line(name) for name in _FILTERS}
    name = f"workspaces {wanted}"
    page = workspaces.list_workspaces(kernel, visit.principal, Called(**wanted), window(kernel, visit, name))
    values = {
        **_named(kernel, visit),
        "items": page.items,
        "following": following(kernel, visit, name, page.ends_at),
        "wanted": wanted,
    }
    return Html("workspaces.html", values)


def _named(kernel: Kernel, visit: Visit) -> dict[str, Any]:
    return {
        "names": names_of(kernel, visit.principal),
        "subscriptions": subscriptions_of(kernel, visit.principal),
    }


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _one(kernel, visit)


def _one(
    kernel: Kernel,
    visit: Visit,
    refusal: Refusal | None = None,
    blocked: tuple[str, ...] = (),
) -> Html:
    found = workspaces.read_workspace(kernel, visit.principal, visit.path["workspace_id"])
    profile = found.listed.entry.workspace.seat.profile
    values = {
        **_named(kernel, visit),
        "one": found.listed.entry.workspace,
        "listed": found.listed,
        "found": found,
        "profile": profile,
        "server": None if found.server is None else _lines(masked(profile, found.server)),
        "may_change": may(visit.principal, "workspaces"),
        "blocked": blocked,
        "given": {name: visit.form.line(name) for name in ("project", "name")},
        "refusal": refusal,
    }
    return Html("workspace.html", values, 200 if refusal is None else refusal.status)


def _lines(entry: Any, above: str = "") -> list[tuple[str, str]]:
    """What stands in a table, deep down too: (name, value) pairs."""
    if not isinstance(entry, dict):
        return [(above, entry if isinstance(entry, str) else json.dumps(entry))]
    return [pair for name, value in entry.items() for pair in _lines(value, f"{above}.{name}".lstrip("."))]


def _new(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    asked = visit.form if visit.form.values else visit.query
    values = _named(kernel, visit)
    chosen = asked.line("subscription")
    if chosen not in values["subscriptions"]:
        chosen = ""
    values |= {
        "chosen": chosen,
        "members": members_of(kernel, visit.principal, chosen) if chosen else [],
        "given": {name: asked.line(name) for name in ("agent", "member")},
        "refusal": refusal,
    }
    return Html("workspace_new.html", values, 200 if refusal is None else refusal.status)


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    return _new(kernel, visit)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    called = Called(**{name: visit.form.line(name) for name in _FILTERS})
    try:
        made = workspaces.create(kernel, visit.principal, called)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _new(kernel, visit, refusal)
    done = "workspaces.done_created" if made.done.status == 201 else "workspaces.done_there"
    return Redirect(f"/workspaces/{made.done.ids['workspace_id']}", done)


def _provision(kernel: Kernel, visit: Visit) -> Shown:
    workspace_id = visit.path["workspace_id"]
    try:
        made = workspaces.provision(kernel, visit.principal, workspace_id)
    except Refusal as refusal:
        # The host's disk may say no: the page stays, with what it said.
        if refusal.code != "unavailable" and not is_for_the_form(refusal):
            raise
        return _one(kernel, visit, refusal)
    if made.blocked:
        return _one(kernel, visit, blocked=made.blocked)
    done = "workspaces.done_restart" if made.restart else "workspaces.done_provisioned"
    return Redirect(f"/workspaces/{workspace_id}", done)


def _add_project(kernel: Kernel, visit: Visit) -> Shown:
    workspace_id, form = visit.path["workspace_id"], visit.form
    new = workspaces.NewProject(form.line("project"), form.line("name")[:200])
    try:
        made = workspaces.add_project(kernel, visit.principal, workspace_id, new)
    except Refusal as refusal:
        if refusal.code != "not_implemented" and not is_for_the_form(refusal):
            raise
        return _one(kernel, visit, refusal)
    if made.blocked:
        return _one(kernel, visit, blocked=made.blocked)
    return Redirect(f"/workspaces/{workspace_id}", "workspaces.done_project")


def _revoke_page(kernel: Kernel, visit: Visit) -> Shown:
    found = workspaces.read_workspace(kernel, visit.principal, visit.path["workspace_id"])
    values = {**_named(kernel, visit), "one": found.listed.entry.workspace, "listed": found.listed}
    return Html("workspace_revoke.html", values)


def _revoke(kernel: Kernel, visit: Visit) -> Shown:
    workspace_id = visit.path["workspace_id"]
    found = workspaces.read_workspace(kernel, visit.principal, workspace_id)
    seat = found.listed.entry.workspace.seat
    members.end_tokens(kernel, visit.principal, seat.subscription_id, seat.person_id)
    return Redirect(f"/workspaces/{workspace_id}", "workspaces.done_revoked")


PAGES: Final = (
    Page("GET", "/workspaces", _list, "read_workspaces"),
    Page("GET", "/workspaces/new", _new_page, "workspaces"),
    Page("POST", "/workspaces/new", _create, "workspaces"),
    Page("GET", "/workspaces/{workspace_id}", _show, "read_workspaces"),
    Page("POST", "/workspaces/{workspace_id}/provision", _provision, "workspaces"),
    Page("POST", "/workspaces/{workspace_id}/projects", _add_project, "workspaces"),
    Page("GET", "/workspaces/{workspace_id}/revoke", _revoke_page, "workspaces"),
    Page("POST", "/workspaces/{workspace_id}/revoke", _revoke, "workspaces"),
)
