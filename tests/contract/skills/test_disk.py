"""One directory for each agent in a subscription: whole skills, the same everywhere, whatever happens meanwhile."""

from __future__ import annotations

import os
import stat
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from tarimba.clock import HOUR, SECOND
from tarimba.errors import Refusal
from tarimba.ids import new_id
from tarimba.jobs.service import Worker, enqueue
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.skills import disk, disk_set, disk_store, published, rules
from tarimba.skills.records import Place
from tarimba.skills.swapping import Site, held
from tarimba.storage import Tx
from tests.contract.notes.world import World, at_once, found_company
from tests.contract.skills.shelf import TENANT, Shelf, can_mount, files_in, marked, reading, shelf_of

PUBLISHES = [100, pytest.param(1000, marks=pytest.mark.nightly)]
WAYS = ["path", *(["bind mount"] if can_mount() else [])]


@pytest.fixture(autouse=True)
def _nothing_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes with the package is tested apart: here everything counted is what was published."""
    monkeypatch.setattr(disk_set, "_shipped", lambda *_: None)


@pytest.fixture
def shelf(world: World) -> Shelf:
    return shelf_of(world)


def text(words: str) -> dict[str, bytes]:
    return {"SKILL.md": words.encode()}


@pytest.mark.promise("skills-on-disk")
def test_what_is_in_force_stands_there_and_nothing_else(shelf: Shelf) -> None:
    shelf.publish(
        "refunds", {"SKILL.md": b"one", "scripts/a/run.sh": b"#!/bin/sh\n", "assets/x.bin": b"\0\xff"}
    )
    shelf.publish("closing", text("two"))
    settled = shelf.flatten()
    assert (settled.copied, settled.removed, settled.kept) == (2, 0, 0)
    assert shelf.on_disk() == {
        "closing/SKILL.md": b"two",
        "refunds/SKILL.md": b"one",
        "refunds/scripts/a/run.sh": b"#!/bin/sh\n",
        "refunds/assets/x.bin": b"\0\xff",
    }
    shelf.publish("refunds", text("three"))
    shelf.remove("closing")
    settled = shelf.flatten()
    assert (settled.copied, settled.removed, settled.kept) == (1, 1, 0)
    assert shelf.on_disk() == {"refunds/SKILL.md": b"three"}


@pytest.mark.promise("skills-on-disk")
def test_every_combination_of_layers_stands_there_as_the_cascade_says(world: World) -> None:
    shelf = shelf_of(world)
    other = shelf_of(world, "support")
    for layers in product((False, True), repeat=4):
        name = "s-" + "".join("ny"[on] for on in layers)
        for here in (shelf, other):
            places = (
                Place("tenant"),
                Place("tenant", "", here.source_id),
                Place("subscription", here.subscription_id),
                Place("subscription", here.subscription_id, here.source_id),
            )
            for place, is_on in zip(places, layers, strict=True):
                if is_on:
                    shelf.publish(
                        name, text(f"{place.layer} {place.subscription_id} {place.source_id}"), place
                    )
    for here in (shelf, other):
        here.flatten()
        with world.kernel.database.read() as connection:
            ids = (world.space_id, here.subscription_id, here.source_id)
            chosen = rules.cascade(published.layers(connection, *ids))
            expected = {
                f"{name}/SKILL.md": published.blob(connection, world.space_id, one.winner.files[0].hash)
                for name, one in chosen.items()
            }
        assert len(expected) == 15
        assert here.on_disk() == expected


@pytest.mark.promise("skills-on-disk")
def test_nothing_is_copied_when_the_content_is_the_same(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.publish("refunds", text("one"))
    shelf.flatten()
    before = (shelf.folder / "refunds").stat()
    # Another layer says the same: only the time moves.
    shelf.publish("refunds", text("one"), Place("subscription", shelf.subscription_id))
    monkeypatch.setattr(disk_store, "content", None)
    assert shelf.flatten().copied == 0
    after = (shelf.folder / "refunds").stat()
    assert (after.st_ino, after.st_mtime) >= (before.st_ino, before.st_mtime)
    assert after.st_ino == before.st_ino


@pytest.mark.promise("skills-on-disk")
def test_two_hosts_have_the_same_bytes_modes_and_times(shelf: Shelf, tmp_path: Path) -> None:
    shelf.publish("refunds", marked("refunds", 1))
    shelf.publish("refunds", marked("refunds", 2))
    shelf.publish("closing", marked("closing", 1), Place("subscription", shelf.subscription_id))
    listings = []
    for umask in (0o022, 0o077):
        before = os.umask(umask)
        try:
            shelf.flatten()
        finally:
            os.umask(before)
        listings.append(listing(shelf.folder))
        shelf.folder.parent.rename(tmp_path / f"elsewhere-{umask}")
        (shelf.work / "manifest.json").unlink()
    assert listings[0] == listings[1]
    assert {mode for _, mode, _, _ in listings[0]} == {0o644, 0o755}


def listing(folder: Path) -> list[tuple[str, int, float, bytes]]:
    return sorted(
        (
            path.relative_to(folder).as_posix(),
            stat.S_IMODE(path.stat().st_mode),
            path.stat().st_mtime,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    )


@pytest.mark.promise("skills-swapped-whole")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("times", PUBLISHES)
def test_a_reader_finds_every_kept_skill_whole_while_others_publish(
    shelf: Shelf, tmp_path: Path, way: str, times: int
) -> None:
    for name in ("refunds", "closing"):
        shelf.publish(name, marked(name, 0))
    shelf.flatten()
    mount = tmp_path / "bound" if way == "bind mount" else None
    own = Place("subscription", shelf.subscription_id, shelf.source_id)
    with reading(shelf.folder, ("refunds", "closing"), bound_at=mount) as wrong:
        for number in range(times):
            # A new version, one of a stronger layer, that one removed again, and a skill that comes and goes.
            shelf.publish("refunds", marked("refunds", number % 7))
            if number % 4 == 1:
                shelf.publish("closing", marked("closing", number), own)
                shelf.publish("passing", marked("passing", number))
            if number % 4 == 3:
                shelf.remove("closing", own)
                shelf.remove("passing")
            shelf.flatten()
    assert [line for line in wrong if line] == []
    assert len(list((shelf.work / "old").iterdir())) >= times


@pytest.mark.promise("skills-on-disk")
def test_what_was_replaced_is_kept_for_ten_minutes_and_then_goes(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = shelf.kernel
    now = [kernel.clock.now_us() // SECOND * SECOND + SECOND - 1]
    monkeypatch.setattr(kernel.clock, "now_us", lambda: now[0])
    shelf.publish("refunds", text("one"))
    shelf.flatten()
    handle = os.open(shelf.folder / "refunds", os.O_RDONLY)
    shelf.publish("refunds", text("two"))
    keeping = disk.Disk(kernel)
    keeping.piece()
    now[0] += 600 * SECOND - 1
    disk.Disk(kernel).piece()
    os.close(os.open("SKILL.md", os.O_RDONLY, dir_fd=handle))
    os.close(handle)
    now[0] += 2 * SECOND
    disk.Disk(kernel).piece()
    assert list((shelf.work / "old").iterdir()) == []
    assert shelf.on_disk() == {"refunds/SKILL.md": b"two"}


def test_a_directory_begins_when_it_is_asked_for_and_then_follows(shelf: Shelf) -> None:
    keeping = disk.Disk(shelf.kernel)
    shelf.publish("refunds", text("one"))
    keeping.piece()
    assert not shelf.folder.exists()
    shelf.flatten()
    shelf.publish("refunds", text("two"))
    keeping.piece()
    assert shelf.on_disk() == {"refunds/SKILL.md": b"two"}
    shelf.remove("refunds")
    keeping.piece()
    assert shelf.on_disk() == {}


def test_the_job_of_a_publish_brings_up_to_date_what_its_scope_reaches(shelf: Shelf) -> None:
    other = shelf_of(shelf.world)
    for here in (shelf, other):
        here.flatten()
    theirs = Place("subscription", shelf.subscription_id)
    shelf.publish("refunds", text("one"), theirs)
    shelf.publish("closing", text("two"))

    def ask(tx: Tx) -> None:
        enqueue(tx, disk.FLATTEN, {"subscription_id": shelf.subscription_id, "source_id": ""})
        record(tx, Receipt("skill.publish", Actor("system", "cli"), "cli"))

    shelf.kernel.writer.commit(shelf.world.space_id, ask)
    worker = Worker(shelf.kernel, {disk.FLATTEN: disk.work})
    assert worker.piece()
    assert not worker.piece()
    assert set(shelf.on_disk()) == {"refunds/SKILL.md", "closing/SKILL.md"}
    assert other.on_disk() == {}


@pytest.mark.promise("skills-on-disk")
def test_shared_files_stand_below_their_scope_and_follow(shelf: Shelf) -> None:
    whole = Place("subscription", shelf.subscription_id)
    own = Place("subscription", shelf.subscription_id, shelf.source_id)
    shelf.share("rates.csv", b"all")
    shelf.share("a/b.md", b"all")
    shelf.share("rates.csv", b"ours", whole)
    shelf.share("rates.csv", b"mine", own)
    shelf.share("a", b"a file where others have a folder", Place("tenant", "", shelf.source_id))
    made = disk.flatten(shelf.kernel, shelf.world.space_id, shelf.subscription_id, shelf.source_id)
    assert files_in(made.files) == {
        "tenant/rates.csv": b"all",
        "tenant/a": b"a file where others have a folder",
        "subscription/rates.csv": b"mine",
    }
    keeping = disk.Disk(shelf.kernel)
    keeping.piece()
    shelf.share("rates.csv", b"new", whole)
    shelf.share("b.md", b"more", whole)
    keeping.piece()
    assert files_in(made.files / "subscription") == {"rates.csv": b"mine", "b.md": b"more"}


@pytest.mark.promise("skills-on-disk")
def test_several_at_once_leave_what_is_in_force(shelf: Shelf) -> None:
    def change(number: int) -> None:
        shelf.publish(f"skill-{number % 3}", marked(f"skill-{number % 3}", number))
        shelf.flatten()

    assert at_once([partial(change, number) for number in range(8)]) == ["ok"] * 8
    before = shelf.on_disk()
    assert shelf.flatten().copied == 0
    (shelf.work / "manifest.json").unlink()
    assert shelf.flatten().copied == 3
    assert shelf.on_disk() == before


def test_what_recurs_writes_in_pieces_and_waits_for_nobody(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "_PIECE", 2)
    shelf.flatten()
    keeping = disk.Disk(shelf.kernel)
    for number in range(5):
        shelf.publish(f"skill-{number}", text("one"))
    with held(Site(shelf.folder, shelf.work), 0):
        assert not keeping.piece()
    seen = []
    while keeping.piece():
        seen.append(len(shelf.on_disk()))
    assert (seen, len(shelf.on_disk())) == ([2, 4], 5)


def test_a_disk_that_refuses_is_tried_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.flatten()
    shelf.publish("refunds", text("one"))
    keeping = disk.Disk(shelf.kernel)

    def full(*_: object) -> None:
        raise OSError(28, "full")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "_renewed", full)
        keeping.piece()
    keeping.piece()
    assert shelf.on_disk() == {"refunds/SKILL.md": b"one"}


def test_what_is_erased_while_it_is_copied_is_chosen_anew(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.publish("refunds", text("one"))
    real, gone = disk_store.content, ["once"]
    monkeypatch.setattr(disk_store, "content", lambda *given: None if gone and gone.pop() else real(*given))
    shelf.flatten()
    assert shelf.on_disk() == {"refunds/SKILL.md": b"one"}


def test_strange_things_in_the_directory_go(shelf: Shelf) -> None:
    shelf.publish("refunds", text("one"))
    shelf.flatten()
    (shelf.folder / "stray").write_bytes(b"x")
    (shelf.folder / "link").symlink_to("/etc")
    (shelf.work / "manifest.json").write_bytes(b"[[1]")
    assert shelf.flatten().copied == 1
    assert shelf.on_disk() == {"refunds/SKILL.md": b"one"}
    shelf.kernel.clock.offset_us += HOUR
    disk.Disk(shelf.kernel).piece()
    assert list((shelf.work / "old").iterdir()) == []


def test_nobody_gets_a_directory_that_is_not_there(kernel: Kernel, shelf: Shelf) -> None:
    elsewhere = found_company(kernel)
    ids = [
        (shelf.world.space_id, shelf.subscription_id, new_id()),
        (shelf.world.space_id, new_id(), shelf.source_id),
        (elsewhere.space_id, shelf.subscription_id, shelf.source_id),
        (shelf.world.space_id, "../..", shelf.source_id),
    ]
    for space_id, subscription_id, source_id in ids:
        with pytest.raises(Refusal) as refused:
            disk.flatten(kernel, space_id, subscription_id, source_id)
        assert refused.value.code == "not_found"
    assert not (kernel.settings.data / "effective-skills").exists()
    assert TENANT.layer == 1
