"""Tools in the form of function calling, as frameworks that keep an agent's tools offer them to a model. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tarimba.client.tools import Tool


def still_listed(
    offered: Iterable[Mapping[str, Any]] | None, ours: Collection[str], listed: Iterable[Tool]
) -> list[Mapping[str, Any]] | None:
    """Without those of `ours` that the server lists for the key no longer; None when none are left.

    `ours` are the names of the tools that came with the notes: one of the caller's may have such a name too.
    """
    gone = set(ours) - {tool.name for tool in listed}
    return [one for one in offered or () if one.get("function", one).get("name") not in gone] or None
