"""Under which names an agent sees the tools of the memory graph, whoever writes the first part of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tarimba.harnesses.service import Profile

SERVER: Final = "memory"
"""What this server is called in a harness's configuration."""
PREFIX: Final = f"mcp_{SERVER}_"


def listed(profile: Profile, tool: str) -> str:
    """The name that the server gives a tool: bare for a harness that puts something before it by itself."""
    return tool if profile.tool_prefix else PREFIX + tool


def shown(profile: Profile, tools: Iterable[str]) -> tuple[str, ...]:
    """The tools as an agent of this harness sees them."""
    before = profile.tool_prefix.format(server=SERVER)
    return tuple(before + listed(profile, tool) for tool in tools)


def bare(name: str) -> str:
    """The tool that is meant by its bare name or by the prefixed one: a harness may change while an agent works."""
    return name.removeprefix(PREFIX)
