"""A member's own skills: every listed one can be opened, and only what was seen is changed."""

import hashlib
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tarimba.skills import own
from tests.contract.member_skills.desk import Desk, skill
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("member-skills")

BROKEN = "---\nname: letters\nno colon here\n---\nBe brief.\n"


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def test_a_skill_is_created_seen_changed_and_deleted(desk: Desk) -> None:
    text, later = skill("letters"), skill("letters", body="Be brief.\n")
    made = desk.put("letters", text)
    assert (made.status_code, made.json()["hash"], made.json()["verdict"]) == (201, sha(text), "ok")
    opened = desk.ask("GET", "/doc", name="letters")
    assert (opened.json()["text"], opened.headers["etag"]) == (text, f'"{sha(text)}"')
    changed = desk.put("letters", later, sha(text))
    assert (changed.status_code, changed.json()["hash"]) == (200, sha(later))
    assert (desk.own / "letters" / "SKILL.md").read_text(encoding="utf-8") == later
    assert desk.ask("DELETE", name="letters").json() == {"name": "letters", "path": None}
    assert desk.rows() == []
    assert list(desk.own.iterdir()) == []


def test_what_stands_there_is_changed_only_by_who_has_seen_it(desk: Desk) -> None:
    first, second = skill("letters"), skill("letters", body="Second.\n")
    assert desk.put("letters", first).status_code == 201
    before = desk.log()
    assert_problem(desk.put("letters", second), "precondition_required", 428)
    assert_problem(desk.put("letters", second, headers={"if-none-match": "*"}), "conflict", 409)
    assert_problem(desk.put("letters", second, sha(second)), "precondition_failed", 412)
    assert_problem(desk.put("letters", second, sha(first), path="notes.md"), "precondition_failed", 412)
    assert_problem(
        desk.ask("DELETE", name="letters", headers={"if-match": '"x"'}), "precondition_failed", 412
    )
    assert desk.log() == before
    assert (desk.own / "letters" / "SKILL.md").read_text(encoding="utf-8") == first


def test_of_two_who_have_seen_the_same_one_writes(desk: Desk) -> None:
    first = skill("letters")
    desk.put("letters", first)
    texts = [skill("letters", body=f"Version {number}.\n") for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda text: desk.put("letters", text, sha(first)), texts))
    statuses = [answer.status_code for answer in answers]
    # Who came while another one wrote may come again, and learns that the file is another one now.
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 412, 503}
    assert all(answer.headers["retry-after"] == "1" for answer in answers if answer.status_code == 503)
    assert_problem(desk.put("letters", texts[0], sha(first)), "precondition_failed", 412)
    (written,) = [answer.json()["hash"] for answer in answers if answer.status_code == 200]
    assert desk.ask("GET", "/doc", name="letters").json()["hash"] == written
    assert [one["action"] for one in desk.log()].count("member_skill.write") == 2


def test_the_files_beside_it_are_listed_with_what_can_be_edited(desk: Desk) -> None:
    desk.put("letters", skill("letters"))
    assert desk.put("letters", "Be kind.", path="references/tone.md").status_code == 201
    desk.scribble("letters", b"\x89PNG\x00\x01", "logo.png")
    desk.scribble("letters", "x" * 262_145, "long.txt")
    listed = {one["path"]: one for one in desk.ask("GET", "/files", name="letters").json()["items"]}
    assert {path: (one["size"], one["is_text"]) for path, one in listed.items()} == {
        "SKILL.md": (len(skill("letters")), True),
        "logo.png": (6, False),
        "long.txt": (262_145, False),
        "references/tone.md": (8, True),
    }
    assert listed["references/tone.md"]["hash"] == sha("Be kind.")
    assert desk.ask("GET", "/doc", name="letters", path="logo.png").json()["text"] is None
    assert desk.ask("DELETE", name="letters", path="logo.png").is_success
    assert_problem(desk.ask("GET", "/doc", name="letters", path="logo.png"), "not_found", 404)


def test_a_skill_of_broken_frontmatter_is_opened_and_repaired(desk: Desk) -> None:
    for text in (BROKEN.encode(), b"---\nname: letters\n\xff\n---\n", b"no frontmatter\0", b""):
        desk.scribble("letters", text)
        (row,) = desk.rows()
        assert (row["verdict"], row["directory"]) == ("quarantined", "letters")
        assert row["problems"]
        opened = desk.ask("GET", "/doc", name="letters").json()
        assert opened["hash"] == sha(text)
        assert opened["problems"] == row["problems"]
        assert desk.put("letters", skill("letters"), sha(text)).status_code == 200
        assert [row["verdict"] for row in desk.rows()] == ["ok"]


