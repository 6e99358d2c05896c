"""The SDK's own memory tool and ours, given the same commands, say the same and leave the same files."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tarimba.workspaces.memory_tool import MemoryTool, MemoryToolError
from tests.recipes.environment import ROOT, interpreter
from tests.recipes.memory_tool.sequences import agree, commands

pytestmark = [pytest.mark.nightly, pytest.mark.promise("memory-tool")]

HERE = Path(__file__).parent


@contextmanager
def sdk(folder: Path, program: str = "sdk.py", *more: str) -> Iterator[Any]:
    """A function that gives a program of the SDK a command and returns what came of it."""
    command = [str(interpreter(HERE)), str(HERE / program), str(folder), *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(given: dict[str, Any]) -> dict[str, str]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(given) + "\n")
            process.stdin.flush()
            found: dict[str, str] = json.loads(process.stdout.readline())
            return found

        yield ask
        process.stdin.close()


def ours(tool: MemoryTool, given: dict[str, Any]) -> dict[str, str]:
    try:
        return {"answer": tool.call(given)}
    except MemoryToolError as refused:
        return {"refused": str(refused)}


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("seed", range(20))
def test_random_commands_get_the_same_answers(tmp_path: Path, seed: int) -> None:
    (tmp_path / "workspace").mkdir()
    tool = MemoryTool(tmp_path / "workspace")
    with sdk(tmp_path / "theirs") as ask:
        for given in commands(Random(seed), 1_000):
            theirs, mine = ask(given), ours(tool, given)
            assert agree(theirs, mine), (given, theirs, mine)
    assert contents(tmp_path / "workspace/memory") == contents(tmp_path / "theirs/memories")


@pytest.mark.parametrize("way", ["call", "methods", "asyncio"])
@pytest.mark.parametrize("seed", range(3))
def test_in_the_hands_of_the_sdk_it_answers_the_same(tmp_path: Path, seed: int, way: str) -> None:
    (tmp_path / "workspace").mkdir()
    programs = sdk(tmp_path / "theirs"), sdk(tmp_path / "workspace", "ours.py", way)
    with programs[0] as ask, programs[1] as ask_ours:
        for given in commands(Random(seed), 500):
            theirs, mine = ask(given), ask_ours(given)
            assert agree(theirs, mine), (given, theirs, mine)
    assert contents(tmp_path / "workspace/memory") == contents(tmp_path / "theirs/memories")
