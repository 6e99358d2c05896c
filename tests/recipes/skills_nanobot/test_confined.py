"""nanobot itself works in a provisioned workspace, held by the kernel, with a model that says what it is told to."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.confinement.test_command import FILE, Machine
from tests.recipes.environment import interpreter
from tests.recipes.mcp_clients.model import Model, serving

pytestmark = [pytest.mark.nightly, pytest.mark.promise("workspace-confined")]

HERE = Path(__file__).parent
SKILL = "/workspace/skills/skill-creator/SKILL.md"
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_file", {"path": SKILL}),
    ("write_file", {"path": SKILL, "content": "changed"}),
    ("exec", {"command": f"echo changed > {SKILL}; mv /workspace/memory /workspace/aside"}),
    ("write_file", {"path": "/workspace/memory/MEMORY.md", "content": "The heron came back.\n"}),
)


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


def test_nanobot_reads_its_skills_and_rules_and_changes_only_what_is_its_own(tmp_path: Path) -> None:
    told = FILE.replace('"ganglion"', '"nanobot"').replace('projects = ["roof"]\n', "")
    (tmp_path / "acme.toml").write_text(told.replace('slug = "acme"', 'slug = "acme"\nlanguage = "en"'))
    machine = Machine(tmp_path / "data")
    assert machine.tarimba("apply", str(tmp_path / "acme.toml")).returncode == 0
    (home,) = machine.data.glob("spaces/*/subscriptions/*/agents/*/members/*")
    (home / "workspace/memory/MEMORY.md").write_text("The heron nests in July.\n")
    program = interpreter(HERE).with_name("nanobot")
    software = ("--with", str(program.parents[1]), "--with", str(Path(sys.base_prefix).resolve()))
    model = Scripted()
    with serving(model) as url:
        config = {
            "agents": {
                "defaults": {
                    "workspace": "/workspace",
                    "model": "m",
                    "provider": "custom",
                    "maxToolIterations": 9,
                }
            },
            "providers": {"custom": {"apiKey": "none", "apiBase": url}},
        }
        (home / "config.json").write_text(json.dumps(config))
        asked = ("agent", "--message", "Try it.", "--config", "/var/lib/nanobot/config.json", "--no-markdown")
        done = machine.run(*software, "--", str(program), *asked)
    assert "All was tried." in done.stdout, done.stdout + done.stderr
    prompt = str(model.asked[0]["messages"][0]["content"])
    for part in ("You collect.", "The heron nests in July.", "skill-creator", "Handing files to the member"):
        assert part in prompt
    read, written, tried, _ = results(model.asked[-1])
    assert "name: skill-creator" in read
    assert "Read-only file system" in written
    assert "Read-only file system" in tried
    assert "Device or resource busy" in tried
    assert (home / "workspace/memory/MEMORY.md").read_text() == "The heron came back.\n"