def test_every_listed_row_can_be_opened_in_every_layer(desk: Desk, tmp_path: Path) -> None:
    desk.publish(skill("refund"))
    desk.publish(skill("close-month"), scope="subscription", subscription="team")
    desk.put("letters", skill("letters"))
    desk.scribble("refund", skill("refund", body="Mine.\n"))
    desk.scribble("Minha Skill", skill("minha-skill"))
    desk.scribble("other", skill("letters"))
    desk.scribble("broken", BROKEN)
    desk.scribble("small", skill("small"), "skill.md")
    desk.scribble("huge", "x" * 1_048_577)
    (desk.own / "linked").symlink_to(tmp_path)
    (desk.own / "empty").mkdir()
    os.mkfifo(desk.own / "empty" / "SKILL.md")
    rows = desk.rows("member", "shared", "managed")
    assert {row["origin"] for row in rows} == {"managed", "shared", "member"}
    assert sorted(row["directory"] for row in rows if row["origin"] == "member") == [
        "Minha Skill", "broken", "empty", "huge", "letters", "linked", "other", "refund", "small",
    ]  # fmt: skip
    for row in rows:
        which = {"name": row["directory"], "origin": row["origin"]}
        opened = desk.ask("GET", "/doc", **which)
        assert opened.status_code == 200, row
        assert opened.json()["hash"] == row["hash"]
        assert opened.json()["verdict"] == row["verdict"]
        assert (opened.json()["text"] is None) == (row["hash"] is None)
        files = desk.ask("GET", "/files", **which)
        assert files.status_code == 200, row
        for file in files.json()["items"]:
            if file["is_text"]:
                assert desk.ask("GET", "/doc", path=file["path"], **which).json()["hash"] == file["hash"]


def test_the_administrators_copy_is_the_one_that_is_opened(desk: Desk) -> None:
    desk.put("refund", skill("refund", body="Mine.\n"))
    published = skill("refund", body="Theirs.\n")
    desk.publish(published)
    rows = {row["origin"]: row for row in desk.rows() if row["name"] == "refund"}
    assert (rows["shared"]["shadowed"], rows["member"]["shadowed"]) == (False, True)
    assert rows["member"]["shadowed_by"] == rows["shared"]["hash"]
    assert "Theirs." in desk.ask("GET", "/doc", name="refund").json()["text"]
    assert "Mine." in desk.ask("GET", "/doc", name="refund", origin="member").json()["text"]


def test_an_administrators_copy_wins_over_that_of_the_package(desk: Desk) -> None:
    before = desk.ask("GET", "/doc", name="skill-creator").json()
    desk.publish(skill("skill-creator", body="As we do it.\n"))
    rows = {row["origin"]: row for row in desk.rows("shared", "managed") if row["name"] == "skill-creator"}
    assert rows["managed"]["shadowed_by"] == rows["shared"]["hash"]
    assert desk.ask("GET", "/doc", name="skill-creator").json()["text"].endswith("As we do it.\n")
    assert desk.ask("GET", "/doc", name="skill-creator", origin="managed").json()["text"] == before["text"]
    assert desk.put("skill-creator", skill("skill-creator")).status_code == 422


@pytest.mark.parametrize("name", ["shared-content", "skill-creator", "ganglion-workspace"])
def test_names_of_the_package_are_not_taken(desk: Desk, name: str) -> None:
    assert_problem(desk.put(name, skill(name)), "invalid_input", 422)
    assert_problem(desk.put("mine", skill(name)), "invalid_input", 422)


@pytest.mark.parametrize(
    "name", ["A", "a b", "..", ".", "a..b", "a.", "-a", "a/b", "/etc", ".tarimba-x", "a" * 65, "ç"]
)
def test_a_new_skill_has_a_legal_name(desk: Desk, name: str) -> None:
    assert_problem(desk.put(name, skill("a")), "invalid_input", 422, public=("a", "A", ".", "-a", "a."))
    assert not desk.own.exists() or list(desk.own.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x", "a/../../x", "a\\b", "skill.md", "a//b", "x/.tarimba-y", "a/" * 9 + "b"]
)
def test_a_path_stays_in_its_skill(desk: Desk, path: str) -> None:
    desk.put("letters", skill("letters"))
    assert desk.put("letters", "x", path=path).status_code == 422
    assert [one.name for one in desk.own.rglob("*")] == ["letters", "SKILL.md"]


