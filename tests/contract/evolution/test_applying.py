"""An approval writes the skill into the agent's own skills: whole, once, never elsewhere; what stood there is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tarimba.evolution import deciding, reviewing, service
from tarimba.evolution.applying import OwnSkills
from tarimba.storage.tables import skill_draft
from tests.contract.evolution.stage import DRAFTS, Office
from tests.contract.notes.world import World, at_once

NAME = "invoice-void-order-reopen"


@pytest.fixture
def draft(office: Office) -> dict[str, Any]:
    office.mode("apply")
    office.did()
    office.home()
    return office.one()


def file_of(office: Office) -> Path:
    return office.home() / "skills" / NAME / "SKILL.md"


def kept(office: Office) -> list[Path]:
    folder = office.home() / "skills-before"
    return sorted(folder.iterdir()) if folder.exists() else []


@pytest.mark.promise("evolution-apply")
def test_an_operator_has_it_written_where_the_agents_own_skills_lie(
    office: Office, draft: dict[str, Any]
) -> None:
    applied = office.decide(draft["draft_id"], "apply")
    assert applied.status_code == 200, applied.text
    assert applied.json() == office.draft(draft["draft_id"])
    assert (applied.json()["state"], applied.json()["decided_by"]) == (
        "applied",
        office.world.caller("operator").id,
    )
    assert file_of(office).read_text(encoding="utf-8") == draft["text"]
    assert [one.name for one in file_of(office).parent.iterdir()] == ["SKILL.md"]
    assert kept(office) == []
    (receipt,) = office.world.receipts("skill.apply")
    assert (receipt["draft_id"], receipt["actor"]["type"]) == (draft["draft_id"], "person")
    assert receipt["detail"]["replaced"] is False
    again = office.decide(draft["draft_id"], "apply")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert office.decide(draft["draft_id"], "refuse").status_code == 409


def test_the_same_request_twice_is_answered_as_the_first_time(office: Office, draft: dict[str, Any]) -> None:
    key = {"Idempotency-Key": "apply-1"}
    first = office.decide(draft["draft_id"], "apply", headers=key)
    second = office.decide(draft["draft_id"], "apply", headers=key)
    assert (second.status_code, second.json()) == (200, first.json())
    assert len(office.world.receipts("skill.apply")) == 1


@pytest.mark.promise("evolution-by-role")
@pytest.mark.parametrize("act", ["apply", "refuse"])
def test_only_a_person_with_the_role_decides(office: Office, draft: dict[str, Any], act: str) -> None:
    for who, code in (
        ("admin", "person_required"),
        ("billing", "person_required"),
        ("reviewer", "scope_missing"),
    ):
        refused = office.decide(draft["draft_id"], act, who)
        assert (refused.status_code, refused.json()["code"]) == (403, code)
    assert not file_of(office).exists()
    assert office.decide(draft["draft_id"], act, "owner").status_code == 200


@pytest.mark.promise("evolution-apply")
@pytest.mark.parametrize("mode", ["off", "observe", "draft"])
def test_in_another_mode_nothing_is_written_and_the_setting_is_named(
    office: Office, draft: dict[str, Any], mode: str
) -> None:
    office.mode(mode)
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "evolution.mode" in refused.json()["detail"]
    assert list(office.home().iterdir()) == []
    assert office.decide(draft["draft_id"], "refuse").status_code == 200


def test_without_a_place_for_workspaces_the_option_is_named(world: World) -> None:
    office = Office(world)
    office.mode("apply")
    office.did()
    draft_id = office.one()["draft_id"]
    refused = office.decide(draft_id, "apply")
    assert (refused.status_code, refused.json()["code"]) == (501, "not_implemented")
    assert "TARIMBA_WORKSPACES" in refused.json()["detail"]
    assert office.draft(draft_id)["state"] == "pending"


def test_an_agent_without_a_folder_gets_none(office: Office, draft: dict[str, Any]) -> None:
    office.home().rmdir()
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert office.draft(draft["draft_id"])["state"] == "pending"


@pytest.mark.promise("evolution-backup")
def test_what_stood_there_is_kept(office: Office, draft: dict[str, Any]) -> None:
    file = file_of(office)
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    (file.parent / "script.sh").write_text("true\n")
    assert office.decide(draft["draft_id"], "apply").status_code == 200
    assert file.read_text() == draft["text"]
    assert (file.parent / "script.sh").read_text() == "true\n"
    (before,) = kept(office)
    assert before.read_text() == "mine\n"
    assert office.world.receipts("skill.apply")[0]["detail"]["replaced"] is True


@pytest.mark.promise("evolution-backup")
@pytest.mark.parametrize("stood", [None, "mine\n"])
def test_what_does_not_read_back_is_taken_out_again(
    office: Office, draft: dict[str, Any], stood: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_of(office)
    if stood is not None:
        file.parent.mkdir(parents=True)
        file.write_text(stood)
    monkeypatch.setattr(deciding, "_is_sound", lambda _content: False)
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert (file.read_text() if file.exists() else None) == stood
    assert kept(office) == []
    assert office.draft(draft["draft_id"])["state"] == "pending"


@pytest.mark.promise("evolution-confined")
@pytest.mark.parametrize("linked", ["agent", "skills", "skill", "file", "kept"])
def test_no_link_is_followed(office: Office, draft: dict[str, Any], linked: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "SKILL.md").write_text("not mine\n")
    home, file = office.home(), file_of(office)
    places = {
        "agent": home,
        "skills": home / "skills",
        "skill": file.parent,
        "file": file,
        "kept": home / "skills-before",
    }
    place = places[linked]
    if linked == "agent":
        home.rmdir()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere / "SKILL.md" if linked == "file" else elsewhere)
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert [path.name for path in elsewhere.iterdir()] == ["SKILL.md"]
    assert (elsewhere / "SKILL.md").read_text() == "not mine\n"


@pytest.mark.promise("evolution-confined")
@pytest.mark.parametrize("odd", ["pipe", "folder", "huge", "two names"])
def test_what_is_no_file_in_its_place_is_left_alone(office: Office, draft: dict[str, Any], odd: str) -> None:
    assert office.workspaces is not None
    file = file_of(office)
    file.parent.mkdir(parents=True)
    if odd == "pipe":
        os.mkfifo(file)
    elif odd == "folder":
        file.mkdir()
    elif odd == "two names":
        office.workspaces.joinpath("elsewhere").write_text("not mine\n")
        file.hardlink_to(office.workspaces / "elsewhere")
    else:
        file.write_bytes(b"x" * (1024 * 1024 + 1))
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert [one.name for one in file.parent.iterdir()] == ["SKILL.md"]


def test_decisions_at_once_leave_one(office: Office, draft: dict[str, Any]) -> None:
    caller = office.world.caller("operator")
    acts = [service.apply, service.apply, service.refuse, service.refuse]
    codes = at_once([lambda act=act: act(office.kernel, caller, draft["draft_id"]) for act in acts])  # type: ignore[misc]
    assert sorted(codes) == ["conflict", "conflict", "conflict", "ok"]
    is_applied = office.draft(draft["draft_id"])["state"] == "applied"
    assert file_of(office).exists() == is_applied
    assert len(office.world.receipts("skill.apply")) == int(is_applied)


@pytest.mark.promise("evolution-apply")
def test_refused_under_the_lock_the_file_is_taken_out_again(
    office: Office, draft: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = OwnSkills.write

    def write_while_somebody_refuses(own: OwnSkills, *arguments: Any) -> Any:
        written = writes(own, *arguments)
        service.refuse(office.kernel, office.world.caller("owner"), draft["draft_id"])
        return written

    monkeypatch.setattr(OwnSkills, "write", write_while_somebody_refuses)
    assert office.decide(draft["draft_id"], "apply").status_code == 409
    assert not file_of(office).exists()
    assert office.draft(draft["draft_id"])["state"] == "refused"


class Killed(BaseException):
    """Nothing catches it, as nothing hears of SIGKILL."""


@pytest.mark.promise("evolution-killed")
def test_killed_between_file_and_row_the_next_approval_does_the_rest(
    office: Office, draft: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_of(office)
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")

    def dies(*_arguments: Any) -> None:
        raise Killed

    caller = office.world.caller("operator")
    with monkeypatch.context() as patched:
        patched.setattr(deciding, "_committed", dies)
        with pytest.raises(Killed):
            service.apply(office.kernel, caller, draft["draft_id"])
    assert file.read_text() == draft["text"]
    assert office.draft(draft["draft_id"])["state"] == "pending"
    assert office.decide(draft["draft_id"], "apply").json()["state"] == "applied"
    assert [path.read_text() for path in kept(office)] == ["mine\n"]


@pytest.mark.promise("evolution-reviewed")
def test_a_draft_is_reviewed_again_before_it_is_written(
    office: Office, draft: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewing, "problem_of", lambda *_: "personal_data")
    refused = office.decide(draft["draft_id"], "apply")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    now = office.draft(draft["draft_id"])
    assert (now["state"], now["problem"], now["text"], now["name"]) == (
        "quarantined",
        "personal_data",
        "",
        "",
    )
    assert not file_of(office).exists()


def test_two_agents_of_one_slug_in_two_spaces_have_folders_apart(
    office: Office, draft: dict[str, Any]
) -> None:
    assert office.workspaces is not None
    other = office.workspaces / "other" / "billing"
    other.mkdir(parents=True)
    assert office.decide(draft["draft_id"], "apply").status_code == 200
    assert list(other.iterdir()) == []


@pytest.mark.promise("evolution-once")
def test_refusing_leaves_a_receipt_and_no_file(office: Office, draft: dict[str, Any]) -> None:
    assert office.decide(draft["draft_id"], "refuse").json()["state"] == "refused"
    (receipt,) = office.world.receipts("skill.refuse")
    assert receipt["draft_id"] == draft["draft_id"]
    assert not file_of(office).exists()
    for act in ("apply", "refuse"):
        assert office.ask("POST", f"{DRAFTS}/{office.world.space_id}/{act}", "owner").status_code == 404
    assert office.world.count(skill_draft) == 1
