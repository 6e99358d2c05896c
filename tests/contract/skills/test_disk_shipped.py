"""What comes with the package stands in an agent's directory too, below what is published."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from tarimba.harnesses.service import profile
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.skills import disk, managed
from tarimba.storage import Tx
from tarimba.storage.tables import agent
from tests.contract.notes.world import World
from tests.contract.skills.shelf import files_in, shelf_of

SHIPPED = {
    "house-rules": {
        "SKILL.md": b"---\nname: house-rules\ndescription: When unsure.\n---\nAsk.\n",
        "a/b.md": b"b",
    },
    "taken": {"SKILL.md": b"---\nname: taken\ndescription: When unsure.\n---\nOurs.\n"},
}


@pytest.mark.promise("skills-on-disk")
def test_shipped_skills_stand_there_unless_something_published_has_their_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managed, "skills", lambda *_: SHIPPED)
    shelf = shelf_of(world)
    shelf.publish("taken", {"SKILL.md": b"theirs"})
    shelf.flatten()
    expected = {"house-rules/SKILL.md": SHIPPED["house-rules"]["SKILL.md"], "house-rules/a/b.md": b"b"}
    assert files_in(shelf.folder) == expected | {"taken/SKILL.md": b"theirs"}
    shelf.remove("taken")
    assert shelf.flatten().copied == 1
    assert files_in(shelf.folder)["taken/SKILL.md"] == SHIPPED["taken"]["SKILL.md"]


def test_a_directory_follows_its_agent_to_another_harness(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managed, "skills", lambda of, _: SHIPPED if of.name == "ganglion" else {})
    shelf = shelf_of(world)
    shelf.flatten()
    keeping = disk.Disk(world.kernel)
    keeping.piece()
    assert files_in(shelf.folder) == {}

    def move(tx: Tx) -> None:
        tx.write(update(agent).where(agent.c.source_id == shelf.source_id).values(harness="ganglion"))
        tx.changed()
        record(tx, Receipt("agent.change", Actor("system", "cli"), "cli"))

    world.kernel.writer.commit(world.space_id, move)
    keeping.piece()
    assert {"house-rules/SKILL.md", "taken/SKILL.md"} <= files_in(shelf.folder).keys()


@pytest.mark.promise("skills-on-disk")
def test_what_the_index_names_can_be_opened(world: World) -> None:
    shelf = shelf_of(world)
    shelf.flatten()
    of = profile("generic")
    for one in managed.managed(of, "en"):
        for piece in managed.pieces(of, "en", one.name):
            expected = managed.content(of, "en", one.name, piece.path)
            assert (shelf.folder / one.name / piece.path).read_bytes() == expected