def test_what_could_not_be_loaded_is_not_written(desk: Desk) -> None:
    refused = desk.put("letters", BROKEN)
    assert_problem(refused, "invalid_input", 422)
    assert refused.json()["problems"]
    assert_problem(desk.put("letters", skill("others")), "invalid_input", 422)
    assert_problem(desk.put("letters", "x", path="notes.md"), "not_found", 404)
    assert desk.put("letters", skill("letters", body="x" * 262_144)).status_code in {413, 422}
    assert desk.rows() == []


def test_a_skill_has_at_most_five_hundred_files(desk: Desk) -> None:
    desk.put("letters", skill("letters"))
    for number in range(499):
        desk.scribble("letters", "x", f"f{number}.md")
    assert_problem(desk.put("letters", "x", path="one-more.md"), "conflict", 409)
    listed = desk.ask("GET", "/files", name="letters").json()
    assert (len(listed["items"]), listed["more"]) == (500, False)
    desk.scribble("letters", "x", "past.md")
    listed = desk.ask("GET", "/files", name="letters").json()
    assert (len(listed["items"]), listed["more"]) == (500, True)
    assert desk.put("letters", "y", sha("x"), path="f1.md").status_code == 200


def test_skills_above_the_limit_are_counted_and_no_further_one_is_taken(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "OWN_MAX", 3)
    for name in ("a", "b"):
        desk.scribble(name, skill(name))
    assert desk.ask("GET").json()["left_out"] == 0
    assert desk.put("c", skill("c")).status_code == 201
    refused = desk.put("d", skill("d"))
    assert_problem(refused, "conflict", 409)
    assert "remove one first" in refused.json()["detail"]
    desk.scribble("d", skill("d"))
    desk.scribble("e", skill("e"))
    listed = desk.ask("GET", limit=1).json()
    assert (len(listed["items"]), listed["left_out"]) == (1, 2)
    assert [row["directory"] for row in desk.rows()] == ["a", "b", "c"]


def test_nothing_is_written_or_read_through_a_link(desk: Desk, tmp_path: Path) -> None:
    desk.put("letters", skill("letters"))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text(skill("linked"), encoding="utf-8")
    (desk.own / "linked").symlink_to(outside)
    (desk.own / "letters" / "notes.md").symlink_to(outside / "SKILL.md")
    seen = sha((outside / "SKILL.md").read_bytes())
    for name, path in (("linked", "SKILL.md"), ("linked", "new.md"), ("letters", "notes.md")):
        assert desk.put(name, skill(name), seen, path=path).status_code in {409, 412}
    assert desk.put("linked", skill("linked")).status_code == 409
    assert desk.ask("GET", "/doc", name="letters", path="notes.md").status_code == 409
    assert desk.ask("GET", "/doc", name="linked").json()["text"] is None
    assert [one.name for one in outside.iterdir()] == ["SKILL.md"]
    assert desk.ask("DELETE", name="linked").is_success
    assert (outside / "SKILL.md").exists()
    # The root itself: the agent owns the directory that it is in.
    desk.own.rename(desk.workspace / "away")
    desk.own.symlink_to(outside)
    assert desk.put("other", skill("other")).status_code == 409
    assert desk.rows() == []
    assert [one.name for one in outside.iterdir()] == ["SKILL.md"]


def test_a_folder_in_a_files_place_keeps_no_handle_open(desk: Desk) -> None:
    desk.scribble("letters", "x", "SKILL.md/inner.md")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        assert desk.index(subscription="team", member="member").is_success
        assert desk.ask("GET", "/doc", name="letters", path="SKILL.md").is_success
        assert_problem(desk.put("letters", skill("letters")), "conflict", 409)
        assert_problem(desk.ask("DELETE", name="letters", headers={"if-match": '"x"'}), "conflict", 409)
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 20


