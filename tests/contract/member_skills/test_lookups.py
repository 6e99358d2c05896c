"""With each harness's own look-up the administrators' copy is opened, while they publish."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tarimba.harnesses.service import profile, shipped
from tarimba.skills.disk import flatten
from tests.contract.member_skills.desk import Desk, skill
from tests.contract.member_skills.lookups import LOOKUPS, LookUp

pytestmark = pytest.mark.promise("administrators-win")

MINE = skill("refund", body="Mine: pay everybody.\n")
ROUNDS = 12


def bound(desk: Desk) -> Path:
    """The workspace with the flattened set at the administrators' root, as a bind of one directory shows it."""
    flattened = flatten(desk.api.kernel, desk.company.space_id, desk.team, desk.company.sources["billing"])
    root = desk.workspace / profile(desk.harness).shared_root
    root.parent.mkdir(parents=True, exist_ok=True)
    root.symlink_to(flattened.path)
    return desk.workspace


def test_each_shipped_harness_has_its_look_up_here() -> None:
    assert sorted(LOOKUPS) == list(shipped())


@pytest.mark.parametrize("harness", sorted(LOOKUPS))
def test_the_administrators_copy_is_opened_during_publishing(desk: Desk, harness: str) -> None:
    desk.run_by(harness)
    desk.publish(skill("refund", body="Theirs 0\n"))
    desk.scribble("refund", MINE)
    desk.scribble("zz-other", MINE)
    desk.scribble("letters", skill("letters"))
    workspace = bound(desk)
    found: list[bytes | None] = []
    done = threading.Event()
    reader = threading.Thread(target=_read_on, args=(LOOKUPS[harness], workspace, found, done))
    reader.start()
    for number in range(1, ROUNDS):
        desk.publish(skill("refund", body=f"Theirs {number}\n"))
        flatten(desk.api.kernel, desk.company.space_id, desk.team, desk.company.sources["billing"])
    done.set()
    reader.join()
    assert found
    assert set(found) <= {skill("refund", body=f"Theirs {number}\n").encode() for number in range(ROUNDS)}
    assert LOOKUPS[harness](workspace, "letters") == skill("letters").encode()


def _read_on(look: LookUp, workspace: Path, found: list[bytes | None], done: threading.Event) -> None:
    while not done.is_set() or not found:
        found.append(look(workspace, "refund"))


@pytest.mark.parametrize("harness", sorted(LOOKUPS))
def test_with_the_roots_the_other_way_round_the_look_up_would_be_wrong(tmp_path: Path, harness: str) -> None:
    one = profile(harness)
    for root, text in ((one.own_root, skill("refund", body="Theirs\n")), (one.shared_root, MINE)):
        path = tmp_path / root / "refund" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    assert LOOKUPS[harness](tmp_path, "refund") == MINE.encode()
