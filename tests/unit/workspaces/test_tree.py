"""Making a workspace while its agent works against it: nothing is written outside, nothing of the agent's is lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tarimba.confined import Confined, exchange
from tarimba.harnesses.service import profile
from tarimba.settings import Settings
from tarimba.workspaces import tree
from tarimba.workspaces.provisioning import address

FILES = ("AGENT.md", "memory/CONTEXT_RECOVERY.md", "memory/FILE_DELIVERY.md")


def grow(home: Path) -> list[str]:
    with Confined.at(home) as handle:
        return tree.grow(handle, home / "workspace", profile("generic"), FILES)


@pytest.mark.promise("workspace-provisioned")
def test_an_agent_that_exchanges_folders_for_links_gets_nothing_written_outside(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    assert grow(home) == []
    workspace = home / "workspace"
    (workspace / "link").symlink_to(outside)
    told = threading.Event()

    def swap() -> None:
        handle = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
        while not told.is_set():
            exchange(handle, "memory", handle, "link")
        os.close(handle)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(100):
            for name in ("memory/CONTEXT_RECOVERY.md", "memory/FILE_DELIVERY.md"):
                for folder in ("memory", "link"):
                    (workspace / folder / name.partition("/")[2]).unlink(missing_ok=True)
            grow(home)
    finally:
        told.set()
        swapping.join()
    assert list(outside.iterdir()) == []
    assert {path.name for path in workspace.iterdir() if path.is_symlink()} <= {"memory", "link"}


@pytest.mark.promise("workspace-provisioned")
@pytest.mark.parametrize("kind", ["file", "pipe", "link", "loop"])
def test_what_stands_in_the_place_of_a_folder_or_a_file_is_left_there(tmp_path: Path, kind: str) -> None:
    grow(tmp_path)
    workspace = tmp_path / "workspace"
    (workspace / "public").rmdir()
    (workspace / "AGENT.md").unlink()
    for name in ("public", "AGENT.md"):
        path = workspace / name
        if kind == "file" and name == "public":
            path.write_text("mine")
        elif kind == "file":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("AGENT.md" if kind == "loop" else "/etc")
    before = {name: (workspace / name).lstat() for name in ("public", "AGENT.md")}
    assert grow(tmp_path) == ["AGENT.md", "public"]
    assert {name: (workspace / name).lstat() for name in before} == before


@pytest.mark.promise("memory-server-written")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "http://127.0.0.1:8750"),
        ({"host": "0.0.0.0", "port": 80}, "http://127.0.0.1:80"),
        ({"host": "::"}, "http://127.0.0.1:8750"),
        ({"host": "fd00::1"}, "http://[fd00::1]:8750"),
        ({"public_url": "https://memory.example.com/"}, "https://memory.example.com"),
    ],
)
def test_agents_are_told_an_address_at_which_the_server_is(options: dict[str, object], expected: str) -> None:
    assert address(Settings.model_validate(options)) == expected
