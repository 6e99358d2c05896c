"""What other people wrote uses the graph's tools as it comes: each client in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tarimba.mcp.graph_inputs import INPUTS
from tarimba.mcp.graph_uses import TOOLS
from tests.contract.graph_mcp.team import Team, entity
from tests.recipes.environment import interpreter
from tests.recipes.mcp_clients.model import Model, serving
from tests.recipes.mcp_conformance.served import serving_graph
from tests.recipes.npm import node

pytestmark = [pytest.mark.nightly, pytest.mark.promise("graph-clients")]

HERE = Path(__file__).parent
PREFIXED = [f"mcp_memory_{tool}" for tool in TOOLS]


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    with serving_graph(tmp_path / "data") as (_, team):
        yield team


def run(command: list[str], given: str = "", **environment: str) -> str:
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_langchain_lists_and_calls_them(team: Team) -> None:
    command = [str(interpreter(HERE)), str(HERE / "langchain.py"), team.url, team.token()]
    told = json.loads(run(command))
    assert told["names"] == PREFIXED
    assert "Ledger" in told["made"]
    assert "Closes at noon." in told["opened"]
    (kept,) = team.call("open_nodes", names=["Ledger"])["entities"]
    assert kept == entity("Ledger", "Closes at noon.")


def test_the_official_inspector_lists_and_calls_them(team: Team) -> None:
    program, modules = node(HERE.with_name("mcp_inspector"))
    launcher = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    asked = [team.url, "--transport", "http", "--header", f"Authorization: Bearer {team.token()}", "--method"]
    command = [program, str(launcher), "--cli", *asked]
    # It holds what it gets against the schemas, and with `--strict` the schemas against what other clients take.
    listed = json.loads(run([*command, "tools/list", "--strict"]))
    assert [tool["name"] for tool in listed["tools"]] == PREFIXED
    made = json.dumps([entity("Ledger", "Closes at noon.")])
    calling = ["tools/call", "--tool-name", "mcp_memory_create_entities", "--tool-arg", f"entities={made}"]
    answer = json.loads(run([*command, *calling]))
    assert answer["structuredContent"]["entities"] == [entity("Ledger", "Closes at noon.")]
    calling = ["tools/call", "--tool-name", "mcp_memory_archive_entity", "--tool-arg", "name=Nowhere"]
    refused = subprocess.run([*command, *calling], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "there is no such entity" in refused.stdout


def test_nanobot_shows_its_model_the_tools_by_their_names_and_calls_one(team: Team, tmp_path: Path) -> None:
    path = f"/v1/admin/agents/{team.company.sources['billing']}"
    assert team.api.call(team.company, "owner", "PATCH", path, json={"harness": "nanobot"}).is_success
    model = Model(("mcp_memory_create_entities", {"entities": [entity("Ledger", "Closes at noon.")]}))
    config = tmp_path / "config.json"
    memory = {
        "type": "streamableHttp",
        "url": team.url,
        "headers": {"Authorization": f"Bearer {team.token()}", "X-Tarimba-Conversation": "talk-7"},
    }
    program = interpreter(HERE.with_name("skills_nanobot")).with_name("nanobot")
    with serving(model) as url:
        defaults = {"workspace": str(tmp_path / "workspace"), "model": "m", "provider": "custom"}
        told: dict[str, Any] = {
            "agents": {"defaults": defaults},
            "providers": {"custom": {"apiKey": "none", "apiBase": url}},
            "tools": {"mcpServers": {"memory": memory}, "ssrfWhitelist": ["127.0.0.0/8"]},
        }
        config.write_text(json.dumps(told))
        asked = [
            "agent",
            "--message",
            "Keep when the ledger closes.",
            "--config",
            str(config),
            "--no-markdown",
        ]
        said = run([str(program), *asked], HOME=str(tmp_path))
    names = [tool["function"]["name"] for tool in model.asked[0]["tools"]]
    assert [name for name in names if name.startswith("mcp_")] == sorted(PREFIXED)
    assert "Ledger" in said
    (kept,) = team.call("get_entity_details", entityNames=["Ledger"])["entities"]
    assert (kept["name"], kept["conversation"]) == ("Ledger", "talk-7")


def test_three_apis_of_models_take_the_schemas_as_they_are(team: Team) -> None:
    listed = team.post(team.token(), {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json()
    tools = listed["result"]["tools"]
    made = json.loads(run([str(interpreter(HERE)), str(HERE / "judge.py")], json.dumps(tools)))
    for at, tool in enumerate(INPUTS):
        chat, responses = made["openai"][at]
        assert chat["function"]["parameters"] == responses["parameters"] == INPUTS[tool]
        assert made["anthropic"][at]["input_schema"] == INPUTS[tool]
        plain, own = made["google"][at]
        assert plain["parametersJsonSchema"] == INPUTS[tool]
        assert own["parameters"]["properties"].keys() == INPUTS[tool]["properties"].keys()
