"""`tarimba workspace mounts` on both databases, and what `tarimba workspace run` refuses before it runs anything."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tarimba import cli
from tests.contract.test_apply import FILE
from tests.contract.test_cli import Host, host  # noqa: F401

SEAT = ("--subscription", "matriz", "--agent", "cobranca", "--member", "ana")


def refused_run(host: Host, *arguments: str) -> tuple[int, str]:  # noqa: F811
    """As `Host.refused`: what follows a command is the command's."""
    place = ("--data", str(host.data), *(("--db", host.db) if host.db else ()))
    host.captured.readouterr()
    code = cli.run(["workspace", "run", *SEAT, *place, *arguments])
    return code, host.captured.readouterr().err.strip()


@pytest.mark.promise("workspace-mounts")
def test_the_mounts_of_a_turn_are_printed_for_each_engine(host: Host) -> None:  # noqa: F811
    host.apply(FILE)
    assert host.refused("workspace", "mounts", *SEAT) == (1, "There is no such workspace that you can read.")
    host.json("workspace", "create", *SEAT)
    host.json("workspace", "project", *SEAT, "roof")
    listed = json.loads(host.run("workspace", "mounts", *SEAT, "--format", "json")[1])
    fixed = {one["target"] for one in listed if one["read_only"]}
    assert {"/workspace/shared-skills", "/workspace/.shared", "/workspace/AGENT.md"} <= fixed
    assert {one["target"] for one in listed if not one["read_only"]} == {
        "/workspace",
        "/workspace/memory",
        "/workspace/skills",
    }
    assert all(Path(one["source"]).exists() for one in listed)
    lines = shlex.split(host.run("workspace", "mounts", *SEAT)[1])
    assert [line.split(",")[1].removeprefix("source=") for line in lines[1::2]] == [
        one["source"] for one in listed
    ]
    turn = json.loads(host.run("workspace", "mounts", *SEAT, "--project", "roof", "--format", "json")[1])
    added = {one["target"]: one["source"] for one in turn if one not in listed}
    assert added["/workspace-roof"].endswith("/workspace-roof")
    # Own skills are those of the main workspace in a project's turn too.
    assert added["/workspace-roof/skills"].endswith("/workspace/skills")
    assert {target.split("/")[1] for target in added} == {"workspace-roof"}
    assert host.json("receipts", "verify")["ok"] is True


@pytest.mark.promise("workspace-links")
def test_no_mount_is_printed_where_the_agent_has_put_something_in_the_way(host: Host) -> None:  # noqa: F811
    host.apply(FILE)
    host.json("workspace", "create", *SEAT)
    listed = json.loads(host.run("workspace", "mounts", *SEAT, "--format", "json")[1])
    skills = Path(next(one["source"] for one in listed if one["target"] == "/workspace/skills"))
    skills.rmdir()
    skills.symlink_to("/")
    told = (1, "In the workspace something else stands where a mount goes.")
    # A line of the log comes before the sentence: what the agent did is for whoever watches, too.
    code, _, shown = host.run("workspace", "mounts", *SEAT)
    assert (code, shown.splitlines()[-1]) == told
    code, shown = refused_run(host, "--", "true")
    assert (code, shown.splitlines()[-1]) == told


def test_what_can_not_be_run_says_why(host: Host) -> None:  # noqa: F811
    host.apply(FILE)
    host.json("workspace", "create", *SEAT)
    absent = refused_run(host, "--project", "attic", "--", "true")
    assert absent == (1, "There is no such project that you can read.")
    wrong = refused_run(host, "--env", "1=2", "--", "true")
    assert wrong == (2, "--env: must be NAME=VALUE")
    assert refused_run(host, "--with", str(host.data), "--", "true")[0] == 2
