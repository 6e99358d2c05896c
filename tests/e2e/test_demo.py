"""`tarimba demo`: the whole story is true, it leaves nothing behind, and it notices when something is not true."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tarimba.cli import demo_stage, run

DEMO = [sys.executable, "-m", "tarimba.cli", "demo"]
TOLD = (
    "the block is empty, etag am-off",
    "422 personal_data_in_agent_memory: email, phone",
    "Asked again with that etag: 304",
    "by its id: 404",
    "version 2 (active)",
    "'boletos vencidos' finds 'Segunda via de boleto vencido'",
    "Nothing wrong was found.",
)


@pytest.mark.promise("demo-true")
def test_the_demo_tells_its_story_and_leaves_nothing(tmp_path: Path) -> None:
    environment = _environment(tmp_path, TARIMBA_DB=f"sqlite:///{tmp_path}/mine.db")
    told = subprocess.run(DEMO, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert [line for line in TOLD if line not in told.stdout] == []
    bad = re.search(r"one byte of the receipt at seq (\d+)", told.stdout)
    assert bad is not None
    assert f"The first bad seq is {bad[1]}." in told.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("demo-true")
def test_the_demo_ends_with_1_when_a_change_goes_unnoticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_stage, "flip_byte", lambda _database, _seq: None)
    assert run(["demo"]) == 1


def test_a_served_demo_goes_on_until_it_is_ended(tmp_path: Path) -> None:
    with _served(tmp_path / "kept") as (process, lines):
        shown = {line.split()[0]: line.split()[1] for line in lines if line.startswith("   ")}
        request = Request(f"{shown['address'].removesuffix('/console')}/v1/agent-memory/block")
        request.add_header("Authorization", f"Bearer {shown['key']}")
        with urlopen(request) as response:
            assert json.load(response)["text"].startswith("<agent_notes>\n")
        for who in ("owner", "reviewer", "member"):
            with urlopen(shown[who]) as response:
                assert '<input id="f-password"' in response.read().decode()
        process.terminate()
        assert process.wait(60) == 0
    with pytest.raises(OSError, match="refused"):
        urlopen(request)
    # Three weeks in a few seconds: its log is as sound as one that took three weeks.
    verify = [
        sys.executable,
        "-m",
        "tarimba.cli",
        "receipts",
        "verify",
        "--data",
        str(tmp_path / "kept" / "data"),
    ]
    told = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert "Nothing wrong was found." in told.stdout


def test_a_folder_with_something_in_it_is_not_played_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").touch()
    assert run(["demo", "--keep", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "The folder to keep is not empty.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@contextmanager
def _served(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """The demo behind a running server, and the lines that it ends with."""
    command = [*DEMO, "--serve", "--keep", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=_environment(folder.parent)
    ) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            for line in process.stdout:
                lines += [line] if line.strip() else []
                if "limit=3" in line:
                    break
            yield process, lines
        finally:
            process.kill()


def _environment(temporary: Path, **more: str) -> dict[str, str]:
    return dict(os.environ) | {"TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"} | more