@pytest.mark.parametrize("kind", ["pipe", "second name", "link"])
def test_what_is_no_plain_file_is_replaced_by_a_file(desk: Desk, tmp_path: Path, kind: str) -> None:
    other = desk.scribble("letters", "kept", "other.md") if kind == "second name" else tmp_path / "other.md"
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("kept", encoding="utf-8")
    file = desk.scribble("letters", "x")
    file.unlink()
    {"pipe": lambda: os.mkfifo(file), "second name": lambda: file.hardlink_to(other)}.get(
        kind, lambda: file.symlink_to(other)
    )()
    (row,) = desk.rows()
    rule, word = ("outside", "link") if kind == "link" else ("unreadable", "second name")
    assert row["problems"][0]["rule"] == rule
    assert word in row["problems"][0]["message"]
    text = skill("letters")
    assert_problem(desk.put("letters", text, headers={"if-none-match": "*"}), "conflict", 409)
    assert desk.put("letters", text).status_code == 200
    assert [row["verdict"] for row in desk.rows()] == ["ok"]
    assert (file.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")) == (text, "kept")
    assert [one.name for one in desk.workspace.iterdir() if one.name.startswith(".tarimba-")] == []


def test_a_folder_called_as_the_skills_file_can_be_taken_away(desk: Desk) -> None:
    for which in ({}, {"path": "SKILL.md"}):
        desk.scribble("letters", "x", "SKILL.md/inner.md")
        (row,) = desk.rows()
        assert "folder" in row["problems"][0]["message"]
        refused = desk.put("letters", skill("letters"))
        assert_problem(refused, "conflict", 409)
        assert "delete it by its path" in refused.json()["detail"]
        assert desk.ask("DELETE", name="letters", **which).is_success
    assert desk.put("letters", skill("letters")).status_code == 201
    assert [row["verdict"] for row in desk.rows()] == ["ok"]
    desk.scribble("letters", "x", "notes.md/deep/inner.md")
    assert_problem(desk.put("letters", "x", path="notes.md"), "conflict", 409)
    assert desk.ask("DELETE", name="letters", path="notes.md").is_success
    assert desk.put("letters", "x", path="notes.md").status_code == 201


def test_folders_are_made_on_the_first_write_and_for_nobody_else(desk: Desk) -> None:
    assert desk.rows() == []
    assert not desk.home.exists()
    desk.put("letters", skill("letters"))
    for path in (desk.home, desk.workspace, desk.own, desk.own / "letters"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE((desk.own / "letters" / "SKILL.md").stat().st_mode) == 0o600


def test_each_harness_has_its_own_place_for_them(desk: Desk) -> None:
    for harness in ("ganglion", "picoclaw", "nanobot", "claude-code", "codex", "openclaw"):
        desk.run_by(harness)
        assert desk.put(f"of-{harness}", skill(f"of-{harness}")).status_code == 201
        assert (desk.own / f"of-{harness}" / "SKILL.md").exists()
    assert (desk.workspace / "plugins" / "own" / "plugin.json").exists()


def test_only_a_member_of_the_subscription_has_them(desk: Desk) -> None:
    desk.call("owner", "POST", "/v1/admin/subscriptions", json={"slug": "others", "members": ["owner"]})
    for who in ("owner", "reviewer", "manager"):
        assert_problem(desk.ask("GET", who=who), "scope_missing", 403)
    for who in ("billing", "admin"):
        assert_problem(desk.ask("GET", who=who), "person_required", 403)
    for wrong in ({"subscription": "others"}, {"subscription": "none"}, {"agent": "none"}):
        assert_problem(desk.ask("GET", **wrong), "not_found", 404, public=("subscription", "agent"))
    answer = desk.ask("PUT", name="x", subscription="others", json={"text": skill("x")})
    assert answer.status_code == 404


def test_receipts_tell_what_changed_and_no_name(desk: Desk) -> None:
    first, second = skill("dear-quokka"), skill("dear-quokka", body="Second.\n")
    desk.put("dear-quokka", first)
    desk.put("dear-quokka", second, sha(first))
    desk.ask("DELETE", name="dear-quokka", headers={"if-match": f'"{sha(second)}"'})
    left = [one for one in desk.log() if one["action"] == "member_skill.write"]
    assert [(one["detail"]["change"], one["detail"]["before"], one["detail"]["after"]) for one in left] == [
        ("create", None, sha(first)),
        ("edit", sha(first), sha(second)),
        ("delete", sha(second), None),
    ]
    assert {one["subscription_id"] for one in left} == {desk.team}
    assert {one["person_id"] for one in left} == {desk.member}
    assert {one["agent"] for one in left} == {desk.company.sources["billing"]}
    assert "quokka" not in str(desk.log())


def test_the_list_comes_in_pages(desk: Desk) -> None:
    names = [f"s{number}" for number in range(7)]
    for name in names:
        desk.scribble(name, skill(name))
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = desk.ask("GET", limit=3, **cursor).json()
        found += [row["name"] for row in page["items"] if row["origin"] == "member"]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert found == names
    assert desk.ask("GET", cursor="x" * 32).status_code == 422
