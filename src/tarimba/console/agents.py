"""Vendors, agents and keys: who works in the space, and what opens it to them. A key is shown once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tarimba.console.asking import OFFERED, following, is_for_the_form, new_once, once_of, window
from tarimba.console.forms import end_of
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.harnesses.service import shipped
from tarimba.identity import fleet
from tarimba.identity.drafts import GENERIC_HARNESS, AgentChange, NewAgent, NewKey, NewVendor
from tarimba.identity.model import SCOPES
from tarimba.identity.naming import names_of
from tarimba.identity.rules import may
from tarimba.kernel import Kernel

_USUAL: Final = ("agent_memory", "agent_memory:write")


def _list(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    page = fleet.list_agents(kernel, visit.principal, window(kernel, visit, "agents"))
    vendors = fleet.list_vendors(kernel, visit.principal, OFFERED)
    values: dict[str, Any] = {
        "agents": page.items,
        "following": following(kernel, visit, "agents", page.ends_at),
        "vendors": vendors.items,
        "vendor_names": {one.vendor_id: one.name for one in vendors.items},
        "given": {name: visit.form.line(name) for name in ("slug", "name")},
        "refusal": refusal,
    }
    return Html("agents.html", values, 200 if refusal is None else refusal.status)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _list(kernel, visit)


def _add_vendor(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        new = NewVendor.of(form.line("slug"), form.line("name") or None)
        fleet.create_vendor(kernel, visit.principal, new)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _list(kernel, visit, refusal)
    return Redirect("/agents", "agents.done_vendor")


def _new(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    form = visit.form
    values = {
        "vendors": fleet.list_vendors(kernel, visit.principal, OFFERED).items,
        "harnesses": shipped(),
        "given": {name: form.line(name) for name in ("slug", "name", "vendor")},
        "harness": form.line("harness") or GENERIC_HARNESS,
        "task_section": form.flag("task_section"),
        "refusal": refusal,
    }
    return Html("agent_new.html", values, 200 if refusal is None else refusal.status)


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    return _new(kernel, visit)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        change = AgentChange.of(
            form.line("name") or None, form.line("harness") or None, form.flag("task_section")
        )
        new = NewAgent.of(form.line("slug"), form.line("vendor"), change)
        made = fleet.create_agent(kernel, visit.principal, new)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _new(kernel, visit, refusal)
    return Redirect(f"/agents/{made.ids['source_id']}", "agents.done_agent")


def _agent(kernel: Kernel, visit: Visit, refusal: Refusal | None = None, form: str = "") -> Html:
    agent = fleet.read_agent(kernel, visit.principal, visit.path["source_id"])
    name = f"keys {agent.source_id}"
    page = fleet.list_keys(kernel, visit.principal, window(kernel, visit, name), agent.source_id)
    sent = visit.form
    values: dict[str, Any] = {
        "agent": agent,
        "name": sent.line("name") if form == "agent" else agent.name,
        "harness": sent.line("harness") if form == "agent" else agent.harness,
        "task_section": sent.flag("task_section") if form == "agent" else agent.task_section,
        "harnesses": shipped(),
        "keys": page.items,
        "following": following(kernel, visit, name, page.ends_at),
        "key": _key_given(visit, is_sent=form == "key"),
        "refusal": refusal,
        "form": form,
    }
    return Html("agent.html", values | _for_keys(kernel), 200 if refusal is None else refusal.status)


def _key_given(visit: Visit, *, is_sent: bool) -> dict[str, Any]:
    """The form of a new key: as it was sent, else with the usual scopes."""
    sent = visit.form
    return {
        "name": sent.line("name") if is_sent else "",
        "scopes": sent.all("scope") if is_sent else list(_USUAL),
        "ends": sent.line("expires_at") if is_sent else "",
    }


def _for_keys(kernel: Kernel) -> dict[str, Any]:
    return {"now": kernel.clock.now_us(), "scopes": SCOPES, "once": new_once()}


def _agent_page(kernel: Kernel, visit: Visit) -> Shown:
    return _agent(kernel, visit)


def _change(kernel: Kernel, visit: Visit) -> Shown:
    form, source_id = visit.form, visit.path["source_id"]
    is_owner = may(visit.principal, "settings")
    section = form.flag("task_section") if is_owner else None
    try:
        change = AgentChange.of(form.line("name"), form.line("harness"), section)
        fleet.change_agent(kernel, visit.principal, source_id, change)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _agent(kernel, visit, refusal, "agent")
    return Redirect(f"/agents/{source_id}", "agents.done_changed")


def _add_key(kernel: Kernel, visit: Visit) -> Shown:
    source_id, form = visit.path["source_id"], visit.form
    try:
        new = NewKey.of_agent(form.line("name"), form.all("scope"), None)
        new = replace(new, expires_at=end_of(form.line("expires_at"), "expires_at"))
        minted = fleet.create_key(kernel, visit.principal, new, source_id, once_of(kernel, visit, source_id))
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _agent(kernel, visit, refusal, "key")
    agent = fleet.read_agent(kernel, visit.principal, source_id)
    return _shown_once(minted, agent.name, f"/agents/{source_id}")


def _shown_once(minted: fleet.MintedKey, owner: str, back: str) -> Html:
    return Html("key_made.html", {"secret": minted.secret, "owner": owner, "back": back})


def _keys(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    page = fleet.list_keys(kernel, visit.principal, window(kernel, visit, "keys"))
    values: dict[str, Any] = {
        "keys": page.items,
        "following": following(kernel, visit, "keys", page.ends_at),
        "names": names_of(kernel, visit.principal),
        "key": _key_given(visit, is_sent=refusal is not None),
        "refusal": refusal,
    }
    return Html("keys.html", values | _for_keys(kernel), 200 if refusal is None else refusal.status)


def _keys_page(kernel: Kernel, visit: Visit) -> Shown:
    return _keys(kernel, visit)


def _add_space_key(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        new = NewKey.of_space(form.line("name"), ["admin"], None)
        new = replace(new, expires_at=end_of(form.line("expires_at"), "expires_at"))
        minted = fleet.create_key(kernel, visit.principal, new, None, once_of(kernel, visit, "space"))
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _keys(kernel, visit, refusal)
    return _shown_once(minted, visit.session.space_name, "/agents/keys")


def _revoke_page(kernel: Kernel, visit: Visit) -> Shown:
    key = fleet.read_key(kernel, visit.principal, visit.path["key_id"])
    values = {"key": key, "names": names_of(kernel, visit.principal), "back": _of(key.source_id)}
    return Html("key_revoke.html", values)


def _revoke(kernel: Kernel, visit: Visit) -> Shown:
    key = fleet.read_key(kernel, visit.principal, visit.path["key_id"])
    fleet.revoke_key(kernel, visit.principal, key.key_id)
    return Redirect(_of(key.source_id), "agents.done_revoked")


def _of(source_id: str | None) -> str:
    """Where the key of an agent, or of the space, is listed."""
    return "/agents/keys" if source_id is None else f"/agents/{source_id}"


PAGES: Final = (
    Page("GET", "/agents", _show, "fleet"),
    Page("POST", "/agents/vendors", _add_vendor, "fleet"),
    Page("GET", "/agents/new", _new_page, "fleet"),
    Page("POST", "/agents/new", _create, "fleet"),
    Page("GET", "/agents/keys", _keys_page, "fleet"),
    Page("POST", "/agents/keys", _add_space_key, "fleet"),
    Page("GET", "/agents/keys/{key_id}/revoke", _revoke_page, "fleet"),
    Page("POST", "/agents/keys/{key_id}/revoke", _revoke, "fleet"),
    Page("GET", "/agents/{source_id}", _agent_page, "fleet"),
    Page("POST", "/agents/{source_id}", _change, "fleet"),
    Page("POST", "/agents/{source_id}/keys", _add_key, "fleet"),
)
