"""Under which names the server lists the tools of the memory graph, whoever writes the first part of them. Pure."""

from __future__ import annotations

from typing import Final

from tarimba.harnesses.service import Profile

SERVER: Final = "memory"
"""What this server is called in a harness's configuration."""
PREFIX: Final = f"mcp_{SERVER}_"


def listed(profile: Profile, tool: str) -> str:
    """The name that the server gives a tool: bare for a harness that puts something before it by itself."""
    return tool if profile.tool_prefix else PREFIX + tool


def bare(name: str) -> str:
    """The tool that is meant by its bare name or by the prefixed one: a harness may change while an agent works."""
    return name.removeprefix(PREFIX)
