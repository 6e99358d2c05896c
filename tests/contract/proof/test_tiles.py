"""The log as static files: only what is new is written, and whoever has the folder and the key verifies it."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tarimba.errors import Refusal
from tarimba.proof import service as proof
from tarimba.receipts.checkpoint import sign
from tarimba.receipts.kept import read_kept
from tarimba.receipts.merkle import leaf_hash
from tarimba.receipts.nodes import grow
from tarimba.receipts.report import Report
from tarimba.receipts.tiles import pack, tiles_of, unpack, verify_tiles
from tests.contract.proof.outsider import run_alone
from tests.contract.receipts.world import World, bundle_change

LONG = 600


@pytest.fixture
def long(world: World) -> World:
    """A log of more than two full tiles: 600 receipts and those of what was asked since."""
    note, _ = world.write_note("First")
    world.read_block([note.note_id])
    while world.size < LONG:
        plain = (
            world.receipt("settings.change", new=number) for number in range(min(100, LONG - world.size))
        )
        world.act(*plain)
    return world


def verified(folder: Path) -> Report:
    return verify_tiles(folder, read_kept((folder / "checkpoint").read_text()))


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.promise("tiles-verify")
def test_a_folder_of_tiles_verifies_alone_and_grows_by_what_is_new(long: World, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    done = proof.write_tiles(long.kernel, long.auditor, folder)
    assert done.new == done.files == len(list(tiles_of(done.checkpoint.size)))
    assert files(folder).keys() == {"checkpoint", *(one.name for one in tiles_of(done.checkpoint.size))}
    (key,) = proof.public_keys(long.kernel, long.auditor)
    verify = ("receipts", "verify", "--tiles", "log", "--key", str(key.public))
    alone = run_alone(tmp_path, *verify)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert f"{done.checkpoint.size} receipts" in alone.stdout
    before = files(folder)
    long.act(*(long.receipt("settings.change", new=number) for number in range(200)))
    while grow(long.kernel):
        pass
    later = proof.write_tiles(long.kernel, long.auditor, folder)
    now = files(folder)
    assert now.keys() == {"checkpoint", *(one.name for one in tiles_of(later.checkpoint.size))}
    full = [one.name for one in tiles_of(done.checkpoint.size) if one.is_full]
    assert all(now[name] == before[name] for name in full)
    assert later.new == later.files - len(full)
    assert verified(folder).ok
    again = proof.write_tiles(long.kernel, long.auditor, folder)
    assert again.new == 2, "the entries and hashes of the last tile, where the receipt of asking stands"
    kept = tmp_path / "kept.txt"
    kept.write_text(done.checkpoint.note)
    assert run_alone(tmp_path, *verify, "--checkpoint", "kept.txt").returncode == 0


@pytest.mark.promise("tiles-verify")
def test_the_same_bytes_come_over_the_api_and_only_auditors_read_entries(long: World, tmp_path: Path) -> None:
    done = proof.write_tiles(long.kernel, long.auditor, tmp_path / "log")
    agent = replace(long.auditor, kind="agent", roles=frozenset(), scopes=frozenset({"agent_memory"}))
    before = long.size
    for name, data in files(tmp_path / "log").items():
        if name.startswith("tile/") and not name.startswith("tile/entries/"):
            assert proof.tile(long.kernel, agent, name.removeprefix("tile/")) == data
    assert long.size == before
    data, recorded = proof.entries(long.kernel, long.auditor, "000")
    assert data == files(tmp_path / "log")["tile/entries/000"]
    assert recorded.seq == before
    with pytest.raises(Refusal) as refused:
        proof.entries(long.kernel, agent, "000")
    assert refused.value.code == "scope_missing"
    for path in ("0/009", "0/odd", "9/000", f"0/002.p/{done.checkpoint.size % 256 + 90}"):
        with pytest.raises(Refusal) as unknown:
            proof.tile(long.kernel, agent, path)
        assert unknown.value.code == "not_found"


def edit_entry(folder: Path) -> None:
    path = folder / "tile/entries/001"
    entries = unpack(path.read_bytes())
    path.write_bytes(pack([*entries[:44], entries[44].replace(b"http", b"mcpp"), *entries[45:]]))


def edit_entry_and_hash(folder: Path) -> None:
    edit_entry(folder)
    leaves = [leaf_hash(one) for one in unpack((folder / "tile/entries/001").read_bytes())]
    (folder / "tile/0/001").write_bytes(b"".join(leaves))


def lose_entries(folder: Path) -> None:
    (folder / "tile/entries/001").unlink()


def edit_level_1(folder: Path) -> None:
    (path,) = (folder / "tile/1/000.p").iterdir()
    path.write_bytes(bytes(32) + path.read_bytes()[32:])


def lose_level_1(folder: Path) -> None:
    shutil.rmtree(folder / "tile/1")


def cut_short(folder: Path) -> None:
    shutil.rmtree(folder / "tile/0/002.p")


TAMPERING: list[tuple[Callable[[Path], None], str, int]] = [
    (edit_entry, "hash", 300),
    # Which of the receipts under a checkpoint differs is not known where all hashes were made anew.
    (edit_entry_and_hash, "checkpoint", 0),
    (lose_entries, "gap", 256),
    (edit_level_1, "tile", 0),
    (lose_level_1, "tile", 0),
    (cut_short, "rewound", 512),
]


@pytest.mark.promise("tiles-verify")
def test_every_change_of_the_folder_is_found(long: World, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    proof.write_tiles(long.kernel, long.auditor, whole)
    for tamper, code, seq in TAMPERING:
        folder = tmp_path / tamper.__name__
        shutil.copytree(whole, folder)
        tamper(folder)
        report = verified(folder)
        found = {finding.code: finding.seq for finding in report.findings}
        assert found.get(code) == seq, (tamper.__name__, report.lines())


@pytest.mark.promise("tiles-verify")
def test_nothing_altered_is_published(long: World, tmp_path: Path) -> None:
    row = long.bundle(3)
    long.tamper(bundle_change(3, entries=row["entries"].replace(b'"new":5', b'"new":7')))
    with pytest.raises(Refusal, match="was altered and is not published"):
        proof.write_tiles(long.kernel, long.auditor, tmp_path / "log")
    assert not (tmp_path / "log/checkpoint").exists()


@pytest.mark.promise("tiles-verify")
def test_an_interrupted_run_is_finished_by_the_next(
    long: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, written = tmp_path / "log", iter(range(3))

    def replace_some(self: Path, target: Path) -> Path:
        next(written)
        return original(self, target)

    original = Path.replace
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace_some)
        with pytest.raises((StopIteration, RuntimeError)):
            proof.write_tiles(long.kernel, long.auditor, folder)
    assert not (folder / "checkpoint").exists()
    proof.write_tiles(long.kernel, long.auditor, folder)
    assert verified(folder).ok


def test_a_folder_is_of_one_log(long: World, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "checkpoint").write_text("tarimba/other\n1\n")
    with pytest.raises(Refusal, match="tiles of another log"):
        proof.write_tiles(long.kernel, long.auditor, folder)


@pytest.mark.promise("tiles-verify")
def test_a_folder_with_receipts_that_the_log_has_no_more_is_left_alone(long: World, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    proof.write_tiles(long.kernel, long.auditor, folder)
    (signed,) = read_kept((folder / "checkpoint").read_text()).signed
    before = files(folder)
    for size in (signed.size, signed.size + 1000):
        # As it was signed before the log was put back: the very same size with other receipts, and a larger one.
        other = sign(signed.origin, size, leaf_hash(b"lost"), b"x" * 32)
        (folder / "checkpoint").write_text(other.note)
        with pytest.raises(Refusal, match="does not have any more"):
            proof.write_tiles(long.kernel, long.auditor, folder)
    (folder / "checkpoint").write_text(signed.note)
    assert files(folder) == before
    proof.write_tiles(long.kernel, long.auditor, folder)
    assert verified(folder).ok
