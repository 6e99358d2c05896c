"""What provisioning does to the disk. Nothing of it depends on the kind of database, so it runs on one."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from tarimba.confined import Confined
from tarimba.harnesses.service import profile, shipped
from tarimba.workspaces import living, mounts, places, provisioning
from tarimba.workspaces.documents import digest, fingerprint
from tests.contract.api.served import Api, serving
from tests.contract.member_skills.desk import Desk, skill
from tests.contract.workspaces.laid import seat
from tests.e2e.company import Place
from tests.problems import assert_problem

ALL = "/v1/admin/workspaces"
SECRET = "s" * 32


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("data"), None)


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:
    with serving(
        place, mcp_token_secret=SecretStr(SECRET), public_url="https://memory.example.com/"
    ) as running:
        yield running


@pytest.fixture
def desk(api: Api) -> Desk:
    return Desk(api, api.found())


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server without a secret, so without a graph."""
    with serving(Place(tmp_path_factory.mktemp("bare"), None)) as running:
        yield running


def create(desk: Desk) -> dict[str, Any]:
    seat = {"subscription": "team", "agent": "billing", "member": "member"}
    answer = desk.call("operator", "POST", ALL, json=seat)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made


def provision(desk: Desk, workspace_id: str) -> httpx.Response:
    return desk.call("operator", "POST", f"{ALL}/{workspace_id}/provision")


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of every file below, mode alone of every folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (stat.S_IMODE(path.lstat().st_mode), data)
    return found


@pytest.mark.promise("workspace-provisioned")
@pytest.mark.parametrize("harness", shipped())
def test_every_harness_gets_its_tree_its_documents_and_its_configuration(desk: Desk, harness: str) -> None:
    desk.run_by(harness)
    one = profile(harness)
    desk.publish(skill("close-month"))
    made = create(desk)
    assert made["blocked"] == []
    for folder in ("memory", "public", "sessions/durable", one.own_root, one.shared_root, ".shared/tenant"):
        assert stat.S_IMODE((desk.workspace / folder).stat().st_mode) == 0o700
    assert (desk.workspace / ".secrets").is_dir() is (one.secrets == "files")
    for path in one.scaffold:
        assert (desk.workspace / path).read_text() == one.scaffold[path]
    managed = {str(path.relative_to(desk.home / "managed")) for path in (desk.home / "managed").rglob("*.md")}
    rules = {f"memory/{name}.md" for name in ("CONTEXT_RECOVERY", "FILE_DELIVERY", "MEMORY_ROUTING")}
    always = set() if one.reads_memory_each_turn else {one.always_on}
    assert managed == {"AGENT.md", "SOUL.md"} | rules | always
    config = desk.home / f"config.{one.config_format}"
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert "https://memory.example.com/v1/mcp" in config.read_text()
    # Whatever is bound there needs something to be bound over.
    assert all((desk.workspace / path).is_file() for path in managed)
    assert not one.configures_inside or (desk.workspace / one.config).is_file()
    shared = desk.api.kernel.settings.data / "effective-skills" / desk.company.space_id / desk.team
    assert (shared / desk.company.sources["billing"] / "close-month/SKILL.md").is_file()
    detail = desk.call("owner", "GET", f"{ALL}/{made['workspace_id']}").json()
    assert "***" in json.dumps(detail["server"])
    token = config.read_text().split("Bearer ")[1].split('"')[0]
    assert token not in json.dumps(detail)
    assert {"target": f"/workspace/{one.shared_root}", "read_only": True} in detail["mounts"]
    assert {"target": f"{PurePosixPath('/workspace', one.config)}", "read_only": True} in detail["mounts"]
    of = seat(desk)
    mounted = mounts.points(of, mounts.binds(desk.api.kernel.settings.data, of))
    assert mounts.points_with(of, managed) == mounted, "what is provisioned is what will be mounted"


@pytest.mark.promise("workspace-provisioned")
def test_provisioning_again_changes_nothing_and_repairs_what_is_missing(desk: Desk) -> None:
    workspace_id = create(desk)["workspace_id"]
    before = tree(desk.home)
    again = provision(desk, workspace_id).json()
    assert tree(desk.home) == before
    assert not again["restart"]
    (desk.home / "managed/memory/FILE_DELIVERY.md").unlink()
    (desk.home / "managed/memory/STALE.md").write_text("An older package had this.")
    (desk.workspace / "public").rmdir()
    repaired = provision(desk, workspace_id).json()
    assert repaired["restart"], "what a container has mounted is not what is there now"
    assert tree(desk.home) == before


