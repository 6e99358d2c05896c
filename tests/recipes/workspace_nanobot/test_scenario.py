"""nanobot, a real harness, from provisioning to its last tool: its model says what it is told to, all else is real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.server import RunningServer, running_server
from tests.recipes.environment import interpreter
from tests.recipes.mcp_clients.model import Model, serving

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.promise("workspace-confined"),
    pytest.mark.promise("rules-every-turn"),
    pytest.mark.promise("graph-clients"),
]

NANOBOT = Path(__file__).parents[1] / "skills_nanobot"
SEAT = ("--subscription", "matriz", "--agent", "cobranca", "--member", "ana")
ACME = """
[space]
slug = "acme"
language = "en"
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
vendor = "norte"
harness = "nanobot"
persona = {"AGENT.md" = "You collect what is due.", "SOUL.md" = "Be brief."}
[[person]]
slug = "ana"
email = "ana@acme.example"
roles = ["member"]
[[subscription]]
slug = "matriz"
members = ["ana"]
[[workspace]]
subscription = "matriz"
agent = "cobranca"
members = ["ana"]
"""
SKILL = """---
name: late-invoices
description: How an invoice that is late is collected.
---

Lock the month before anything else.
"""
OPENED = "/workspace/skills/late-invoices/SKILL.md"
NOTES = "/workspace/memory/MEMORY.md"
LEDGER = {"name": "Ledger", "entityType": "system", "observations": ["Closes at noon on Fridays."]}
Step = tuple[str, dict[str, Any]]
READ: Step = ("read_file", {"path": OPENED})
CHANGES: tuple[Step, ...] = (
    ("write_file", {"path": OPENED, "content": "changed"}),
    ("edit_file", {"path": OPENED, "old_text": "Lock the month", "new_text": "Lock nothing"}),
    ("exec", {"command": f"echo changed >> {OPENED}; rm -r /workspace/skills/late-invoices; echo tried"}),
    ("exec", {"command": "mv /workspace/skills /workspace/aside; echo changed > /workspace/AGENTS.md"}),
)
OWN: Step = ("write_file", {"path": NOTES, "content": "The heron came back.\n"})
KEPT: Step = ("mcp_memory_create_entities", {"entities": [LEDGER]})
FOUND: Step = ("mcp_memory_search_nodes", {"query": "friday"})
STEPS = (READ, *CHANGES, OWN, KEPT, FOUND)


class Scripted(Model):
    """Asks for one tool after the other, then ends."""

    def __init__(self) -> None:
        super().__init__(STEPS[0])

    def says(self, request: dict[str, Any]) -> dict[str, Any]:
        done = len(results(request))
        if done == len(STEPS):
            return {"role": "assistant", "content": "All was tried."}
        self.wants = STEPS[done]
        message = super().says({"messages": []})
        message["tool_calls"][0]["id"] = f"call_{done + 1}"
        return message


def results(request: dict[str, Any]) -> list[str]:
    return [str(message["content"]) for message in request["messages"] if message["role"] == "tool"]


@dataclass(frozen=True, slots=True)
class Host:
    """The machine of an agent: the command line with the environment that its server has."""

    data: Path
    environment: Mapping[str, str]

    def tarimba(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "tarimba.cli", *arguments, "--data", str(self.data)]
        return self._run(command)

    def nanobot(self, message: str) -> str:
        """One turn of nanobot in the workspace, held by the kernel."""
        program = interpreter(NANOBOT).with_name("nanobot")
        software = ("--with", str(program.parents[1]), "--with", str(Path(sys.base_prefix).resolve()))
        turn = ("agent", "--config", "/var/lib/nanobot/config.json", "--message", message, "--no-markdown")
        command = [sys.executable, "-m", "tarimba.cli", "workspace", "run", *SEAT, "--data", str(self.data)]
        return self._run([*command, *software, "--", str(program), *turn])

    def home(self) -> Path:
        (found,) = self.data.glob("spaces/*/subscriptions/*/agents/*/members/*")
        return found

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, **self.environment}
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def settled(server: RunningServer, secret: str, model_url: str) -> Host:
    """A company with a published skill, and a member whose agent has notes and a model."""
    host = Host(server.data, {"TARIMBA_PORT": str(server.port), "TARIMBA_MCP_TOKEN_SECRET": secret})
    (server.data.parent / "acme.toml").write_text(ACME)
    host.tarimba("apply", str(server.data.parent / "acme.toml"))
    (server.data.parent / "SKILL.md").write_text(SKILL)
    host.tarimba("skills", "publish", str(server.data.parent / "SKILL.md"))
    (host.home() / "workspace/memory/MEMORY.md").write_text("The heron nests in July.\n")
    config = host.home() / "config.json"
    told = json.loads(config.read_text())
    defaults = {"workspace": "/workspace", "model": "m", "provider": "custom", "maxToolIterations": 20}
    told["agents"] = {"defaults": defaults}
    told["providers"] = {"custom": {"apiKey": "none", "apiBase": model_url}}
    # It refuses addresses of private networks, and this server is on one.
    told["tools"]["ssrfWhitelist"] = ["127.0.0.0/8"]
    config.write_text(json.dumps(told))
    return host


def test_nanobot_works_in_a_provisioned_workspace_and_changes_nothing_of_others(tmp_path: Path) -> None:
    secret, model = "s" * 32, Scripted()
    given = {"TARIMBA_MCP_TOKEN_SECRET": secret}
    with running_server(tmp_path / "data", env=given) as server, serving(model) as url:
        host = settled(server, secret, url)
        assert "All was tried." in host.nanobot("Try it.")
        graph = host.tarimba("graph", "export", *SEAT)
    _is_told_what_it_must_know(model.asked[0])
    read, *tried, _, made, found = results(model.asked[-1])
    assert "Lock the month before anything else." in read
    for answer in tried:
        assert "Read-only file system" in answer
    assert "Device or resource busy" in tried[-1]
    assert "Ledger" in made
    assert "Closes at noon on Fridays." in found
    assert "Closes at noon on Fridays." in graph
    (published,) = host.data.glob("effective-skills/*/*/*/late-invoices/SKILL.md")
    assert published.read_text() == SKILL
    assert (host.home() / "workspace/memory/MEMORY.md").read_text() == "The heron came back.\n"


def _is_told_what_it_must_know(request: dict[str, Any]) -> None:
    prompt = str(request["messages"][0]["content"])
    parts = (
        "You collect what is due.",
        "Be brief.",
        "late-invoices",
        "How an invoice that is late is collected.",
        "The heron nests in July.",
        "Handing files to the member",
        "`mcp_memory_search_nodes`",
    )
    for part in parts:
        assert part in prompt, part
    assert "Lock the month" not in prompt
    names = [tool["function"]["name"] for tool in request["tools"]]
    assert len([name for name in names if name.startswith("mcp_memory_")]) == 15
