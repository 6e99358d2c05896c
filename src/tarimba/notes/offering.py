"""Which tools a caller may use, with the limits of its space."""

from __future__ import annotations

from typing import Any

from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow, may
from tarimba.kernel import Kernel
from tarimba.notes.tools import remember_tool, search_tool


def tools(kernel: Kernel, principal: Principal) -> list[dict[str, Any]]:
    """The function tools for this key. A tool that could only be refused is not offered. Raises 403."""
    allow(principal, "tools")
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
    offered = [search_tool()] if may(principal, "read_notes") else []
    if principal.kind == "agent" and may(principal, "write_notes"):
        waits = settings.writes == "human_only"
        offered.append(remember_tool(settings.title_max, settings.body_max, waits=waits))
    return offered
