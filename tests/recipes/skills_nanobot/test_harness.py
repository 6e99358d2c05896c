"""nanobot itself, in an environment of its own, opens the administrators' copy while they publish."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tarimba.harnesses.service import profile
from tarimba.skills.disk import flatten
from tests.contract.api.served import serving
from tests.contract.member_skills.desk import Desk, skill
from tests.e2e.company import Place
from tests.recipes.environment import interpreter

pytestmark = [pytest.mark.nightly, pytest.mark.promise("administrators-win")]

HERE = Path(__file__).parent
ROUNDS = 20


@contextmanager
def nanobot(workspace: Path, config: Path) -> Iterator[Any]:
    """A function that has nanobot open `refund` once more and answers what it saw."""
    command = [str(interpreter(HERE)), str(HERE / "opener.py"), str(workspace), str(config), "refund"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def look(line: str = "look") -> dict[str, Any]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            found: dict[str, Any] = json.loads(process.stdout.readline())
            return found

        yield look
        process.stdin.close()


def test_nanobot_opens_what_administrators_publish(tmp_path: Path) -> None:
    with serving(Place(tmp_path / "data", None)) as api:
        desk = Desk(api, api.found())
        desk.run_by("nanobot")
        desk.publish(skill("refund", body="Theirs 0\n"))
        assert desk.put("letters", skill("letters")).status_code == 201
        desk.scribble("refund", skill("refund", body="Mine\n"))
        ids = (desk.company.space_id, desk.team, desk.company.sources["billing"])
        (desk.workspace / profile("nanobot").shared_root).symlink_to(flatten(api.kernel, *ids).path)
        with nanobot(desk.workspace, tmp_path / "config.json") as look:
            # Its owner enables the plugin that holds the agent's own skills.
            first = look("enable")
            assert first["plugins"] == ["own"]
            assert first["own"] == skill("letters")
            for number in range(ROUNDS):
                found = look()
                assert (found["text"], found["source"]) == (
                    skill("refund", body=f"Theirs {number}\n"),
                    "workspace",
                )
                desk.publish(skill("refund", body=f"Theirs {number + 1}\n"))
                flatten(api.kernel, *ids)
