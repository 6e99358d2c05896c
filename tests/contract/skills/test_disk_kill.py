"""kill -9 while skills are written: readers find each of them whole, and the next start does the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tarimba.skills import disk
from tests.contract.notes.world import World
from tests.contract.skills.shelf import Shelf, marked, shelf_of

DYING = Path(__file__).with_name("dying.py")
FEW = (3, 25, 55, 80, 93)
MOMENTS = [*FEW, *(pytest.param(at, marks=pytest.mark.nightly) for at in range(1, 95) if at not in FEW)]
OLD = {name: marked(name, 1) for name in ("closing", "gone", "left", "refunds")}
NEW = {
    "closing": marked("closing", 2),
    "left": OLD["left"],
    "refunds": marked("refunds", 2),
    "added": marked("added", 1),
}


@pytest.mark.promise("skills-survive-kill")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_at_any_moment_leaves_whole_skills_and_the_next_start_ends_the_work(
    world: World, moment: int
) -> None:
    shelf = shelf_of(world)
    for name, files in OLD.items():
        shelf.publish(name, files)
    shelf.flatten()
    for name in ("closing", "refunds", "added"):
        shelf.publish(name, NEW[name])
    shelf.remove("gone")
    assert die(shelf, moment) == -signal.SIGKILL
    seen = skills_of(shelf.on_disk())
    assert {"closing", "left", "refunds"} <= seen.keys()
    assert all(files in (OLD.get(name), NEW.get(name)) for name, files in seen.items())
    disk.Disk(shelf.kernel).piece()
    assert skills_of(shelf.on_disk()) == NEW
    assert list((shelf.work / "fresh").iterdir()) == []
    assert shelf.flatten().copied == 0


def die(shelf: Shelf, moment: int) -> int:
    """How a process ends that flattens in another's place and is killed then."""
    settings = shelf.kernel.settings
    ids = (shelf.world.space_id, shelf.subscription_id, shelf.source_id)
    command = [sys.executable, str(DYING), str(settings.data), settings.url, *ids, str(moment)]
    assert settings.master_key is not None
    environment = {**os.environ, "TARIMBA_MASTER_KEY": settings.master_key.get_secret_value()}
    return subprocess.run(command, env=environment, check=False).returncode


def skills_of(files: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """By its name, what each skill holds."""
    found: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        name, _, inner = path.partition("/")
        found.setdefault(name, {})[inner] = data
    return found
