"""Folders that change places with links while the server reads and writes there: nothing goes out, nothing comes in."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import httpx
import pytest

from tests.contract.api.served import Api, serving
from tests.contract.memory_files.room import Room
from tests.contract.memory_files.swaps import swapping
from tests.e2e.company import Place

pytestmark = pytest.mark.promise("confined-writes")

SECRET = "what lies outside"
NAMES = ("MEMORY_CUSTOM.md", "MEMORY.md", "report.txt")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with serving(Place(tmp_path_factory.mktemp("data"), None)) as running:
        yield running


@pytest.fixture
def outside(room: Room, tmp_path: Path) -> Path:
    """A folder with files of the same names, which links in the workspace lead to."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(SECRET)
    room.agent_writes("memory/MEMORY.md", "inside")
    room.agent_writes("public/report.txt", "inside")
    room.note("inside")
    for name in ("other-memory", "other-public"):
        (room.workspace / name).symlink_to(folder)
    return folder


@pytest.mark.parametrize("times", [60, pytest.param(2_500, marks=pytest.mark.nightly)])
def test_no_request_gets_out_of_the_workspace(room: Room, outside: Path, times: int) -> None:
    """Four requests a round, 10,000 in all nightly. The handle alone goes through more of it (tests/unit)."""
    requests: Mapping[str, Callable[[], httpx.Response]] = {
        "write": lambda: room.note("inside", headers={"if-match": "*"}),
        "read": room.memory,
        "notebook": lambda: room.memory(file="MEMORY.md"),
        "file": lambda: room.files("report.txt"),
    }
    seen: Counter[tuple[str, int]] = Counter()
    before = {path.name: path.stat().st_mtime_ns for path in outside.iterdir()}
    with swapping(room.workspace, ("memory", "other-memory"), ("public", "other-public")):
        for number in count(1):
            for name, ask in requests.items():
                answer = ask()
                assert SECRET not in answer.text
                seen[name, answer.status_code] += 1
            if number >= times and len(seen) == 2 * len(requests):
                break
    assert {status for _, status in seen} == {200, 409}
    assert {path.name: path.stat().st_mtime_ns for path in outside.iterdir()} == before
    assert {path.read_text() for path in outside.iterdir()} == {SECRET}


def test_the_same_race_takes_a_read_out_that_only_does_not_follow_the_last_name(
    room: Room, outside: Path
) -> None:
    found = ""
    with swapping(room.workspace, ("memory", "other-memory")):
        while found != SECRET:
            handle = os.open(room.folder / "MEMORY.md", os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(handle) as file:
                found = file.read()
    assert outside.is_dir()
