"""Workspaces, projects and personas over HTTP: who may, what is there afterwards, and what the log says of it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.contract.api.served import UNKNOWN
from tests.contract.member_skills.desk import Desk
from tests.problems import assert_problem

ALL = "/v1/admin/workspaces"
SEAT = {"subscription": "team", "agent": "billing"}


def create(desk: Desk, who: str = "operator", **named: str) -> httpx.Response:
    return desk.call(who, "POST", ALL, json=SEAT | {"member": "member"} | named)


def made(desk: Desk) -> dict[str, Any]:
    answer = create(desk)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def project(desk: Desk, name: str, who: str = "member") -> httpx.Response:
    return desk.call(who, "POST", "/v1/projects", json=SEAT | {"project": name})


def persona_of(desk: Desk) -> str:
    return f"/v1/admin/agents/{desk.company.sources['billing']}/persona"


def changes(desk: Desk) -> list[str]:
    return [one["detail"]["change"] for one in desk.log() if one["action"] == "workspace.change"]


@pytest.mark.promise("workspace-of-a-seat")
def test_a_workspace_is_one_of_a_member_with_an_agent_in_a_subscription(desk: Desk) -> None:
    answer = create(desk)
    assert answer.status_code == 201
    first = answer.json()
    assert (first["subscription"], first["agent"], first["member"]) == ("team", "billing", "member")
    assert first["harness"] == "generic"
    assert first["blocked"] == []
    assert not first["restart_required"]
    assert not first["restart"]
    again = create(desk)
    assert again.status_code == 200, "one that is there is provisioned again"
    assert again.json()["workspace_id"] == first["workspace_id"]
    assert (desk.workspace / "memory").is_dir()
    assert changes(desk) == ["create", "provision", "provision"]
    other = create(desk, agent="courier").json()
    assert other["workspace_id"] != first["workspace_id"]
    listed = desk.call("auditor", "GET", ALL).json()["items"]
    assert [one["workspace_id"] for one in listed] == [first["workspace_id"], other["workspace_id"]]
    only = desk.call("owner", "GET", ALL, params={"agent": "courier"}).json()["items"]
    assert [one["agent"] for one in only] == ["courier"]
    assert desk.call("owner", "GET", ALL, params={"member": "owner"}).json()["items"] == []
    pages = desk.call("owner", "GET", ALL, params={"limit": 1}).json()
    rest = desk.call("owner", "GET", ALL, params={"limit": 1, "cursor": pages["next_cursor"]}).json()
    assert [one["agent"] for one in (*pages["items"], *rest["items"])] == ["billing", "courier"]
    assert "next_cursor" not in rest


@pytest.mark.promise("workspace-of-a-seat")
def test_nobody_gets_a_workspace_who_is_no_member_and_nobody_makes_one_who_may_not(desk: Desk) -> None:
    assert_problem(create(desk, member="owner"), "not_found", 404)
    assert_problem(create(desk, subscription="others"), "not_found", 404)
    assert_problem(create(desk, agent="nobody"), "not_found", 404)
    for who in ("member", "auditor", "reviewer", "admin", "billing"):
        assert_problem(create(desk, who), "scope_missing", 403)
    assert_problem(desk.call("member", "GET", ALL), "scope_missing", 403)
    workspace_id = made(desk)["workspace_id"]
    for who in ("member", "reviewer"):
        assert_problem(desk.call(who, "GET", f"{ALL}/{workspace_id}"), "scope_missing", 403)
    assert_problem(desk.call("owner", "GET", f"{ALL}/{UNKNOWN}"), "not_found", 404)
    assert_problem(desk.call("owner", "POST", f"{ALL}/{UNKNOWN}/provision"), "not_found", 404)
    assert "owner@" not in desk.call("owner", "GET", ALL).text, "a list names people by their slug"


@pytest.mark.promise("workspace-keeps-content")
def test_an_administrator_sees_that_a_file_of_memory_is_there_and_nothing_of_what_is_in_it(
    desk: Desk,
) -> None:
    workspace_id = made(desk)["workspace_id"]
    assert project(desk, "roof").status_code == 201
    notes = "The heron nests in July."
    (desk.workspace / "memory/MEMORY.md").write_text(notes)
    (desk.workspace / "public/heron-report.txt").write_text(notes)
    (desk.workspace / "memory/MEMORY_CUSTOM.md").symlink_to(desk.workspace / "memory/MEMORY.md")
    found = desk.call("operator", "GET", f"{ALL}/{workspace_id}")
    assert "heron" not in found.text.lower()
    memory = {(one["project"], one["path"]): (one["exists"], one["size"]) for one in found.json()["memory"]}
    assert memory["", "memory/MEMORY.md"] == (True, len(notes))
    assert memory["", "memory/MEMORY_CUSTOM.md"] == (False, 0), "what is no file of its own is not there"
    assert memory["roof", "memory/PROJECT.md"] == (False, 0)
    assert found.json()["server"] is None, "there is no graph here"
    receipt = desk.log()[-1]
    assert receipt["action"] == "workspace.read"
    assert receipt["workspace_id"] == workspace_id
    assert "heron" not in str(desk.log()).lower()


@pytest.mark.promise("project-known")
def test_a_project_is_the_member_s_own_and_an_unknown_one_is_none(desk: Desk) -> None:
    assert_problem(project(desk, "roof"), "not_found", 404)
    workspace_id = made(desk)["workspace_id"]
    answer = project(desk, "roof")
    assert answer.status_code == 201
    assert (desk.home / "workspace-roof/memory").is_dir()
    assert (desk.home / "workspace-roof/public").is_dir()
    assert project(desk, "roof").status_code == 200
    by_operator = desk.call(
        "operator", "POST", f"{ALL}/{workspace_id}/projects", json={"project": "cellar", "name": "The cellar"}
    )
    assert by_operator.status_code == 201
    own = desk.call("member", "GET", "/v1/workspaces").json()["items"]
    assert [(one["project"], one["name"]) for one in own[0]["projects"]] == [
        ("roof", "roof"),
        ("cellar", "The cellar"),
    ]
    assert "projects" in own[0]["features"]
    for name in ("Roof", "../roof", ".", "-roof", "a" * 65, "", "roof/x"):
        assert_problem(project(desk, name), "invalid_input", 422)
    assert_problem(project(desk, "attic", "owner"), "scope_missing", 403)
    index = {"subscription": "team", "member": "member"}
    assert_problem(desk.index(project="attic", **index), "not_found", 404, public=("member", "project"))
    assert desk.index(project="roof", **index).status_code == 200
    desk.run_by("picoclaw")
    assert_problem(project(desk, "attic"), "not_implemented", 501, public=("billing",))


@pytest.mark.promise("project-known")
def test_a_folder_on_the_disk_makes_no_project(desk: Desk) -> None:
    made(desk)
    (desk.home / "workspace-attic").mkdir()
    index = {"subscription": "team", "member": "member", "project": "attic"}
    assert_problem(desk.index(**index), "not_found", 404, public=("member", "project"))


@pytest.mark.promise("workspace-of-a-seat")
def test_a_repeated_request_makes_one_workspace_and_one_project(desk: Desk) -> None:
    headers = {"idempotency-key": "once"}
    first, second = (
        desk.call("owner", "POST", ALL, json=SEAT | {"member": "member"}, headers=headers) for _ in range(2)
    )
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.headers["tarimba-receipt"] == second.headers["tarimba-receipt"]
    one, two = (
        desk.call("member", "POST", "/v1/projects", json=SEAT | {"project": "roof"}, headers=headers)
        for _ in range(2)
    )
    assert (one.status_code, two.status_code) == (201, 201)
    assert one.json() == two.json()
    assert changes(desk).count("create") == 1
    assert changes(desk).count("project") == 1


@pytest.mark.promise("persona-shared")
def test_a_persona_is_written_once_for_all_members_and_its_receipt_holds_hashes(desk: Desk) -> None:
    workspace_id = made(desk)["workspace_id"]
    url = persona_of(desk)
    empty = desk.call("operator", "GET", url)
    assert empty.json()["documents"] == {}
    text = "You keep the ledger of Quokka Harbour.\n"
    answer = desk.call("operator", "PUT", url, json={"documents": {"AGENT.md": text}})
    assert answer.json()["documents"]["AGENT.md"]["text"] == text
    assert answer.headers["etag"] != empty.headers["etag"]
    stale = desk.call(
        "owner", "PUT", url, json={"documents": {"SOUL.md": "x"}}, headers={"if-match": empty.headers["etag"]}
    )
    assert_problem(stale, "precondition_failed", 412)
    seen = {"if-match": answer.headers["etag"]}
    both = desk.call("owner", "PUT", url, json={"documents": {"SOUL.md": "Be brief."}}, headers=seen).json()
    assert sorted(both["documents"]) == ["AGENT.md", "SOUL.md"]
    gone = desk.call("owner", "PUT", url, json={"documents": {"SOUL.md": ""}}).json()
    assert sorted(gone["documents"]) == ["AGENT.md"]
    before = len(desk.log())
    desk.call("owner", "PUT", url, json={"documents": {"AGENT.md": text}})
    assert len(desk.log()) == before, "the same text changes nothing"
    written = next(one for one in desk.log() if one["detail"].get("change") == "persona")
    assert written["detail"]["documents"]["AGENT.md"] == answer.json()["documents"]["AGENT.md"]["hash"]
    assert "Quokka" not in str(desk.log())
    assert desk.call("owner", "GET", f"{ALL}/{workspace_id}").json()["restart_required"]
    restarted = desk.call("operator", "POST", f"{ALL}/{workspace_id}/provision").json()
    assert (restarted["restart"], restarted["restart_required"]) == (True, False)
    assert (desk.home / "managed/AGENT.md").read_text() == text
    for who in ("auditor", "member", "admin"):
        assert_problem(desk.call(who, "PUT", url, json={"documents": {}}), "scope_missing", 403)
    for documents in ({"USER.md": "x"}, {"AGENT.md": 1}, {"AGENT.md": "a\0b"}):
        assert_problem(desk.call("owner", "PUT", url, json={"documents": documents}), "invalid_input", 422)
    large = {"documents": {"AGENT.md": "ã" * (32 * 1024 + 1)}}
    assert_problem(desk.call("owner", "PUT", url, json=large), "too_large", 413)
    unknown = url.replace(desk.company.sources["billing"], UNKNOWN)
    assert_problem(desk.call("owner", "GET", unknown), "not_found", 404)


@pytest.mark.promise("workspace-of-a-seat")
def test_who_left_a_subscription_has_no_workspace_there_any_more(desk: Desk) -> None:
    workspace_id = made(desk)["workspace_id"]
    assert len(desk.call("member", "GET", "/v1/workspaces").json()["items"]) == 1
    url = f"/v1/admin/subscriptions/{desk.team}/members/{desk.member}"
    assert desk.call("owner", "DELETE", url).is_success
    assert desk.call("member", "GET", "/v1/workspaces").json()["items"] == []
    assert_problem(desk.call("owner", "POST", f"{ALL}/{workspace_id}/provision"), "not_found", 404)
    assert_problem(project(desk, "roof"), "not_found", 404)
