"""`tarimba workspace create` and its like, and the workspaces of a file, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.test_apply import FILE
from tests.contract.test_cli import Host, host  # noqa: F401

SEAT = ("--subscription", "matriz", "--agent", "cobranca", "--member", "ana")
DECLARED = (
    FILE.replace(
        'harness = "ganglion"\n',
        'harness = "ganglion"\npersona = {"AGENT.md" = "You collect.", "SOUL.md" = "Be kind."}\n',
    )
    + """
[[workspace]]
subscription = "matriz"
agent = "cobranca"
members = ["ana"]
projects = ["roof"]
"""
)


@pytest.mark.promise("workspace-of-a-seat")
def test_a_workspace_goes_its_whole_way(host: Host, tmp_path: Path) -> None:  # noqa: F811
    host.apply(FILE)
    assert host.refused("workspace", "show", *SEAT) == (1, "There is no such workspace that you can read.")
    made = host.json("workspace", "create", *SEAT)
    assert made["provisioned_at"]
    assert host.run("workspace", "create", *SEAT)[1] == f"workspace {made['workspace_id']}\n"
    soul = tmp_path / "soul.md"
    soul.write_text("Be brief.")
    host.json("workspace", "persona", "--agent", "cobranca", "--soul-md", str(soul))
    assert (
        host.json("workspace", "persona", "--agent", "cobranca")["documents"]["SOUL.md"]["text"]
        == "Be brief."
    )
    (listed,) = host.json("workspace", "list")
    assert listed["restart_required"]
    assert "Restart its container" in host.run("workspace", "provision", *SEAT)[1]
    assert not host.json("workspace", "list", "--member", "ana")[0]["restart_required"]
    assert host.json("workspace", "list", "--member", "rita") == []
    assert host.run("workspace", "project", *SEAT, "roof")[1].startswith("project roof  ")
    assert host.refused("workspace", "project", *SEAT, "Roof")[0] != 0
    shown = host.json("workspace", "show", *SEAT)
    assert [one["project"] for one in shown["projects"]] == ["roof"]
    assert "harness: ganglion" in host.run("workspace", "show", *SEAT)[1]
    assert host.json("receipts", "verify")["ok"] is True


@pytest.mark.promise("workspaces-declared")
def test_a_file_makes_workspaces_projects_and_a_persona_and_again_nothing(host: Host) -> None:  # noqa: F811
    first = host.apply(DECLARED)
    (one,) = first["workspaces"]
    assert (one["subscription"], one["agent"], one["member"]) == ("matriz", "cobranca", "ana")
    shown = host.json("workspace", "show", *SEAT)
    assert shown["workspace_id"] == one["workspace_id"]
    assert shown["provisioned_at"]
    assert not shown["restart_required"]
    assert [project["project"] for project in shown["projects"]] == ["roof"]
    (home,) = host.data.glob("spaces/*/subscriptions/*/agents/*/members/*")
    assert (home / "workspace-roof/memory").is_dir()
    assert (home / "managed/SOUL.md").read_text() == "Be kind."
    size = host.json("receipts", "verify")["receipts"]
    assert host.apply(DECLARED)["workspaces"] == [one]
    assert host.json("receipts", "verify")["receipts"] == size
    host.apply(FILE)
    assert len(host.json("workspace", "list")) == 1, "what the file no longer names stays"


# What is changed in the file, into what, and the words of the refusal.
REFUSED = (
    ('members = ["ana"]\nprojects', 'members = ["rita"]\nprojects', "workspace[0]: must name"),
    ('agent = "cobranca"\nmembers', 'agent = "nobody"\nmembers', "workspace[0]: must name"),
    ('projects = ["roof"]', 'projects = ["../roof"]', "workspace[0].projects: must be 1 to 64"),
    ('harness = "ganglion"', 'harness = "picoclaw"', "can't serve projects"),
    ('"SOUL.md" =', '"USER.md" =', "agent[0].persona: must hold"),
    ("projects = ", "folders = ", "workspace[0].folders: there is no such key"),
)


@pytest.mark.promise("workspaces-declared")
def test_a_file_that_can_t_be_is_refused_before_anything_is_made(host: Host) -> None:  # noqa: F811
    for old, new, words in REFUSED:
        assert old in DECLARED
        code, told = host.refused("apply", host.write(DECLARED.replace(old, new)))
        assert code != 0
        assert words in told
    assert host.json("space", "list") == []
