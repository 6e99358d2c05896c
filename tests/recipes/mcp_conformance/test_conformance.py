"""The protocol's own conformance program finds nothing to say against our skills (SEP-2640)."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tarimba.app import build_app, open_kernel
from tarimba.settings import Settings
from tests.contract.mcp.served import listening
from tests.contract.mcp.skill_client import publish
from tests.contract.notes.world import World, found_company

pytestmark = [pytest.mark.nightly, pytest.mark.promise("skills-over-mcp")]

SCENARIOS = ("sep-2640-skills-enumeration", "sep-2640-skills-directory", "sep-2640-skills-manifest")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A server with more skills than a page holds, which takes whoever asks for the agent: the program has no key."""
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    settings = {"data": tmp_path, "db": f"sqlite:///{tmp_path / 'tarimba.db'}", "master_key": master}
    with open_kernel(Settings.model_validate(settings)) as kernel:
        world = found_company(kernel)
        _stock(world)
        bearer = (b"authorization", f"Bearer {world.bearers['billing']}".encode())
        app = build_app(kernel)

        async def with_key(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                scope = {**scope, "headers": [*scope["headers"], bearer]}
            await app(scope, receive, send)

        with listening(with_key) as port:
            yield f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_passes_without_a_failure_or_a_warning(
    scenario: str, command: list[str], url: str, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    asked = ["server", "--url", url, "--scenario", scenario, "-o", str(results)]
    done = subprocess.run([*command, *asked], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = results.rglob("checks.json")
    checks = json.loads(file.read_text())
    told = [f"{check['status']} {check['id']} {check.get('errorMessage', '')}".strip() for check in checks]
    print(f"{scenario}:", *told, sep="\n  ")  # noqa: T201 - what was looked at
    assert {check["status"] for check in checks} == {"SUCCESS"}, told


def _stock(world: World) -> None:
    for number in range(120):
        publish(world, f"skill-{number}", f'Use when it is case {number}: "yes", or #{number}.')
    publish(
        world,
        "a-whole-one",
        "Use when all kinds of files are looked at.",
        {"references/guide.md": b"# Guide\n", "assets/stamp.png": bytes(range(256)), "a b.txt": b"text"},
    )
