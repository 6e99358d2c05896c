"""The memory tool says what the SDK's own one says, and lets no path out of the workspace."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tarimba.workspaces import memory_tool
from tarimba.workspaces.memory_tool import MemoryTool, MemoryToolError
from tarimba.workspaces.memory_words import size_of
from tests.recipes.memory_tool.sequences import agree

pytestmark = pytest.mark.promise("memory-tool")

RECORDED = Path(__file__).parents[2] / "data/memory_tool/recorded.jsonl"


@pytest.fixture
def tool(tmp_path: Path) -> MemoryTool:
    (tmp_path / "workspace").mkdir()
    return MemoryTool(tmp_path / "workspace")


def asked(tool: MemoryTool, command: str, path: str = "/memories/a.md", **fields: Any) -> str:
    return tool.call({"command": command, "path": path} | fields)


def refused(tool: MemoryTool, command: str, path: str = "/memories/a.md", **fields: Any) -> str:
    with pytest.raises(MemoryToolError) as found:
        asked(tool, command, path, **fields)
    return str(found.value)


def test_what_the_sdk_was_recorded_to_answer_is_answered(tool: MemoryTool) -> None:
    kinds: set[str] = set()
    for line in RECORDED.read_text(encoding="utf-8").split("\n")[:-1]:
        entry = json.loads(line)
        command = entry.pop("command")
        try:
            ours = {"answer": tool.call(command)}
        except MemoryToolError as error:
            ours = {"refused": str(error)}
        assert agree(entry, ours), (command, entry, ours)
        kinds |= {f"{command['command']} {kind}" for kind in entry}
    assert {
        f"{name} answer" for name in ("view", "create", "str_replace", "insert", "delete", "rename")
    } <= kinds


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0B"),
        (1, "1B"),
        (1023, "1023B"),
        (1024, "1K"),
        (1536, "1.5K"),
        (1_048_576, "1M"),
        (2**40, "1024G"),
    ],
)
def test_sizes_are_written_in_the_largest_unit_that_they_reach(size: int, shown: str) -> None:
    assert size_of(size) == shown


@pytest.mark.promise("confined-writes")
def test_no_link_leads_out_and_no_pipe_is_waited_for(tool: MemoryTool, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text("secret")
    memory = tmp_path / "workspace/memory"
    memory.mkdir()
    (memory / "link").symlink_to(outside)
    (memory / "key").symlink_to(outside / "key")
    os.link(outside / "key", memory / "second")
    os.mkfifo(memory / "pipe")
    assert "link" not in asked(tool, "view", "/memories")
    for path in (
        "/memories/link",
        "/memories/link/key",
        "/memories/key",
        "/memories/pipe",
        "/memories/second",
    ):
        for command, fields in (
            ("view", {}),
            ("create", {"file_text": "x"}),
            ("str_replace", {"old_str": "secret", "new_str": "x"}),
            ("insert", {"insert_line": 0, "insert_text": "x"}),
            ("rename", {"old_path": "/memories/a", "new_path": path}),
        ):
            assert "secret" not in refused(tool, command, path, **fields).replace("`secret`", "")
    assert (
        refused(tool, "view", "/memories/link/key")
        == "Path /memories/link/key would escape /memories directory"
    )
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"key": "secret"}


@pytest.mark.promise("confined-writes")
def test_a_memory_that_is_a_link_itself_is_refused(tool: MemoryTool, tmp_path: Path) -> None:
    (tmp_path / "workspace/memory").symlink_to(tmp_path)
    assert "link" in refused(tool, "create", file_text="x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["workspace"]


def test_input_that_no_model_should_give_is_refused_in_words(tool: MemoryTool) -> None:
    asked(tool, "create", file_text="one\n")
    for given in (
        {},
        {"command": 7},
        {"command": "clear"},
        {"command": "view"},
        {"command": "create", "path": "/memories/b", "file_text": None},
        {"command": "create", "path": "/memories/b", "file_text": "\ud800"},
        {"command": "create", "path": "/memories/b\0", "file_text": "x"},
        {"command": "create", "path": "/memories/" + "x" * 256, "file_text": "x"},
        {"command": "create", "path": "/memories/b", "file_text": "x" * (8 * 1024 * 1024 + 1)},
        {"command": "insert", "path": "/memories/a.md", "insert_line": True, "insert_text": "x"},
        {"command": "insert", "path": "/memories/a.md", "insert_text": "x"},
    ):
        with pytest.raises(MemoryToolError):
            tool.call(given)
    assert asked(tool, "view", view_range="1") == asked(tool, "view")


def test_a_crowded_directory_is_listed_so_far_and_says_so(
    tool: MemoryTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_tool, "LISTED_MAX", 50)
    memory = tmp_path / "workspace/memory"
    memory.mkdir()
    for number in range(51):
        (memory / f"{number}").touch()
    listed = asked(tool, "view", "/memories").split("\n")
    assert (len(listed), listed[-1]) == (53, "There are more: view one of these directories.")
