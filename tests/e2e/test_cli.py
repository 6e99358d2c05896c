"""The command line as a process: alone, and beside a running server on the same database."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fixtures.server import RunningServer, running_server

FILE = """
[space]
slug = "acme"
language = "pt"
[agent_memory]
enabled = true
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
vendor = "norte"
[[agent.key]]
name = "prod"
scopes = ["agent_memory", "agent_memory:write"]
[[key]]
name = "ops"
scopes = ["admin"]
[[person]]
slug = "rita"
email = "rita@acme.example"
roles = ["owner"]
"""
# `--help` loads none of these: each costs more than the command line itself.
HEAVY = (
    "alembic",
    "cryptography",
    "fastapi",
    "mcp",
    "pydantic",
    "snowballstemmer",
    "sqlalchemy",
    "toktok",
    "uvicorn",
)


@dataclass
class Host:
    """A machine with a data folder and a database."""

    data: Path
    db: str | None

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tarimba.cli", *arguments, "--data", str(self.data)]
        command += ("--db", self.db) if self.db else ()
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return json.loads(done.stdout)

    def apply(self, content: str = FILE) -> Any:
        file = self.data.parent / "space.toml"
        file.write_text(content, encoding="utf-8")
        return self.json("apply", str(file))


@pytest.fixture
def host(database: str, database_url: str, tmp_path: Path) -> Host:
    data = tmp_path / "data"
    if database == "sqlite":
        return Host(data, None)
    made = Host(data, database_url)
    assert made.run("keys", "init").returncode == 0
    return made


@pytest.fixture
def server(host: Host) -> Iterator[RunningServer]:
    with running_server(host.data, host.db) as running:
        yield running


@pytest.fixture
def get(server: RunningServer) -> Callable[[str, str], httpx.Response]:
    """A request to the server: path and bearer."""

    def ask(path: str, bearer: str) -> httpx.Response:
        return httpx.get(f"{server.base_url}{path}", headers={"Authorization": f"Bearer {bearer}"})

    return ask


def test_help_answers_without_loading_what_is_heavy() -> None:
    look = "import sys, tarimba.cli\nassert tarimba.cli.run(['--help']) == 0\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint(HEAVY)
    assert {"apply", "serve", "keys", "person", "receipts"} <= set(done.stdout.split())


@pytest.mark.promise("cli-beside-server")
def test_a_running_server_sees_what_the_command_line_changes_at_once(
    host: Host, get: Callable[[str, str], httpx.Response]
) -> None:
    made = host.apply()
    key = made["agents"]["cobranca"]["keys"]["prod"]
    assert get("/v1/sources/me", key).json()["agent_memory"] is True
    assert get("/v1/agent-memory/block", key).json()["enabled"] is True
    host.apply(FILE.replace("enabled = true", "enabled = false"))
    assert get("/v1/agent-memory/block", key).json()["enabled"] is False
    minted = host.json("keys", "mint", "--agent", "cobranca", "--name", "night", "--scope", "agent_memory")
    assert get("/v1/agent-memory/block", minted["key"]).status_code == 200
    host.json("keys", "revoke", minted["key_id"])
    assert get("/v1/agent-memory/block", minted["key"]).status_code == 401
    assert host.json("receipts", "verify")["ok"] is True


@pytest.mark.promise("cli-beside-server")
def test_command_line_and_server_write_one_gapless_log(host: Host, server: RunningServer) -> None:
    made = host.apply()
    headers = {"Authorization": f"Bearer {made['keys']['ops']}"}

    def add(at: int) -> int:
        url = f"{server.base_url}/v1/admin/vendors"
        return httpx.post(url, json={"slug": f"v{at}"}, headers=headers, timeout=60).status_code

    def mint(at: int) -> int:
        arguments = ("--agent", "cobranca", "--name", f"k{at}", "--scope", "track")
        return host.run("keys", "mint", *arguments).returncode

    with ThreadPoolExecutor(8) as pool:
        minted = [pool.submit(mint, at) for at in range(4)]
        added = list(pool.map(add, range(60)))
        assert added == [201] * 60
        assert [one.result() for one in minted] == [0] * 4
    report = host.json("receipts", "verify")
    assert report["ok"] is True
    assert report["receipts"] >= 60 + 4


def test_a_taken_port_is_told_and_nothing_is_said_to_be_served(host: Host) -> None:
    with running_server(host.data.with_name("of another")) as server:
        done = host.run("serve", "--port", str(server.port))
        assert "Serving at" in server.errors()
    assert done.returncode != 0
    assert "Serving at" not in done.stdout
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert any("address already in use" in line.get("message", "") for line in told)