@pytest.mark.promise("workspace-provisioned")
def test_what_the_agent_wrote_stays_and_what_it_put_in_the_way_is_named(desk: Desk, tmp_path: Path) -> None:
    made = create(desk)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    own = {"memory/MEMORY.md": b"mine", "notes.txt": b"mine", "skills/own/SKILL.md": b"mine"}
    for path, data in own.items():
        (desk.workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (desk.workspace / path).write_bytes(data)
    (desk.workspace / "public").rmdir()
    (desk.workspace / "public").symlink_to(elsewhere)
    (desk.workspace / "SOUL.md").unlink()
    (desk.workspace / "SOUL.md").mkdir()
    (desk.workspace / "AGENT.md").write_text("What stood there before it was managed.")
    answer = provision(desk, made["workspace_id"]).json()
    assert answer["blocked"] == ["workspace/SOUL.md", "workspace/public"]
    assert list(elsewhere.iterdir()) == []
    assert all((desk.workspace / path).read_bytes() == data for path, data in own.items())
    assert (desk.workspace / "AGENT.md").read_text().startswith("What stood there")
    assert (desk.workspace / "public").is_symlink()
    detail = desk.call("owner", "GET", f"{ALL}/{made['workspace_id']}").json()
    assert detail["mounts"] is None, "it could not be mounted like this"


@pytest.mark.promise("workspace-restart")
def test_a_change_of_what_is_mounted_asks_for_a_restart_until_it_is_provisioned(desk: Desk) -> None:
    workspace_id = create(desk)["workspace_id"]

    def is_due() -> bool:
        (row,) = desk.call("owner", "GET", ALL).json()["items"]
        return bool(row["restart_required"])

    assert not is_due()
    revoke = f"/v1/admin/subscriptions/{desk.team}/members/{desk.member}/revoke-tokens"
    for change in (
        lambda: desk.call("owner", "PATCH", "/v1/admin/settings", json={"language": "pt"}),
        lambda: desk.run_by("picoclaw"),
        lambda: desk.call("owner", "POST", revoke),
    ):
        change()
        assert is_due()
        assert provision(desk, workspace_id).json()["restart"]
        assert not is_due()
    desk.publish(skill("close-month"))
    assert not is_due(), "published skills are seen at once"


@pytest.mark.promise("memory-server-written")
def test_the_memory_server_is_written_at_every_provisioning_and_all_else_stays(desk: Desk) -> None:
    desk.run_by("picoclaw")
    workspace_id = create(desk)["workspace_id"]
    config = desk.home / "config.json"
    mine = {"model_list": [{"model": "m", "api_key": "k"}], "tools": {"mcp": {"servers": {"calendar": {}}}}}
    config.write_text(json.dumps(mine))
    assert provision(desk, workspace_id).status_code == 200
    found = json.loads(config.read_text())
    server = found["tools"]["mcp"]["servers"].pop("memory")
    assert found.pop("model_list") == mine["model_list"]
    assert found == {"tools": {"mcp": {"servers": {"calendar": {}}, "enabled": True}}}
    assert (server["type"], server["url"]) == ("http", "https://memory.example.com/v1/mcp")
    before = config.stat()
    assert provision(desk, workspace_id).status_code == 200
    assert config.stat().st_ino == before.st_ino, "nothing is done when nothing differs"
    config.write_text('{"broken": ')
    refused = assert_problem(provision(desk, workspace_id), "conflict", 409)
    assert "JSON" in refused["detail"]
    assert config.read_text() == '{"broken": '


@pytest.mark.promise("memory-server-written")
def test_without_a_graph_nothing_of_it_is_written_and_what_was_is_taken_out(bare: Api) -> None:
    desk = Desk(bare, bare.found())
    desk.run_by("picoclaw")
    workspace_id = create(desk)["workspace_id"]
    # Where the harness reads it, so the agent makes none.
    assert json.loads((desk.home / "config.json").read_text()) == {"tools": {"mcp": {"servers": {}}}}
    assert (desk.workspace / ".picoclaw/config.json").is_file()
    assert not (desk.home / "managed/memory/MEMORY_ROUTING.md").exists()
    assert "mcp_memory" not in (desk.home / "managed/AGENT.md").read_text()
    ours = {"enabled": True, "type": "http", "url": "https://memory.example.com/v1/mcp", "headers": {}}
    servers = {"tools": {"mcp": {"servers": {"memory": ours, "calendar": {}}}}}
    (desk.home / "config.json").write_text(json.dumps(servers))
    assert provision(desk, workspace_id).is_success
    left = json.loads((desk.home / "config.json").read_text())
    assert left == {"tools": {"mcp": {"servers": {"calendar": {}}}}}


@pytest.mark.promise("workspace-provisioned")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_is_made_belongs_to_whom_the_workspace_does(desk: Desk) -> None:
    workspace_id = create(desk)["workspace_id"]
    for path in (desk.workspace, *desk.workspace.rglob("*")):
        os.lchown(path, 4711, 4712)
    (desk.workspace / "public").rmdir()
    assert provision(desk, workspace_id).is_success
    for path in (desk.workspace / "public", desk.home / "config.json"):
        assert (path.stat().st_uid, path.stat().st_gid) == (4711, 4712)


@pytest.mark.promise("workspace-provisioned")
def test_a_project_has_documents_that_name_its_own_paths(desk: Desk) -> None:
    workspace_id = create(desk)["workspace_id"]
    body = {"subscription": "team", "agent": "billing", "project": "roof"}
    assert desk.call("member", "POST", "/v1/projects", json=body).status_code == 201
    rules = (desk.home / "managed-roof/memory/FILE_DELIVERY.md").read_text()
    assert "/workspace-roof/public/" in rules
    assert not provision(desk, workspace_id).json()["restart"], "the main workspace has not changed"
    assert (desk.home / "workspace-roof/memory/FILE_DELIVERY.md").is_file()


@pytest.mark.promise("workspace-provisioned")
def test_two_at_once_are_told_to_come_again(desk: Desk) -> None:
    workspace_id = create(desk)["workspace_id"]
    with Confined.at(desk.home / "managed") as folder:
        fcntl.flock(folder.fileno(), fcntl.LOCK_EX)
        assert_problem(provision(desk, workspace_id), "unavailable", 503)
    assert provision(desk, workspace_id).is_success


@pytest.mark.promise("workspace-held")
def test_while_a_run_lives_nothing_else_is_made_to_be_mounted(desk: Desk) -> None:
    """Its agent could rename what is a mount for others alone, and would take the mount away from them."""
    desk.run_by("generic")
    workspace_id = create(desk)["workspace_id"]
    of = seat(desk)
    present = mounts.points(of, mounts.binds(desk.api.kernel.settings.data, of))
    (held,) = living.begin(desk.home, present)
    before = tree(desk.home)
    assert provision(desk, workspace_id).is_success
    desk.run_by("claude-code")
    refused = provision(desk, workspace_id)
    assert_problem(refused, "conflict", 409)
    assert "end it first" in refused.json()["detail"]
    assert tree(desk.home) == before
    os.close(held)
    assert provision(desk, workspace_id).is_success


@pytest.mark.promise("harness-configuration")
def test_another_server_of_the_same_name_is_named_and_stays(desk: Desk) -> None:
    desk.run_by("picoclaw")
    workspace_id = create(desk)["workspace_id"]
    config = desk.home / "config.json"
    config.write_text('{"tools": {"mcp": {"servers": {"memory": {"command": "npx"}}}}}')
    before = config.read_bytes()
    refused = provision(desk, workspace_id)
    assert_problem(refused, "conflict", 409)
    assert "`tools.mcp.servers.memory` is another server" in refused.json()["detail"]
    assert config.read_bytes() == before


@pytest.mark.promise("workspace-provisioned")
def test_nothing_unkeyed_of_a_token_is_stored(desk: Desk) -> None:
    made = create(desk)
    kernel, of = desk.api.kernel, seat(desk)
    with kernel.database.read() as connection:
        kept = places.require(connection, of).provisioned
        ground = provisioning.ground_of(kernel, connection, of)
        server = provisioning.server_of(kernel, connection, of)
    assert server is not None
    bare = digest(fingerprint(ground), server.entry(of.profile))
    assert kept == kernel.keys.of(of.space_id).mac("workspace.provisioned", bare) != bare
    assert not made["restart_required"]
