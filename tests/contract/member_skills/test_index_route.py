"""The index over HTTP: what each caller gets, the same bytes, and the receipt of what reached the prompt."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from tarimba.identity import hosting
from tests.contract.api.served import Api
from tests.contract.member_skills.desk import Desk, skill
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("skills-index")

PATHS = re.compile(r"^- \*\*(.+?)\*\* — .* \(`(.+)`\)$", re.MULTILINE)


def lines(text: str) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in PATHS.finditer(text)]


@pytest.fixture
def shadows() -> Iterator[Any]:
    """What the log says of skills that are not opened, as it is said."""
    with capture_logs() as logs:
        yield logs


def told(logs: Any) -> list[Any]:
    return [one for one in logs if one["event"] == "skills.shadowed"]


def test_an_agent_gets_the_administrators_skills_and_the_members_own(desk: Desk) -> None:
    desk.publish(skill("close-month"))
    desk.publish(skill("refund"), scope="subscription", subscription="team")
    desk.scribble("letters", skill("letters", "Use when a *letter* is\n  wanted."))
    whole = desk.index(subscription="team", member="member").json()
    published = [line for line in lines(whole["text"]) if line[0] in {"close-month", "refund"}]
    assert published == [
        ("close-month", "/workspace/shared-skills/close-month/SKILL.md"),
        ("refund", "/workspace/shared-skills/refund/SKILL.md"),
    ]
    assert lines(whole["text"])[-1] == ("letters", "/workspace/skills/letters/SKILL.md")
    assert "∗letter∗" in whole["text"]
    assert "Do it." not in whole["text"]
    alone = [name for name, _ in lines(desk.index().json()["text"])]
    assert "close-month" in alone
    assert not {"refund", "letters"} & set(alone)


def test_what_comes_with_the_package_is_listed_for_its_harness(desk: Desk) -> None:
    for harness, extra in (("picoclaw", set()), ("ganglion", {"ganglion-workspace"})):
        desk.run_by(harness)
        names = [name for name, _ in lines(desk.index().json()["text"])]
        assert set(names) == {"shared-content", "skill-creator"} | extra
        assert names == sorted(names)


def test_the_same_set_is_the_same_bytes_and_is_not_sent_again(desk: Desk) -> None:
    desk.publish(skill("close-month"))
    desk.scribble("letters", skill("letters"))
    where = {"subscription": "team", "member": "member"}
    first = desk.index(**where)
    # Written anew with the same content, as another host would.
    desk.scribble("letters", skill("letters"))
    again = desk.index(**where, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for known in (f'"x", W/{first.headers["etag"]}', "*"):
        assert desk.index(**where, headers={"if-none-match": known}).status_code == 304
    desk.scribble("letters", skill("letters", "Use when a letter is wanted."))
    changed = desk.index(**where, headers={"if-none-match": first.headers["etag"]})
    assert changed.status_code == 200
    reads = [one for one in desk.log() if one["action"] == "skill.index"]
    assert [one["detail"]["not_modified"] for one in reads[-3:]] == [True, True, False]


def test_what_is_published_and_removed_shows_at_once(desk: Desk) -> None:
    desk.publish(skill("close-month", "Use when a month ends."))
    assert "month ends" in desk.index().json()["text"]
    desk.publish(skill("close-month", "Use when a month is over."))
    assert "month is over" in desk.index().json()["text"]
    assert desk.call("admin", "DELETE", "/v1/admin/skills", params={"name": "close-month"}).is_success
    assert "close-month" not in desk.index().json()["text"]


def test_the_receipt_names_what_was_listed_by_its_hash(desk: Desk) -> None:
    made = desk.publish(skill("close-month"))
    desk.scribble("dear-quokka", skill("dear-quokka"))
    answer = desk.index(subscription="team", member="member")
    receipt = desk.log()[-1]
    assert receipt["id"] == answer.json()["receipt_id"]
    assert receipt["detail"]["shared"][made["skill_id"]] == made["content_hash"]
    assert len(receipt["detail"]["own"]) == 1
    assert receipt["detail"]["etag"] == answer.json()["etag"]
    assert "quokka" not in str(receipt)


def test_the_limit_is_the_spaces_own(desk: Desk) -> None:
    for number in range(9):
        desk.publish(skill(f"s{number}", "Use when " + "x" * 200))
    assert desk.index().json()["left_out"] == 0
    limit = {"skills": {"index_bytes": 1500}}
    assert desk.call("owner", "PATCH", "/v1/admin/settings", json=limit).json()["skills"] == limit["skills"]
    found = desk.index().json()
    assert len(found["text"].encode()) <= 1500
    assert f"{found['left_out']} more skills are not listed" in found["text"]
    # The oldest went first.
    assert "**s8**" in found["text"]
    assert "**s0**" not in found["text"]


def test_a_shadowed_skill_is_logged_once_each_time_the_set_changes(desk: Desk, shadows: Any) -> None:
    desk.publish(skill("refund", body="Theirs.\n"))
    mine = desk.scribble("refund", skill("refund", body="Mine.\n"))
    where = {"subscription": "team", "member": "member"}
    for _ in range(3):
        assert [name for name, _ in lines(desk.index(**where).json()["text"])].count("refund") == 1
    (first,) = told(shadows)
    (named,) = first["skills"]
    assert (named["name"], len(named["own"]), len(named["opened"])) == ("refund", 64, 64)
    assert "Mine." not in str(first)
    mine.write_text(skill("refund", body="Mine, anew.\n"), encoding="utf-8")
    desk.index(**where)
    desk.index(**where)
    assert len(told(shadows)) == 2


def test_a_broken_skill_never_fails_an_index(desk: Desk) -> None:
    for directory, data in {
        "a": b"\xff\x00",
        "b": b"",
        "c": b"---\nname: [\n---\n",
        "x`y": skill("x-y").encode(),
    }.items():
        desk.scribble(directory, data)
    desk.scribble("good", skill("good"))
    assert [name for name, _ in lines(desk.index(subscription="team", member="member").json()["text"])][
        -1
    ] == "good"


def test_a_project_has_paths_that_it_can_open(desk: Desk) -> None:
    desk.publish(skill("close-month"))
    desk.scribble("letters", skill("letters"))
    where = {"subscription": "team", "member": "member", "project": "relatorios"}
    assert_problem(desk.index(**where), "not_found", 404, public=("member", "project"))
    seat = {"subscription": "team", "agent": "billing"}
    assert desk.call("owner", "POST", "/v1/admin/workspaces", json=seat | {"member": "member"}).is_success
    assert desk.call("member", "POST", "/v1/projects", json=seat | {"project": "relatorios"}).is_success
    found = lines(desk.index(**where).json()["text"])
    assert all(path.startswith("/workspace-relatorios/") for _, path in found)
    desk.run_by("picoclaw")
    assert_problem(desk.index(**where), "not_implemented", 501, public=("member", "project"))


def test_each_harness_finds_the_roots_where_it_looks(desk: Desk) -> None:
    desk.publish(skill("close-month"))
    for harness, root in (
        ("ganglion", "shared-skills"),
        ("picoclaw", "skills"),
        ("claude-code", ".claude-user/skills"),
    ):
        desk.run_by(harness)
        assert ("close-month", f"/workspace/{root}/close-month/SKILL.md") in lines(
            desk.index().json()["text"]
        )
    text = desk.index(workspace="/srv/agents/billing").json()["text"]
    assert "(`/srv/agents/billing/.claude-user/skills/close-month/SKILL.md`)" in text
    for wrong in ("relative", "/a`b", "/a\nb", "/a//b", "/"):
        assert desk.index(workspace=wrong).status_code == 422


def test_the_index_speaks_the_language_of_the_space(api: Api) -> None:
    for language, words in (
        ("pt", "Estas skills existem"),
        ("es", "Estas skills existen"),
        ("en", "These skills exist"),
    ):
        desk = Desk(api, api.found(language=language))
        desk.publish(skill("close-month"))
        assert words in desk.index().json()["text"]


def test_who_gets_which_index(desk: Desk) -> None:
    assert_problem(desk.index(agent="support"), "not_found", 404, public=("agent",))
    assert desk.index(agent="billing").status_code == 200
    assert desk.index("courier", subscription="team").status_code == 200
    for who in ("owner", "auditor", "admin"):
        assert desk.index(who, agent="billing", subscription="team").status_code == 200
        assert_problem(desk.index(who), "invalid_input", 422)
        refused = desk.index(who, agent="billing", subscription="team", member="member")
        assert_problem(refused, "scope_missing", 403, public=("member", "agent", "subscription"))
    assert desk.index("member", agent="billing", subscription="team").status_code == 200
    assert desk.index("member", agent="billing", subscription="team", member="member").status_code == 200
    assert desk.index("member", agent="billing").status_code == 403
    keeper = {"slug": "keeper", "email": "keeper@acme.example", "roles": ["manager@team"]}
    assert desk.call("owner", "POST", "/v1/admin/people", json=keeper).is_success
    host = hosting.host_of(desk.api.kernel, desk.company.slug)
    bearer = hosting.issue_token(desk.api.kernel, host, "keeper@acme.example", None)["token"]
    desk.call("owner", "POST", "/v1/admin/subscriptions", json={"slug": "others"})
    assert desk.index(bearer, agent="billing", subscription="team").status_code == 200
    assert desk.index(bearer, agent="billing", subscription="others").status_code == 404
    assert desk.index(subscription="team", member="owner").status_code == 404
    assert desk.index(member="member").status_code == 422


def test_an_agent_of_a_harness_that_is_not_shipped_is_told_which_are(desk: Desk) -> None:
    with desk.api.place.rows() as rows:
        rows.execute(
            f"UPDATE agent SET harness = 'hermes' WHERE source_id = '{desk.company.sources['billing']}'"
        )
    assert desk.call("owner", "GET", "/v1/admin/agents").json()["items"][0]["harness"] == "hermes"
    answer = desk.index()
    assert_problem(answer, "invalid_input", 422)
    assert "picoclaw" in answer.json()["detail"]
