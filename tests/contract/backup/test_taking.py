"""What a backup holds and what it may not, and that one which is not whole is refused."""

import gzip
import io
import json
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from tarimba import cli
from tarimba.backup import archive
from tarimba.backup.beside import working_folder
from tarimba.backup.model import About, Item, Manifest
from tarimba.backup.walking import walk
from tests.contract.backup.stage import OTHER_MASTER, Stage, fill_workspace, told

MIB = 1024 * 1024


def unpacked(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {
            one.name: stream.read()
            for one in tar
            if one.isreg() and (stream := tar.extractfile(one)) is not None
        }


def packed_again(path: Path, contents: dict[str, bytes]) -> None:
    """The same archive with other contents, as somebody would make it who has it in hand."""
    with tarfile.open(path) as tar:
        members = list(tar)
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for one in members:
            content = contents.get(one.name)
            if content is not None:
                one.size = len(content)
            tar.addfile(one, None if content is None else io.BytesIO(content))


@pytest.mark.promise("backup-confined")
def test_a_backup_follows_nothing_and_holds_neither_key_nor_secret(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_workspace(stage.workspace)
    (stage.site.data / "keys").mkdir(exist_ok=True)
    (stage.site.data / "keys" / "master.key").write_text("the key itself")
    path = stage.back_up()
    assert "Left out: 3 (irregular)." in capsys.readouterr().out
    held = unpacked(path)
    assert any(name.endswith("memory/MEMORY.md") for name in held)
    assert any(name.endswith("caf\udce9 \udcff.txt") for name in held)
    assert not [name for name in held if ".secrets" in name or "keys" in name or "pipe" in name]
    whole = b"".join(held.values())
    for word in (b"root:", b"plain-secret-value", b"the key itself"):
        assert word not in whole
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in stage.folder.iterdir() if "acme" in one.name or "part" in one.name] == [
        path.name
    ]


@pytest.mark.promise("backup-whole")
def test_a_backup_replaces_no_file_and_a_failed_one_leaves_none(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.file.write_text("Somebody's.")
    assert cli.run(["backup", "--out", str(stage.file), *stage.site.arguments]) == 1
    assert stage.file.read_text() == "Somebody's."
    stage.file.unlink()
    before = sorted(stage.folder.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(stage.file))

    monkeypatch.setattr("tarimba.backup.taking._add_files", full)
    assert cli.run(["backup", "--out", str(stage.file), *stage.site.arguments]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert sorted(stage.folder.iterdir()) == before


@pytest.mark.promise("backup-whole")
def test_a_cut_or_damaged_backup_is_refused_wherever_the_damage_is(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = stage.back_up().read_bytes()
    verify = ["backup", "verify", str(stage.file)]
    assert cli.run(verify) == 0
    for part in (0, 1, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        stage.file.write_bytes(whole[:part])
        assert cli.run(verify) == 1
    refused, content = 0, gzip.decompress(whole)
    for at in range(20, len(whole) - 8, len(whole) // 23):
        damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        stage.file.write_bytes(damaged)
        # A run of equal bytes may be packed in several ways, all of them right.
        is_refused = cli.run(verify) == 1
        assert is_refused or gzip.decompress(damaged) == content
        refused += is_refused
    assert refused > 5
    said = capsys.readouterr().err.splitlines()
    assert said
    assert all(line.endswith(".") for line in said)


@pytest.mark.promise("backup-whole")
def test_an_altered_backup_is_refused_even_where_its_lists_were_altered_with_it(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_workspace(stage.workspace)
    path = stage.back_up()
    original = path.read_bytes()
    name = next(name for name in unpacked(path) if name.endswith("MEMORY.md"))
    packed_again(path, unpacked(path) | {name: b"Forged!!!!!"})
    assert cli.run(["backup", "verify", str(path)]) == 1
    assert "is not what its list says" in capsys.readouterr().err
    forged = unpacked(path)
    forged["manifest.json"] = json.dumps(json.loads(forged["manifest.json"]) | {"left_out": {}}).encode()
    path.write_bytes(original)
    packed_again(path, unpacked(path) | {"manifest.json": forged["manifest.json"]})
    assert cli.run(["backup", "verify", str(path)]) == 1
    assert "by somebody who does not have the master key" in capsys.readouterr().err


def test_without_the_master_key_the_report_says_what_it_could_not_check(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verify = ["backup", "verify", str(stage.back_up()), "--data", str(stage.folder / "nowhere")]
    monkeypatch.delenv("TARIMBA_MASTER_KEY")
    capsys.readouterr()
    assert cli.run([*verify, "--json"]) == 0
    report = told(capsys.readouterr().out)
    assert report["mac_checked"] is False
    assert report["spaces"][0]["space_id"] == stage.company.space_id
    monkeypatch.setenv("TARIMBA_MASTER_KEY", OTHER_MASTER)
    assert cli.run(verify) == 1
    said = capsys.readouterr().err
    assert f"check value is {report['about']['key_check']}" in said


@pytest.mark.promise("backup-whole")
def test_a_file_that_there_is_no_room_for_is_not_left_out_in_silence(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_workspace(stage.workspace)

    class Full(io.BytesIO):
        def write(self, _data: object) -> int:
            raise OSError(28, "No space left on device")

    kept_in = []

    def spooled(_size: int, *, dir: str) -> Full:  # noqa: A002 - the library's name
        kept_in.append(Path(dir))
        return Full()

    monkeypatch.setattr("tarimba.backup.taking.tempfile.SpooledTemporaryFile", spooled)
    assert cli.run(["backup", "--out", str(stage.file), *stage.site.arguments]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert not stage.file.exists()
    assert kept_in[0].parent == stage.folder


@pytest.mark.promise("backup-whole")
def test_what_a_killed_backup_left_goes_with_the_next_and_what_another_is_at_stays(stage: Stage) -> None:
    dead = stage.folder / ".tarimba-backup-0123456789abcdef"
    dead.mkdir()
    (dead / archive.DATABASE).write_text("A copy of everything.")
    others = stage.folder / ".tarimba-backup-notes"
    others.mkdir()
    with working_folder(stage.folder) as at_work:
        assert not dead.exists()
        stage.back_up()
        assert at_work.is_dir()
        assert others.is_dir()
    assert sorted(stage.folder.glob(".tarimba-backup-*")) == [others]


def test_a_backup_leaves_a_receipt_which_is_in_it(stage: Stage) -> None:
    stage.back_up()
    (space,) = archive.read(stage.file, lambda _item, _stream: None).spaces
    query = "SELECT size FROM space_head"
    with stage.site.kernel() as kernel, kernel.database.read() as connection:
        assert connection.exec_driver_sql(query).scalar_one() == space.size


def test_memory_does_not_grow_with_what_is_backed_up(stage: Stage) -> None:
    stage.workspace.mkdir(parents=True)
    with (stage.workspace / "large").open("wb") as stream:
        stream.truncate(64 * MIB)
    for number in range(500):
        (stage.workspace / f"small-{number}").touch()
    tracemalloc.start()
    try:
        stage.back_up()
        archive.read(stage.file, lambda _item, _stream: None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 32 * MIB


def test_what_shrinks_or_vanishes_while_it_is_read_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "spaces"
    root.mkdir()
    for name in ("a", "b", "c"):
        (root / name).write_text("x" * 100)
    walking = walk(root, "data/spaces")
    assert next(walking).item.kind == "folder"
    assert next(walking).item.path == "data/spaces/a"
    (root / "b").unlink()
    assert [found.item.path for found in walking] == ["data/spaces/c"]


def about_of(path: Path) -> About:
    with gzip.open(path) as packed, tarfile.open(fileobj=packed) as tar:
        stream = tar.extractfile("about.json")
        assert stream is not None
        return About.model_validate_json(stream.read())


@pytest.mark.parametrize(
    "item",
    [
        Item("data/spaces/../../escaped", "file", 1, 0o644),
        Item("data/spaces/..", "folder"),
        Item("data/keys/master.key", "file", 1, 0o644),
        Item("/tmp/escaped", "file", 1, 0o644),
        Item("data/spaces/out/escaped", "file", 1, 0o644),
    ],
    ids=lambda item: item.path,
)
@pytest.mark.promise("backup-confined")
def test_nothing_is_unpacked_outside_of_its_place(stage: Stage, item: Item) -> None:
    about = about_of(stage.back_up())
    stage.file.unlink()
    outside = stage.folder / "outside"
    outside.mkdir()
    empty = Manifest(about=about, spaces=(), files=1, bytes=1, left_out={}, list_sha256="0" * 64)
    with archive.written(stage.file, about) as writer:
        writer.add(Item("data/spaces", "folder", mode=0o755))
        writer.add(Item("data/spaces/out", "link", target=str(outside), mode=0o777))
        writer.add(item, io.BytesIO(b"x") if item.kind == "file" else None)
        writer.finish(lambda digest: empty.model_copy(update={"list_sha256": digest}))
    before = sorted(stage.folder.rglob("*"))
    assert cli.run(["restore", "--from", str(stage.file), "--data", str(stage.folder / "there")]) == 1
    after = [path for path in sorted(stage.folder.rglob("*")) if path != stage.folder / "there"]
    assert after == before
    assert not list(outside.iterdir())
