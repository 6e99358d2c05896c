"""The block preview: the exact bytes an agent gets, what was left out and why, and the prompt prefix with its cuts."""

from __future__ import annotations

from typing import Any, Final

from tarimba.blocks.cache import BlockQuery
from tarimba.blocks.previewing import PLACED_MAX, Preview, preview
from tarimba.blocks.query import TOKENS_MAX, TOKENS_MIN, VIEW_MAX
from tarimba.console.choosing import agent_of
from tarimba.console.forms import tags_of
from tarimba.console.page import Download, Html, Page, Shown, Visit
from tarimba.errors import invalid, not_found
from tarimba.identity.naming import AgentName, Names, names_of
from tarimba.kernel import Kernel
from tarimba.prompt import Document, Parts, compose

_PERSONA: Final = "persona"
_SHOWN: Final = 100


def _page(kernel: Kernel, visit: Visit) -> Shown:
    names = names_of(kernel, visit.principal)
    agent = _agent(kernel, visit, names)
    values: dict[str, Any] = {
        "names": names,
        "agent": agent,
        "tags": visit.query.line("tags"),
        "view": visit.query.line("view"),
        "budget": visit.query.line("max_tokens"),
        "preview": None,
        "limits": (TOKENS_MIN, TOKENS_MAX),
    }
    if agent is not None:
        seen = preview(kernel, visit.principal, agent.source_id, agent.pools, _query(visit))
        values |= {"preview": seen, "pieces": _prefix(visit, seen)} | _table(visit, seen)
    return Html("preview.html", values)


def _table(visit: Visit, seen: Preview) -> dict[str, Any]:
    """The part of the notes in order that the page shows, and where the others begin."""
    first = visit.query.number("from", 0, 0, PLACED_MAX)
    shown = seen.placed[first : first + _SHOWN]
    following = first + _SHOWN if first + _SHOWN < len(seen.placed) else None
    return {"placed": shown, "first": first, "following": following, "before": max(first - _SHOWN, 0)}


def _bytes(kernel: Kernel, visit: Visit) -> Shown:
    """The text alone, as a file: what a prompt holds, byte for byte."""
    agent = _agent(kernel, visit, names_of(kernel, visit.principal))
    if agent is None:
        raise not_found("agent")
    seen = preview(kernel, visit.principal, agent.source_id, agent.pools, _query(visit))
    return Download(
        seen.block.text.encode(), f"{agent.slug}-{seen.block.etag}.txt", "text/plain; charset=utf-8"
    )


def _agent(kernel: Kernel, visit: Visit, names: Names) -> AgentName | None:
    said = agent_of(kernel, visit, visit.query)
    if not said:
        return next(iter(names.agents.values()), None)
    if said not in names.agents:
        raise not_found("agent")
    return names.agents[said]


def _query(visit: Visit) -> BlockQuery:
    budget = visit.query.number("max_tokens", 0, TOKENS_MIN, TOKENS_MAX) or None
    view = visit.query.line("view") or None
    if view is not None and len(view) > VIEW_MAX:
        raise invalid("view", f"must have 1 to {VIEW_MAX} characters")
    return BlockQuery(budget, tuple(sorted(set(tags_of(visit.query.line("tags"))))), view)


def _prefix(visit: Visit, seen: Preview) -> list[tuple[str, str, bool]]:
    """The parts of a prompt in their order: (kind, text, whether a provider is told to keep up to here)."""
    own, customer = visit.speech("preview.your_instructions"), visit.speech("preview.customer_context")
    parts = Parts(persona=(Document(_PERSONA, own),), notes=seen.block.text, customer=customer)
    made = compose(parts)
    data = made.text.encode()
    return [
        (part.kind, data[part.start : part.end].decode(), part.end in made.breakpoints) for part in made.parts
    ]


PAGES: Final = (
    Page("GET", "/preview", _page, "read_notes"),
    Page("GET", "/preview/text", _bytes, "read_notes"),
)
