"""A member's data as a whole: taken along by the member alone, erased by the member or an owner."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx
import pytest
from sqlalchemy import insert, select

from tarimba import cli
from tarimba.clock import HOUR
from tarimba.erasure import member_erasing
from tarimba.erasure import service as erasure
from tarimba.errors import Refusal
from tarimba.graph import service as graph
from tarimba.graph.model import By, NewEntity, NewObservation, Scope
from tarimba.jobs.service import Worker
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx, files
from tarimba.storage.tables import memory_version, workspace
from tarimba.workspaces import service as workspaces
from tests.contract.api.served import Api, serving
from tests.contract.member_skills.desk import Desk, skill
from tests.contract.workspaces.laid import lay, seat, where
from tests.e2e.company import MASTER_KEY, Place
from tests.e2e.conftest import place

__all__ = ["place"]

WORD = "grimbleshank"
TABLES = (
    "workspace",
    "workspace_project",
    "memory_version",
    "graph",
    "graph_entity",
    "graph_observation",
    "graph_change",
)


@pytest.fixture(scope="module")
def api(place: Place) -> Iterator[Api]:
    with serving(place) as running:
        yield running


@pytest.fixture
def desk(api: Api) -> Desk:
    return Desk(api, api.found())


def fill(desk: Desk, word: str = WORD) -> Path:
    """A workspace with one of everything that a member keeps."""
    folder = lay(desk, project="move")
    desk.scribble("letters", skill("letters", body=word))
    (folder / "public").mkdir()
    (folder / "public" / "report.txt").write_text(word)
    (folder / "public" / "link.txt").symlink_to("/etc/hostname")
    (folder / "sessions/durable").mkdir(parents=True)
    (folder / "sessions/durable/one.jsonl").write_text(json.dumps({"content": word}) + "\n")
    (folder.with_name("workspace-move") / "plan.md").write_text(word)
    (folder.with_name("config.json")).write_text('{"token": "not theirs"}')
    params = {"subscription": "team", "agent": "billing", "name": "MAIL_KEY"}
    assert desk.call(
        "member", "PUT", "/v1/secrets", params=params, json={"value": f"value-{word}"}
    ).is_success
    one = seat(desk)
    scope = Scope(one.space_id, one.subscription_id, one.source_id, one.person_id)
    entity = NewEntity(f"{word} system", "system", (NewObservation(f"runs {word}"),))
    graph.create_entities(desk.api.kernel, scope, By(Actor("system", "test"), "worker"), [entity])
    desk.api.kernel.writer.commit(one.space_id, lambda tx: _version(tx, desk, word))
    return folder


def _version(tx: Tx, desk: Desk, word: str) -> None:
    found = select(workspace.c.workspace_id).where(workspace.c.space_id == tx.space_id)
    mine = {
        "space_id": tx.space_id,
        "workspace_id": tx.scalar(found.where(workspace.c.person_id == desk.member)),
    }
    row = {"project": "", "version": 1, "content": word, "hash": "0", "size": len(word), "origin": "server"}
    tx.write(insert(memory_version).values(**mine, **row, created_at=tx.now))
    record(tx, Receipt("member_memory.write", Actor("system", "test"), "worker"))


def export(desk: Desk, who: str = "member") -> httpx.Response:
    return desk.call(who, "GET", f"/v1/members/{desk.member}/data")


def erase(desk: Desk, who: str = "member", **options: Any) -> httpx.Response:
    return desk.call(who, "DELETE", f"/v1/members/{desk.member}/data", **options)


def opened(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def held(desk: Desk) -> list[str]:
    """The tables and folders that still hold something of the space."""
    found = [table for table in (*TABLES, "secret") if desk.api.place.count(table, desk.company)]
    space = desk.api.kernel.settings.data / "spaces" / desk.company.space_id
    return found + [str(path) for path in space.rglob("*") if path.is_file() or desk.member in path.name]


def last_scrub(desk: Desk) -> dict[str, Any]:
    detail: dict[str, Any] = [one for one in desk.log() if one["action"] == "erase.scrubbed"][-1]["detail"]
    return detail


@pytest.mark.promise("member-takes-along")
def test_the_archive_holds_everything_but_values_of_secrets(desk: Desk) -> None:
    fill(desk)
    answer = export(desk)
    assert answer.headers["content-type"] == "application/zip"
    assert "attachment" in answer.headers["content-disposition"]
    found = opened(answer.content)
    seat_of = "team/billing"
    assert found[f"{seat_of}/workspace/public/report.txt"] == WORD
    assert found[f"{seat_of}/workspace-move/plan.md"] == WORD
    assert WORD in found[f"{seat_of}/workspace/skills/letters/SKILL.md"]
    assert WORD in found[f"{seat_of}/workspace/sessions/durable/one.jsonl"]
    (entity, *_) = map(json.loads, found[f"{seat_of}/graph.jsonl"].splitlines())
    assert (entity["kind"], entity["name"]) == ("entity", f"{WORD} system")
    assert json.loads(found[f"{seat_of}/memory-versions.jsonl"])["content"] == WORD
    assert json.loads(found[f"{seat_of}/projects.jsonl"])["project"] == "move"
    assert json.loads(found["secrets.jsonl"])["name"] == "MAIL_KEY"
    left = json.loads(found["left-out.jsonl"])
    assert left == {"path": f"{seat_of}/workspace/public/link.txt", "why": "irregular"}
    assert json.loads(found["about.json"])["person_id"] == desk.member
    assert not [name for name, text in found.items() if "value-" in text or "not theirs" in text]
    (receipt,) = [one for one in desk.log() if one["action"] == "export"]
    assert (receipt["person_id"], receipt["actor"]["id"]) == (desk.member, desk.member)


@pytest.mark.promise("member-takes-along")
def test_nobody_else_takes_it_along_and_only_an_owner_may_erase_it(desk: Desk) -> None:
    fill(desk)
    for who in ("owner", "operator", "manager", "auditor", "billing", "admin"):
        refused = 403 if who in {"billing", "admin"} else 404
        assert export(desk, who).status_code == refused
        if who != "owner":
            assert erase(desk, who).status_code == refused
    assert desk.call("owner", "DELETE", "/v1/members/member/data").status_code == 404
    assert (desk.workspace / "public/report.txt").exists()
    assert erase(desk, "owner").is_success
    assert held(desk) == []


def test_a_member_without_anything_takes_along_an_empty_archive(desk: Desk) -> None:
    assert sorted(opened(export(desk).content)) == [
        "about.json",
        "left-out.jsonl",
        "renamed.jsonl",
        "secrets.jsonl",
    ]
    assert erase(desk).is_success


def test_names_and_files_of_any_kind_are_taken_along(desk: Desk) -> None:
    folder = lay(desk)
    (folder / "a").mkdir()
    os.mkfifo(folder / "a" / "pipe")
    for name in (b"n\xe3o.txt", b"n\xe4o.txt", b"two\nlines", b"back\\slash", b"C:100%.txt"):
        (Path(os.fsdecode(os.fsencode(folder) + b"/a/" + name))).write_bytes(b"x" * 200_000)
    os.utime(folder / "a" / "two\nlines", (0, -1))
    deep = folder
    for _ in range(40):
        deep = deep / "d"
        deep.mkdir()
    found = opened(export(desk).content)
    assert sum(len(text) == 200_000 for text in found.values()) == 5
    assert [json.loads(line)["why"] for line in found["left-out.jsonl"].splitlines()] == [
        "irregular",
        "deep",
    ]
    inner = "team/billing/workspace/a/"
    names = {name.removeprefix(inner) for name in found if name.startswith(inner)}
    assert names == {"n%E3o.txt", "n%E4o.txt", "two%0Alines", "back%5Cslash", "C%3A100%25.txt"}
    held = {os.fsencode(path.name) for path in (folder / "a").iterdir()} - {b"pipe"}
    assert {unquote_to_bytes(name) for name in names} == held
    renamed = {one["path"]: one["was"] for one in map(json.loads, found["renamed.jsonl"].splitlines())}
    assert {path.removeprefix(inner) for path in renamed} == names
    assert renamed[f"{inner}back%5Cslash"] == f"{inner}back\\slash"


@pytest.mark.promise("member-erased")
def test_everything_of_the_member_goes_and_nothing_of_anybody_else(desk: Desk) -> None:
    fill(desk)
    people = {
        one["slug"]: one["person_id"] for one in desk.call("owner", "GET", "/v1/admin/people").json()["items"]
    }
    other = lay(desk, member=people["reviewer"])
    (other / "notes.txt").write_text("Theirs.")
    before = len(desk.log())
    answer = erase(desk)
    assert answer.json()["complete"] is (desk.api.place.db is None)
    assert (other / "notes.txt").read_text() == "Theirs."
    assert desk.api.place.count("workspace", desk.company) == 1
    for table in (*TABLES[1:], "secret"):
        assert desk.api.place.count(table, desk.company) == 0, table
    assert not desk.home.exists()
    left = desk.log()[before:]
    assert left[0]["action"] == "erase.requested"
    assert left[0]["actor"]["id"] == desk.member
    assert {one["action"] for one in left[1:]} == {"erase.scrubbed"}
    assert WORD not in json.dumps(desk.log())
    assert desk.call(
        "member", "GET", "/v1/secrets", params={"subscription": "team", "agent": "billing"}
    ).is_success
    if desk.api.place.db is None:
        assert last_scrub(desk)["complete"] is True


@pytest.mark.promise("member-erased")
def test_no_byte_of_it_stays_in_the_database_of_one_file(desk: Desk) -> None:
    if desk.api.place.db is not None:
        # On PostgreSQL the cluster's files are looked through by tests with a cluster of their own.
        return
    fill(desk, "feldspathoid")
    data = desk.api.kernel.settings.data

    def found() -> list[str]:
        return [one.name for one in data.rglob("*") if one.is_file() and b"feldspathoid" in one.read_bytes()]

    assert {"tarimba.db-wal", "report.txt"} <= set(found())
    assert erase(desk).json()["complete"] is True
    assert found() == []


@pytest.mark.promise("member-erased")
@pytest.mark.parametrize("stage", ["rows", "disk", "files"])
def test_an_erasure_that_was_interrupted_is_finished_by_its_job(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    fill(desk)

    def stop(*_: Any) -> Any:
        raise OSError

    monkeypatch.setattr(files, "clean", lambda *_: None)
    with monkeypatch.context() as patched:
        target = {"rows": "_scrub_some", "disk": "_empty_disk", "files": "_end"}[stage]
        patched.setattr(member_erasing, target, stop)
        assert erase(desk).json()["complete"] is False
    assert (desk.api.place.count("graph", desk.company) == 1) is (stage == "rows")
    assert desk.home.exists() is (stage != "files")
    kernel = desk.api.kernel
    kernel.clock.offset_us += HOUR
    worker = Worker(kernel, {erasure.ERASE_MEMBER: erasure.scrub_member})
    while worker.piece():
        continue
    assert held(desk) == []
    assert last_scrub(desk)["complete"] is True


def test_what_is_in_the_way_on_the_disk_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(desk)

    def refuse(*_: Any) -> bool:
        raise Refusal("conflict", "In the way.")

    monkeypatch.setattr(workspaces, "take_out", refuse)
    assert erase(desk).json()["complete"] is False
    listed = desk.call("owner", "GET", "/v1/admin/jobs").json()["items"]
    (one,) = [row for row in listed if row["kind"] == erasure.ERASE_MEMBER]
    assert (one["problem"], one["progress"]["graphs"]) == ("disk_in_use", 1)


def test_asking_again_with_the_same_key_erases_once(desk: Desk) -> None:
    fill(desk)
    key = {"idempotency-key": "once"}
    first, second = erase(desk, headers=key), erase(desk, headers=key)
    assert first.json()["receipt_id"] == second.json()["receipt_id"]
    assert len([one for one in desk.log() if one["action"] == "erase.requested"]) == 1


def test_the_host_takes_along_and_erases_by_command(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)
    fill(desk)
    into = tmp_path / "data.zip"
    assert cli.run(["member", "export", "member", str(into), *where(desk)]) == 0
    assert into.stat().st_mode & 0o777 == 0o600
    assert "team/billing/graph.jsonl" in opened(into.read_bytes())
    assert cli.run(["member", "export", "member", str(into), *where(desk)]) == 1
    assert cli.run(["member", "export", "nobody", str(tmp_path / "x"), *where(desk)]) == 1
    capsys.readouterr()
    assert cli.run(["member", "erase", "member", "--yes", "--json", *where(desk)]) == 0
    assert json.loads(capsys.readouterr().out)["person_id"] == desk.member
    assert not desk.home.exists()
    assert [one["via"] for one in desk.log() if one["action"] == "erase.requested"] == ["cli"]
