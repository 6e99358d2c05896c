"""A member's standing notes: nobody's text is lost, whoever wrote it, and only what was seen is replaced."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from structlog.testing import capture_logs

from tarimba.workspaces import memory_versions
from tests.contract.memory_files.room import MEMORY, Room, sha
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("memory-files")


def test_no_file_is_an_empty_document_and_reading_makes_none(room: Room) -> None:
    empty = {
        "file": "MEMORY_CUSTOM.md",
        "text": "",
        "is_text": True,
        "etag": sha(""),
        "size": 0,
        "version": None,
        "changed_on_disk": None,
    }
    assert room.memory().json() == empty
    assert room.memory().headers["etag"] == f'"{sha("")}"'
    assert room.versions() == []
    assert not room.home.exists()
    room.workspace.mkdir(parents=True)
    assert room.memory().json() == empty
    assert list(room.workspace.iterdir()) == []


def test_notes_are_written_read_and_changed_by_who_has_seen_them(room: Room) -> None:
    made = room.note("Write short letters.\n")
    assert (made.status_code, made.json()) == (
        200,
        {"etag": sha("Write short letters.\n"), "size": 21, "version": 1},
    )
    read = room.memory()
    assert (read.json()["text"], read.json()["version"]) == ("Write short letters.\n", 1)
    assert room.custom.read_text() == "Write short letters.\n"
    assert stat.S_IMODE(room.custom.stat().st_mode) == 0o600
    assert room.memory(headers={"if-none-match": read.headers["etag"]}).status_code == 304
    assert room.note("Write long ones.\n", "Write short letters.\n").json()["version"] == 2
    assert [path.name for path in room.folder.iterdir()] == ["MEMORY_CUSTOM.md"]
    assert [(one["version"], one["origin"]) for one in room.versions()] == [(2, "server"), (1, "server")]
    first = room.memory("/versions/1").json()
    assert (first["text"], first["etag"]) == ("Write short letters.\n", sha("Write short letters.\n"))
    # An earlier version comes back by being written.
    assert room.note(first["text"], "Write long ones.\n").json()["version"] == 3
    assert room.custom.read_text() == first["text"]


def test_a_stale_write_changes_nothing_and_shows_the_text_that_stands_there(room: Room) -> None:
    room.note("First.\n")
    before = room.log()
    assert_problem(room.note("Mine.\n"), "precondition_required", 428)
    stale = assert_problem(room.note("Mine.\n", "Another.\n"), "precondition_failed", 412)
    assert stale["current"] == {"etag": sha("First.\n"), "text": "First.\n", "is_text": True}
    assert_problem(room.note("Mine.\n", ""), "precondition_failed", 412)
    new = room.note("Mine.\n", headers={"if-none-match": "*"})
    assert assert_problem(new, "precondition_failed", 412)["current"]["text"] == "First.\n"
    assert room.log() == before
    assert room.custom.read_text() == "First.\n"
    assert room.note("Mine.\n", headers={"if-match": "*"}).status_code == 200


def test_an_empty_file_is_as_good_as_none(room: Room) -> None:
    assert_problem(room.note("Mine.\n", "Another.\n"), "precondition_failed", 412)
    assert room.note("Mine.\n", "").status_code == 200
    assert room.note("", "Mine.\n").status_code == 200
    assert room.custom.read_bytes() == b""
    assert room.note("Again.\n").status_code == 200


def test_of_two_who_have_seen_the_same_one_writes(room: Room) -> None:
    room.note("First.\n")
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda number: room.note(f"{number}\n", "First.\n"), range(8)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 412, 503}
    assert all(answer.headers["retry-after"] == "1" for answer in answers if answer.status_code == 503)
    (written,) = [answer.json()["etag"] for answer in answers if answer.status_code == 200]
    assert room.memory().json()["etag"] == written


def test_what_came_past_the_server_is_shown_with_the_difference_and_kept(room: Room) -> None:
    room.note("Write short letters.\nBe kind.\n")
    agents = "Write short letters.\nBe brief.\n"
    room.agent_writes("memory/MEMORY_CUSTOM.md", agents)
    shown = room.memory(headers={"if-none-match": f'"{sha(agents)}"'})
    found = shown.json()["changed_on_disk"]
    assert (found["version"], found["from_version"], found["is_cut"]) == (2, 1, False)
    assert found["diff"].splitlines() == [
        "@@ -1 +1 @@", " Write short letters.", "-Be kind.", "+Be brief.", " ",
    ]  # fmt: skip
    assert [one["origin"] for one in room.versions()] == ["disk", "server"]
    # It is shown until the member has answered by writing, be it the same text.
    assert room.memory().json()["changed_on_disk"] == found
    assert len(room.versions()) == 2
    assert room.note(shown.json()["text"], shown.json()["text"]).json()["version"] == 3
    assert room.memory().json()["changed_on_disk"] is None


def test_what_the_agent_writes_at_that_very_moment_is_not_replaced_unseen(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.note("First.\n")
    real = memory_versions.keep_found

    def meanwhile(*given: Any) -> Any:
        kept = real(*given)
        room.agent_writes("memory/MEMORY_CUSTOM.md", "The agent's.\n")
        return kept

    monkeypatch.setattr(memory_versions, "keep_found", meanwhile)
    stale = assert_problem(room.note("Mine.\n", "First.\n"), "precondition_failed", 412)
    assert stale["current"]["text"] == "The agent's.\n"
    assert room.custom.read_text() == "The agent's.\n"
    assert [path.name for path in room.folder.iterdir()] == ["MEMORY_CUSTOM.md"]


def test_while_the_workspace_is_being_changed_it_is_read_and_writers_come_again(room: Room) -> None:
    room.note("First.\n")
    room.agent_writes("memory/MEMORY_CUSTOM.md", "The agent's.\n")
    home = os.open(room.home, os.O_RDONLY)
    try:
        fcntl.flock(home, fcntl.LOCK_EX)
        busy = room.note("Mine.\n", "The agent's.\n")
        read = room.memory()
    finally:
        os.close(home)
    assert_problem(busy, "unavailable", 503)
    assert (read.json()["text"], read.json()["version"]) == ("The agent's.\n", None)
    assert room.memory().json()["version"] == 2


def test_what_nobody_looked_at_is_kept_before_something_takes_its_place(room: Room) -> None:
    room.agent_writes("memory/MEMORY_CUSTOM.md", "The agent was first.\n")
    assert room.note("Mine.\n", headers={"if-match": "*"}).json()["version"] == 2
    assert room.memory("/versions/1").json()["text"] == "The agent was first.\n"
    room.custom.unlink()
    gone = room.memory().json()
    assert (gone["text"], gone["changed_on_disk"]["from_version"]) == ("", 2)
    assert gone["changed_on_disk"]["diff"].splitlines() == ["@@ -1 +1 @@", "-Mine.", " "]


def test_bytes_that_are_no_text_are_shown_and_none_of_them_is_lost(room: Room) -> None:
    room.agent_writes("memory/MEMORY_CUSTOM.md", b"a\xff\0b\n")
    shown = room.memory().json()
    assert (shown["text"], shown["is_text"], shown["etag"]) == ("a\\xff\\x00b\n", False, sha(b"a\xff\0b\n"))
    assert room.memory("/versions/1").json()["text"] == shown["text"]
    assert room.note("Mine.\n", headers={"if-match": f'"{shown["etag"]}"'}).status_code == 200


def test_twenty_versions_before_the_present_one_are_kept_whatever_the_agent_does(room: Room) -> None:
    seen = ""
    for number in range(23):
        text = f"Version {number}.\n"
        assert room.note(text, seen).status_code == 200
        seen = text
    for number in range(23):
        room.agent_writes("memory/MEMORY_CUSTOM.md", f"The agent's {number}.\n")
        assert room.memory().status_code == 200
    origins = [one["origin"] for one in room.versions()]
    assert origins == ["disk"] * 21 + ["server"] * 21
    assert room.memory("/versions/3").json()["text"] == "Version 2.\n"
    assert_problem(room.memory("/versions/2"), "not_found", 404)


@pytest.mark.parametrize("number", ["0", "-1", "1.0", "x", "9" * 16, "\u0663"])
def test_a_version_that_is_none_is_not_found(room: Room, number: str) -> None:
    room.note("Mine.\n")
    assert_problem(room.memory(f"/versions/{number}"), "not_found", 404)


def test_as_much_as_is_allowed_is_written_and_no_byte_more(room: Room) -> None:
    assert room.note("é" * 131_072).status_code == 200
    too_long = room.note("é" * 131_072 + "x", headers={"if-match": "*"})
    assert_problem(too_long, "too_large", 413)
    room.agent_writes("memory/MEMORY_CUSTOM.md", "x" * 1_048_576)
    assert room.memory().json()["size"] == 1_048_576
    room.agent_writes("memory/MEMORY_CUSTOM.md", "x" * 1_048_577)
    assert_problem(room.memory(), "too_large", 413)
    assert_problem(room.note("Mine.\n", "é"), "too_large", 413)
    assert room.note("Mine.\n", headers={"if-match": "*"}).status_code == 200


def test_the_member_reads_the_agents_notebook_and_writes_it_not(room: Room) -> None:
    room.agent_writes("memory/MEMORY.md", "The invoice system is slow.\n")
    read = room.memory(file="MEMORY.md").json()
    assert (read["text"], read["version"]) == ("The invoice system is slow.\n", None)
    declared = {"MEMORY.md", "PROJECT.md"}
    assert_problem(room.note("Mine.\n", file="MEMORY.md"), "invalid_input", 422, public=declared)
    assert_problem(room.memory(file="../config.json"), "invalid_input", 422, public=declared)
    assert_problem(room.memory(file="PROJECT.md"), "invalid_input", 422, public=declared)


def test_a_project_has_memory_files_of_its_own_and_an_unknown_one_is_not_found(room: Room) -> None:
    room.note("For all.\n")
    assert room.memory(project="roof").json()["text"] == ""
    assert room.note("For the roof.\n", project="roof").json()["version"] == 1
    tree = room.home / "workspace-roof"
    assert (tree / "memory/MEMORY_CUSTOM.md").read_text() == "For the roof.\n"
    room.agent_writes("memory/PROJECT.md", "A roof.\n", tree)
    assert room.memory(file="PROJECT.md", project="roof").json()["text"] == "A roof.\n"
    assert [one["version"] for one in room.versions(project="roof")] == [1]
    assert room.custom.read_text() == "For all.\n"
    assert_problem(room.memory(project="cellar"), "not_found", 404, public={"project"})
    assert_problem(room.note("x", project="cellar"), "not_found", 404, public={"project"})
    assert_problem(room.memory(project="../roof"), "invalid_input", 422, public={"project"})


def test_what_killed_writers_left_long_ago_is_taken_away_by_a_later_write(room: Room) -> None:
    for name, at in ((".tarimba-old", 1), (".tarimba-new", None)):
        left = room.agent_writes(f"memory/{name}", "left")
        if at is not None:
            os.utime(left, (at, at))
    room.note("Mine.\n")
    assert sorted(path.name for path in room.folder.iterdir()) == [".tarimba-new", "MEMORY_CUSTOM.md"]


@pytest.mark.promise("members-memory-private")
def test_nobody_else_reads_or_writes_it(room: Room) -> None:
    room.note("Mine.\n")
    room.agent_writes("public/report.txt", "Mine.\n")
    for who in ("owner", "manager", "operator", "auditor", "admin", "billing"):
        code = "scope_missing" if who not in {"admin", "billing"} else "person_required"
        for answer in (
            room.memory(who=who),
            room.memory("/versions", who=who),
            room.memory("/versions/1", who=who),
            room.note("Theirs.\n", who=who),
            room.files(who=who),
            room.files("report.txt", who=who),
        ):
            assert_problem(answer, code, 403, public={"member"})


@pytest.mark.promise("members-memory-private")
def test_a_member_of_another_subscription_finds_none(room: Room) -> None:
    room.note("Mine.\n")
    assert room.call("owner", "POST", "/v1/admin/subscriptions", json={"slug": "others"}).is_success
    for answer in (
        room.memory(subscription="others"),
        room.note("x", subscription="others"),
        room.files(subscription="others"),
        room.memory(agent="courier"),
        room.files(agent="nobody"),
    ):
        assert_problem(answer, "not_found", 404, public={"subscription"})


@pytest.mark.promise("members-memory-private")
def test_a_receipt_says_who_did_what_and_no_word_of_it(room: Room) -> None:
    room.note("Wallaby\n", project="roof")
    room.agent_writes("memory/MEMORY_CUSTOM.md", "Quokka\n", room.home / "workspace-roof")
    room.memory(project="roof")
    room.note("Wombat\n", "Quokka\n", project="roof")
    told = [one for one in room.log() if one["action"].startswith("member_memory.")]
    assert [one["action"].split(".")[1] for one in told] == ["write", "read", "read", "write"]
    key = room.api.kernel.keys.of(room.company.space_id)
    assert told[-1]["detail"] == {
        "before": key.commit(sha("Quokka\n")),
        "after": key.commit(sha("Wombat\n")),
        "size": 7,
        "version": 3,
        "project": key.commit("roof"),
    }
    assert {one["workspace_id"] for one in told} == {room.workspace_id}
    assert {one["person_id"] for one in told} == {room.member}
    words = str(told)
    assert not any(word in words for word in ("Wallaby", "Quokka", "Wombat", "roof", sha("Quokka\n")))


@pytest.mark.promise("idempotent-writes")
def test_the_same_request_again_writes_once(room: Room) -> None:
    once = {"idempotency-key": "first"}
    first = room.note("Mine.\n", headers=once)
    assert room.note("Later.\n", "Mine.\n").status_code == 200
    again = room.note("Mine.\n", headers=once)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert room.custom.read_text() == "Later.\n"
    assert_problem(room.note("Other.\n", headers=once), "conflict", 409)


@pytest.mark.promise("confined-writes")
def test_what_the_agent_put_in_the_place_of_its_memory_is_never_written_through(room: Room) -> None:
    public = room.workspace / "public"
    public.mkdir(parents=True)
    room.folder.symlink_to("public")
    with capture_logs() as logs:
        answers = (room.memory(), room.note("Mine.\n"), room.note("Mine.\n", headers={"if-match": "*"}))
    for answer in answers:
        assert_problem(answer, "conflict", 409)
    assert [one["event"] for one in logs].count("workspace.escaped") == len(answers)
    assert list(public.iterdir()) == []
    room.folder.unlink()
    room.folder.write_text("no folder")
    for answer in (room.memory(), room.note("Mine.\n")):
        assert_problem(answer, "conflict", 409)
    assert room.folder.read_text() == "no folder"


@pytest.mark.promise("confined-writes")
@pytest.mark.parametrize("kind", ["link", "magic link", "pipe", "second name", "folder"])
def test_what_is_no_plain_file_is_refused_and_replaced_on_demand(room: Room, kind: str) -> None:
    other = room.agent_writes("elsewhere.md", "kept")
    room.folder.mkdir()
    make: Mapping[str, Callable[[], None]] = {
        "link": lambda: room.custom.symlink_to(other),
        "magic link": lambda: room.custom.symlink_to("/proc/self/environ"),
        "pipe": lambda: os.mkfifo(room.custom),
        "second name": lambda: os.link(other, room.custom),
        "folder": room.custom.mkdir,
    }
    make[kind]()
    for answer in (room.memory(), room.note("Mine.\n"), room.note("Mine.\n", "kept")):
        assert_problem(answer, "conflict", 409)
    by_force = room.note("Mine.\n", headers={"if-match": "*"})
    if kind == "folder":
        assert_problem(by_force, "conflict", 409)
    else:
        assert by_force.status_code == 200
        assert room.memory().json()["text"] == "Mine.\n"
    assert other.read_text() == "kept"
    assert [path.name for path in room.folder.iterdir()] == ["MEMORY_CUSTOM.md"]


def test_a_write_that_leaves_no_receipt_leaves_no_text(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.note("First.\n")
    real = type(room.api.kernel.writer).commit

    def failing(writer: object, space_id: str, work: object) -> object:
        if room.custom.read_text() != "First.\n":
            raise OSError("no disk")
        return real(writer, space_id, work)  # type: ignore[arg-type]

    monkeypatch.setattr(type(room.api.kernel.writer), "commit", failing)
    assert room.note("Second.\n", "First.\n").status_code == 503
    assert room.custom.read_text() == "First.\n"
    assert [path.name for path in room.folder.iterdir()] == ["MEMORY_CUSTOM.md"]
    assert room.call("member", "GET", MEMORY, params={"subscription": "team", "agent": "billing"}).is_success
