"""Runs that live in one workspace have the same places mounted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tarimba.errors import Refusal
from tarimba.workspaces import living

MAIN = {"workspace": ["AGENT.md", "memory"]}
OTHER = {"workspace": ["AGENT.md", "CLAUDE.md", "memory"]}


@pytest.mark.promise("workspace-held")
def test_others_wait_until_the_last_one_has_ended(tmp_path: Path) -> None:
    first = living.begin(tmp_path, MAIN)
    second = living.begin(tmp_path, MAIN | {"workspace-roof": ["AGENT.md"]})
    for handles in (first, second):
        with pytest.raises(Refusal, match="end it first"):
            living.begin(tmp_path, OTHER)
        for handle in handles:
            os.close(handle)
    living.require_alike(tmp_path, OTHER)
    for handle in living.begin(tmp_path, MAIN):
        os.close(handle)


def test_a_refused_run_holds_nothing(tmp_path: Path) -> None:
    held = living.begin(tmp_path, {"workspace-roof": ["AGENT.md"]})
    with pytest.raises(Refusal):
        living.begin(tmp_path, MAIN | {"workspace-roof": ["SOUL.md"]})
    living.require_alike(tmp_path, OTHER)
    for handle in held:
        os.close(handle)
