"""What is known of a harness, the program that runs an agent: where it looks, what it reads, what it can serve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final, Literal

Secrets = Literal["files", "environment"]
Format = Literal["json", "toml"]

FEATURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "shared_skills": "It opens the administrators' skills from a directory that is mounted read-only.",
        "member_skills": "It opens the skills that a member and the agent write.",
        "projects": "One agent works in the main workspace and in those of projects, as each turn says.",
    }
)
"""What a harness may be able to serve, each with a sentence."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One harness. Paths are relative to the workspace, which it sees at `mount`.

    `shared_root` holds the administrators' skills, read-only, `own_root` those of the agent and the member. `order` is
    how the harness looks a name up by itself, the first hit winning; the administrators' root comes first in it.
    `counts_bytes`: its limit of a description is one of bytes. `always_on` is the file that it reads on every turn,
    whether or not it reads all of `memory/` then. `secrets` tells how credentials arrive. `tool_prefix` is what it puts
    before the tools of an MCP server (`{server}`) by itself. `environment` are variables that move its roots to these
    places, with `{workspace}` for the workspace. `scaffold` are files, by path, without which it does not look into
    `own_root`. `persona` are the documents of an agent's persona that it reads every turn by their own names; `include`
    is how a line of `always_on` takes in the file at `{path}`, empty where none does. `config` is the file of its
    configuration, outside of the workspace where its path is absolute; in that the servers of MCP stand by name in the
    table at `mcp_servers`, each like `mcp_server` with `{url}` and `{authorization}`, and the dotted `mcp_switches`
    turn them on.
    """

    name: str
    shared_root: str
    own_root: str
    order: tuple[str, str]
    counts_bytes: bool
    reads_memory_each_turn: bool
    always_on: str
    secrets: Secrets
    tool_prefix: str
    environment: Mapping[str, str]
    scaffold: Mapping[str, str]
    features: frozenset[str]
    persona: tuple[str, ...]
    config: str
    config_format: Format
    mcp_servers: tuple[str, ...]
    mcp_server: Mapping[str, Any]
    mcp_switches: tuple[str, ...] = ()
    include: str = ""
    mount: str = "/workspace"

    @property
    def configures_inside(self) -> bool:
        """Whether its configuration lies in the workspace."""
        return not PurePosixPath(self.config).is_absolute()

    def seen_at(self, project: str | None = None) -> PurePosixPath:
        """Where the harness finds the workspace it works in: the main one, or that of a project."""
        return PurePosixPath(self.mount if project is None else f"{self.mount}-{project}")

    def tool_name(self, tool: str, server: str = "memory") -> str:
        """The name by which the agent sees a tool of a server: where the harness puts no prefix, the server does."""
        return (self.tool_prefix.format(server=server) or f"mcp_{server}_") + tool
