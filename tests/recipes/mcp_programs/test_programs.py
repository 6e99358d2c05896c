"""Agent programs as people install them, set up by the lines of docs/how-to/mcp-clients.md, use the notes over `/mcp`.

Each asks a scripted model, which calls the search of notes; what it was sent then tells what the program made of us.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fixtures.server import PROGRAM, running_server
from tests.recipes.adapters import forms
from tests.recipes.adapters.endpoint import endpoint
from tests.recipes.adapters.scene import LOOK_UP
from tests.recipes.adapters.test_adapters import ACME, NOTE
from tests.recipes.environment import interpreter
from tests.recipes.mcp_programs.model import NamingModel, offered
from tests.recipes.npm import node

pytestmark = [pytest.mark.nightly, pytest.mark.promise("mcp-clients")]

HERE = Path(__file__).parent
TOOLS = {"search_agent_memory", "remember"}
# Each starts cold on a busy machine; nothing is measured by it.
PATIENCE_SECONDS = 300


class Place:
    """A home of its own for a program, with our server and a model within reach."""

    def __init__(self, home: Path, base_url: str, key: str, model: NamingModel) -> None:
        self.home = home
        self.url = f"{base_url}/mcp"
        self.key = key
        self.model = model
        program, self.modules = node(HERE)
        self.node = program
        self.environment = {
            "PATH": f"{Path(program).parent}:/usr/bin:/bin",
            "HOME": str(home),
            "TARIMBA_API_KEY": key,
            "NO_PROXY": "127.0.0.1",
            "DO_NOT_TRACK": "1",
        }

    def run(self, *command: str | Path, **environment: str) -> str:
        """What the command says on both of its outputs."""
        done = self._done(*command, **environment)
        return done.stdout + done.stderr

    def answer(self, *command: str | Path) -> Any:
        """What the command answers in JSON; what it says beside that is for people."""
        return json.loads(self._done(*command).stdout)

    def _done(self, *command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.home,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def saw_the_notes(self) -> None:
        """The model was offered the tools, called one, and was given the note."""
        asked = [one for one in self.model.sent if LOOK_UP in json.dumps(one.body)]
        assert any(offered(one.body) >= TOOLS for one in asked)
        last = asked[-1]
        assert any("post_credit" in result for result in forms.of(last.path).results(last.body))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "acme.toml").write_text(ACME)
    home = tmp_path / "home"
    home.mkdir()
    applied = subprocess.run(
        [*PROGRAM, "apply", str(tmp_path / "acme.toml"), "--data", str(tmp_path / "data"), "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    key = json.loads(applied.stdout)["agents"]["billing"]["keys"]["writes"]
    with running_server(tmp_path / "data") as server, endpoint(NamingModel) as model:
        bearer = {"authorization": f"Bearer {key}"}
        url = f"{server.base_url}/v1/agent-memory/notes"
        httpx.post(url, json=NOTE, headers=bearer, timeout=60).raise_for_status()
        assert isinstance(model, NamingModel)
        yield Place(home, server.base_url, key, model)


def test_claude_code_connects_and_its_model_finds_the_note(place: Place) -> None:
    (program,) = place.modules.glob("@anthropic-ai/claude-code-linux-*/claude")
    header = "Authorization: Bearer ${TARIMBA_API_KEY}"
    place.run(program, "mcp", "add", "--transport", "http", "tarimba", place.url, "--header", header)
    assert "Connected" in place.run(program, "mcp", "get", "tarimba")
    model = {
        "ANTHROPIC_BASE_URL": place.model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # Else it tells its model of a tool only after its model has searched for one.
        "ENABLE_TOOL_SEARCH": "false",
    }
    asked = ["-p", LOOK_UP, "--allowedTools", "mcp__tarimba", "--model", "claude-sonnet-5"]
    assert forms.SAID in place.run(program, *asked, **model)
    place.saw_the_notes()


def test_codex_connects_and_its_model_finds_the_note(place: Place) -> None:
    program: list[str | Path] = [place.node, place.modules / "@openai" / "codex" / "bin" / "codex.js"]
    place.run(
        *program, "mcp", "add", "tarimba", "--url", place.url, "--bearer-token-env-var", "TARIMBA_API_KEY"
    )
    assert place.url in place.run(*program, "mcp", "get", "tarimba")
    provider = (
        f'{{name="local", base_url="{place.model.url}/v1", wire_api="responses", env_key="OPENAI_API_KEY"}}'
    )
    told = [
        "-c",
        'model_provider="local"',
        "-c",
        f"model_providers.local={provider}",
        "-c",
        'model="gpt-5.6"',
    ]
    asked = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", *told, LOOK_UP]
    assert forms.SAID in place.run(*program, *asked, OPENAI_API_KEY="none")
    place.saw_the_notes()


def test_gemini_cli_connects_and_its_model_finds_the_note(place: Place) -> None:
    program: list[str | Path] = [
        place.node,
        place.modules / "@google" / "gemini-cli" / "bundle" / "gemini.js",
    ]
    header = "Authorization: Bearer $TARIMBA_API_KEY"
    adding = [
        "mcp",
        "add",
        "--transport",
        "http",
        "--header",
        header,
        "--scope",
        "user",
        "tarimba",
        place.url,
    ]
    place.run(*program, *adding)
    settings = place.home / ".gemini" / "settings.json"
    told = json.loads(settings.read_text())
    settings.write_text(json.dumps(told | {"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    model = {
        "GOOGLE_GEMINI_BASE_URL": place.model.url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    assert "Connected" in place.run(*program, "mcp", "list", **model)
    asked = ["-p", LOOK_UP, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"]
    assert forms.SAID in place.run(*program, *asked, **model)
    place.saw_the_notes()


def test_nanobot_connects_and_its_model_finds_the_note(place: Place) -> None:
    config = place.home / "config.json"
    memory = {
        "type": "streamableHttp",
        "url": place.url,
        "headers": {"Authorization": f"Bearer {place.key}"},
    }
    defaults = {"workspace": str(place.home / "workspace"), "model": "m", "provider": "custom"}
    told = {
        "agents": {"defaults": defaults},
        "providers": {"custom": {"apiKey": "none", "apiBase": f"{place.model.url}/v1"}},
        "tools": {"mcpServers": {"tarimba": memory}, "ssrfWhitelist": ["127.0.0.0/8"]},
    }
    config.write_text(json.dumps(told))
    program = interpreter(HERE.with_name("skills_nanobot")).with_name("nanobot")
    asked = ["agent", "--message", LOOK_UP, "--config", str(config), "--no-markdown"]
    assert forms.SAID in place.run(program, *asked)
    place.saw_the_notes()


def test_the_official_inspector_lists_and_calls_them(place: Place) -> None:
    program, modules = node(HERE.with_name("mcp_inspector"))
    launcher = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    bearer = f"Authorization: Bearer {place.key}"
    command: list[str | Path] = [
        program,
        launcher,
        "--cli",
        place.url,
        "--transport",
        "http",
        "--header",
        bearer,
        "--method",
    ]
    listed = place.answer(*command, "tools/list", "--strict")
    assert {tool["name"] for tool in listed["tools"]} == TOOLS
    calling = ["tools/call", "--tool-name", "search_agent_memory", "--tool-arg", "query=credit an invoice"]
    found = place.answer(*command, *calling)
    assert [note["title"] for note in found["structuredContent"]["notes"]] == [NOTE["title"]]
