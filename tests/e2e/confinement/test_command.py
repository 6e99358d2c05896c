"""`tarimba workspace run` as a person runs it, in a member's workspace with a secret and a project."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SEAT = ("--subscription", "matriz", "--agent", "cobranca", "--member", "ana")
FILE = """
[space]
slug = "acme"
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
vendor = "norte"
harness = "ganglion"
persona = {"AGENT.md" = "You collect."}
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
projects = ["roof"]
"""


@dataclass(frozen=True, slots=True)
class Machine:
    data: Path

    def tarimba(self, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tarimba.cli", *arguments]
        environment = {**os.environ, "TARIMBA_DATA": str(self.data), "HOST_SECRET": "1"}
        return subprocess.run(
            command, input=said, env=environment, capture_output=True, text=True, check=False
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.tarimba("workspace", "run", *SEAT, *arguments)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    top = tmp_path_factory.mktemp("machine")
    (top / "acme.toml").write_text(FILE, encoding="utf-8")
    made = Machine(top / "data")
    assert made.tarimba("apply", str(top / "acme.toml")).returncode == 0
    given = made.tarimba("secret", "set", "PORTAL_TOKEN", "--agent", "cobranca", said="hushed")
    assert given.returncode == 0, given.stderr
    return made


@pytest.mark.promise("workspace-run")
def test_a_command_runs_in_a_members_workspace_with_its_own_environment(machine: Machine) -> None:
    script = "pwd; env | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo $PORTAL_TOKEN; cat AGENT.md; "
    script += "echo x > AGENT.md || exit 4"
    done = machine.run("--env", "MINE=1", "--", "/bin/sh", "-c", script)
    where, names, secret, persona = done.stdout.splitlines()
    assert (where, secret, persona, done.returncode) == ("/workspace", "hushed", "You collect.", 4)
    assert names.split() == ["HOME", "LANG", "MINE", "PATH", "PORTAL_TOKEN", "PWD", "USER"]
    assert "Read-only" in done.stderr


@pytest.mark.promise("workspace-run")
def test_a_project_is_beside_the_main_workspace(machine: Machine) -> None:
    script = "pwd; echo mine > skills/mine && cat /workspace/skills/mine; "
    script += "mv ../workspace-roof ../x || mv memory x || exit 3"
    done = machine.run("--project", "roof", "--", "/bin/sh", "-c", script)
    assert (done.stdout, done.returncode) == ("/workspace-roof\nmine\n", 3), done.stderr
    # Without it there is no trace of it.
    assert machine.run("--", "ls", "/").stdout.split().count("workspace-roof") == 0


@pytest.mark.promise("workspace-never-unprotected")
def test_unconfined_must_be_said_and_says_so(machine: Machine) -> None:
    done = machine.run("--unconfined", "--", "/bin/sh", "-c", "pwd; echo ${HOST_SECRET-none}; exit 6")
    where, environment = done.stdout.splitlines()
    assert (Path(where).is_relative_to(machine.data), environment, done.returncode) == (True, "none", 6)
    assert done.stderr.startswith("Running unconfined")
