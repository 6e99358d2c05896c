"""The command that tries adapters knows all of them, and shares them out."""

from __future__ import annotations

import subprocess

from tests.recipes.adapters.test_adapters import FRAMEWORKS
from tests.recipes.environment import ROOT


def _ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "adapters", *arguments], capture_output=True, text=True, check=False
    )


def test_every_framework_is_in_one_shard_with_its_version() -> None:
    lines = [line for at in (1, 2, 3) for line in _ran("--list", "--shard", f"{at}/3").stdout.splitlines()]
    listed = {framework: versions for framework, *versions in map(str.split, lines)}
    assert sorted(listed) == sorted(framework for framework, *_ in map(str.split, lines)) == list(FRAMEWORKS)
    assert all(len(versions) >= 2 for versions in listed.values())


def test_what_is_no_framework_is_refused_with_those_that_are() -> None:
    done = _ran("--list", "langgraph", "nothing")
    assert done.returncode == 2
    assert "langgraph, litellm" in done.stderr
    assert "nothing" not in done.stderr
