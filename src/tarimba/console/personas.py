"""Who an agent is: its two documents, edited against the version that was read; of two editors nobody loses a word."""

from __future__ import annotations

from typing import Any, Final

from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal, not_found
from tarimba.identity.naming import AGENTS_MAX, AgentName, names_of
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.workspaces import service as workspaces

_SHOWN: Final = 100
# A field of the form for each document.
_FIELDS: Final = (("AGENT.md", "agent_text"), ("SOUL.md", "soul_text"))


def _list(kernel: Kernel, visit: Visit) -> Shown:
    """Agents by name, as many as a page shows, or those whose name holds what is looked for."""
    agents = names_of(kernel, visit.principal).agents.values()
    text = visit.query.line("text")
    found = [one for one in agents if text.lower() in f"{one.name} {one.slug}".lower()]
    first = visit.query.number("from", 0, 0, AGENTS_MAX)
    values = {
        "agents": found[first : first + _SHOWN],
        "text": text,
        "is_long": len(agents) > _SHOWN,
        "following": first + _SHOWN if first + _SHOWN < len(found) else None,
        "before": max(first - _SHOWN, 0) if first else None,
    }
    return Html("personas.html", values)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _persona(kernel, visit)


def _persona(
    kernel: Kernel, visit: Visit, typed: dict[str, str] | None = None, refusal: Refusal | None = None
) -> Html:
    """The documents as they are; with `typed` and `refusal` as a person had changed them when that was refused."""
    agent = _agent(kernel, visit)
    found = workspaces.read_persona(kernel, visit.principal, agent.source_id)
    present = {one.name: one for one in found.documents}
    documents: list[dict[str, Any]] = []
    for name, field in _FIELDS:
        now = present[name].text if name in present else ""
        text = now if typed is None else typed[name]
        changed_at = present[name].changed_at if name in present else None
        documents.append({"name": name, "field": field, "now": now, "text": text, "changed_at": changed_at})
    is_late = refusal is not None and refusal.code == "precondition_failed"
    values = {
        "agent": agent,
        "documents": documents,
        # Saving again after both texts were shown is meant; any other refusal keeps what was seen.
        "etag": found.etag if typed is None or is_late else visit.form.line("etag"),
        "is_late": is_late,
        "may_change": may(visit.principal, "workspaces"),
        "refusal": refusal,
    }
    return Html("persona.html", values, 200 if refusal is None else refusal.status)


def _agent(kernel: Kernel, visit: Visit) -> AgentName:
    found = names_of(kernel, visit.principal).agents.get(visit.path["source_id"])
    if found is None:
        raise not_found("agent")
    return found


def _save(kernel: Kernel, visit: Visit) -> Shown:
    source_id = visit.path["source_id"]
    typed = {name: visit.form.text(field) for name, field in _FIELDS}
    try:
        workspaces.write_persona(kernel, visit.principal, source_id, typed, seen=visit.form.line("etag"))
    except Refusal as refusal:
        if refusal.code not in {"precondition_failed", "invalid_input", "too_large"}:
            raise
        return _persona(kernel, visit, typed, refusal)
    return Redirect(f"/workspaces/personas/{source_id}", "personas.done_saved")


PAGES: Final = (
    Page("GET", "/workspaces/personas", _list, "read_workspaces"),
    Page("GET", "/workspaces/personas/{source_id}", _show, "read_workspaces"),
    Page("POST", "/workspaces/personas/{source_id}", _save, "workspaces"),
)
