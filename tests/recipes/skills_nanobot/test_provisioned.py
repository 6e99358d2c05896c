"""nanobot itself, in an environment of its own, reads what provisioning wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.contract.api.served import serving
from tests.contract.member_skills.desk import Desk
from tests.e2e.company import Place
from tests.recipes.environment import interpreter

pytestmark = pytest.mark.nightly

HERE = Path(__file__).parent
SEAT = {"subscription": "team", "agent": "billing", "member": "member"}


def bound(desk: Desk, into: Path) -> Path:
    """The workspace with copies of what a container has bound into it."""
    shutil.copytree(desk.workspace, into)
    shutil.copytree(desk.home / "managed", into, dirs_exist_ok=True)
    return into


@pytest.mark.promise("harness-configuration")
@pytest.mark.promise("rules-every-turn")
def test_nanobot_finds_the_server_the_persona_and_the_rules(tmp_path: Path) -> None:
    with serving(Place(tmp_path / "data", None), mcp_token_secret=SecretStr("s" * 32)) as api:
        desk = Desk(api, api.found())
        desk.run_by("nanobot")
        url = f"/v1/admin/agents/{desk.company.sources['billing']}/persona"
        persona = {"AGENT.md": "You keep the ledger.", "SOUL.md": "Be brief."}
        assert desk.call("owner", "PUT", url, json={"documents": persona}).is_success
        assert desk.call("owner", "POST", "/v1/admin/workspaces", json=SEAT).is_success
        (desk.workspace / "memory/MEMORY.md").write_text("The heron nests in July.")
        workspace = bound(desk, tmp_path / "workspace")
        command = [interpreter(HERE), HERE / "reader.py", workspace, desk.home / "config.json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    server = found["servers"]["memory"]
    assert (server["type"], server["url"]) == ("streamableHttp", "http://127.0.0.1:8750/v1/mcp")
    assert server["headers"]["Authorization"].startswith("Bearer ")
    told = ("Handing files to the member", "`mcp_memory_search_nodes`", "The heron nests in July.")
    for text in (*persona.values(), *told):
        assert found["prompt"].count(text) == 1, text
    assert "memory/MEMORY_CUSTOM.md`. The member changes it" in found["prompt"]
