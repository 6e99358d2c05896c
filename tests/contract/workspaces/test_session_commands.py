"""Durable sessions by the command line of a host, and for how long they are kept."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tarimba import cli
from tarimba.workspaces.session_keeping import Keeping
from tarimba.workspaces.session_lines import session_key
from tests.contract.member_skills.desk import Desk
from tests.contract.workspaces.laid import lay, where
from tests.e2e.company import MASTER_KEY

SEAT = ["--subscription", "team", "--agent", "billing", "--member", "member", "--session", "web:1"]
HELLO = '{"role":"user","content":"Hello"}\n'


class Host:
    """The command line in this process."""

    def __init__(
        self, desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.desk, self._capsys, self._patch = desk, capsys, monkeypatch
        monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)

    def run(self, *arguments: str, given: str = "") -> tuple[int, str]:
        self._patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        self._capsys.readouterr()
        code = cli.run(["session", *arguments, *SEAT, *where(self.desk)])
        told = self._capsys.readouterr()
        return code, told.out + told.err

    def show(self, *arguments: str) -> dict[str, Any]:
        code, told = self.run("show", *arguments)
        assert code == 0, told
        shown: dict[str, Any] = json.loads(told)
        return shown


@pytest.fixture
def host(desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(desk, capsys, monkeypatch)


def test_an_adapter_appends_folds_and_reads(host: Host, tmp_path: Path) -> None:
    assert host.run("append", given=HELLO)[0] == 1
    folder = lay(host.desk, project="move")
    code, told = host.run("append", given=HELLO + "\n" + HELLO)
    assert (code, [json.loads(line)["lines"] for line in told.splitlines()]) == (0, [1, 1])
    assert (folder / "sessions/durable" / f"{session_key(host.desk.member, 'web:1')}.jsonl").exists()
    live = tmp_path / "live.jsonl"
    live.write_text('{"role":"assistant","content":"Hi"}\nno json\n{"role":"user","content":"By')
    for count in (1, 0):
        code, told = host.run("fold", "--file", str(live), "--json")
        assert json.loads(told) | {"size": 0} == {"lines": count, "size": 0, "refused": [2]}
    page = host.show("--limit", "2")
    assert [one["content"] for one in page["messages"]] == ["Hello", "Hello"]
    rest = host.show("--after", str(page["next"]))
    assert ([one["content"] for one in rest["messages"]], rest["next"]) == (["Hi"], None)
    assert [one["action"] for one in host.desk.log()[-2:]] == ["member_file.read"] * 2
    assert "Hello" not in json.dumps(host.desk.log())


def test_a_project_has_sessions_of_its_own(host: Host) -> None:
    folder = lay(host.desk, project="move")
    assert host.run("append", "--project", "move", given=HELLO)[0] == 0
    assert host.run("append", "--project", "other", given=HELLO)[0] == 1
    assert not (folder / "sessions").exists()
    assert list(folder.with_name("workspace-move").rglob("*.jsonl"))


def test_a_line_that_is_no_message_ends_the_command_and_is_not_repeated(host: Host) -> None:
    lay(host.desk)
    code, told = host.run("append", given=HELLO + '{"secret words": 1}\n')
    assert code == 2
    assert "secret words" not in told
    assert len(host.show()["messages"]) == 1


@pytest.mark.promise("sessions-retention")
def test_sessions_end_when_the_space_keeps_them_no_longer(host: Host) -> None:
    desk, folder = host.desk, lay(host.desk)
    long = json.dumps({"role": "user", "content": "x" * (8 * 1024 * 1024)})
    assert host.run("append", given=f"{HELLO}{long}\n")[0] == 0
    (old,) = (folder / "sessions/durable").glob("*.jsonl")
    young = old.with_name("young.jsonl")
    for path in (young, old.with_name("notes.txt")):
        path.write_text("")
    for path in (old, old.with_name("notes.txt")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    Keeping(desk.api.kernel).piece()
    assert old.exists()
    setting = {"workspaces": {"sessions_days": 30}}
    answer = desk.call("owner", "PATCH", "/v1/admin/settings", json=setting)
    assert answer.json()["workspaces"] == {"sessions_days": 30}
    keeping = Keeping(desk.api.kernel)
    while keeping.piece():
        pass
    assert sorted(path.name for path in old.parent.iterdir()) == ["notes.txt", "young.jsonl"]
