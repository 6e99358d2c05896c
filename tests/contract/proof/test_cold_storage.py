"""Old receipts leave the database for files, and everything that is asked of the log is answered as before."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import delete, select, update

from tarimba import cli
from tarimba.backup import service as backup
from tarimba.backup.archive import read as read_archive
from tarimba.errors import Refusal
from tarimba.proof import service as proof
from tarimba.proof.cooling import Cooling
from tarimba.receipts import cold_places, search
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.cold import Cold
from tarimba.receipts.index import index
from tarimba.receipts.kept import read_kept
from tarimba.receipts.merkle import leaf_hash
from tarimba.receipts.nodes import grow
from tarimba.receipts.proving import prove, prove_at
from tarimba.receipts.stream import pull
from tarimba.receipts.tiles import verify_tiles
from tarimba.settings import Settings
from tarimba.storage.tables import log_cold, log_node, receipt_bundle
from tests.contract.proof.frozen import AFTER_DAYS, CONVERSATION, Frozen, cool_receipts
from tests.contract.receipts.world import bundle_change


@pytest.fixture
def moved(frozen: Frozen) -> Frozen:
    frozen.age()
    frozen.move()
    assert frozen.first_row() == 512
    return frozen


@pytest.mark.promise("cold-storage-whole")
def test_what_moved_is_read_searched_proved_and_followed_as_before(frozen: Frozen, tmp_path: Path) -> None:
    world, kernel = frozen.world, frozen.world.kernel
    frozen.age()
    before = frozen.log()
    frozen.move()
    assert frozen.first_row() == 512
    assert [(one.first_seq, one.count) for one in frozen.files()] == [(0, 256), (256, 256)]
    assert frozen.log()[: len(before)] == before
    report = frozen.verify()
    assert (report.ok, report.receipts) == (True, world.size)
    for seq in (0, 1, 255, 256, 300, 511, 512, 599):
        found, _ = prove(kernel, world.auditor, str(before[seq].document["id"]))
        assert (found.stored, found.ok) == (before[seq], True)
        assert prove_at(kernel, world.auditor, seq)[0].ok
    asked = search.Question(conversation_id=CONVERSATION)
    assert [one.seq for one in search.search(kernel, world.auditor, asked).items] == [2]
    lines = [*pull(kernel, world.auditor, -1, 1000).lines]
    assert [json.loads(line) for line in lines[: len(before)]] == [one.as_json() for one in before]
    bundle, _ = proof.bundle(kernel, world.auditor, asked)
    (key,) = proof.public_keys(kernel, world.auditor)
    assert verify_bundle(bundle, key.public).ok
    proof.write_tiles(kernel, world.auditor, tmp_path / "tiles")
    assert verify_tiles(tmp_path / "tiles", read_kept((tmp_path / "tiles" / "checkpoint").read_text())).ok


@pytest.mark.promise("cold-storage-whole")
def test_each_file_is_256_receipts_in_lines_and_each_move_leaves_a_receipt(moved: Frozen) -> None:
    log = moved.log()
    for number, file in enumerate(moved.files()):
        lines = gzip.decompress(moved.path(number).read_bytes()).split(b"\n")
        assert [leaf_hash(line) for line in lines] == [one.leaf for one in log[file.first_seq :][:256]]
    told = [one["detail"] for one in cool_receipts(log)]
    assert told == [
        {"first_seq": one.first_seq, "count": 256, "digest": one.digest, "place": "folder"}
        for one in moved.files()
    ]
    assert moved.path(0).stat().st_mode & 0o077 == 0


@pytest.mark.promise("cold-storage-whole")
def test_roots_and_the_index_are_made_again_out_of_files(moved: Frozen) -> None:
    world = moved.world
    world.tamper(delete(log_node))
    while grow(world.kernel):
        pass
    assert index(world.kernel, world.space_id) == 0
    assert moved.verify().ok
    assert prove_at(world.kernel, world.auditor, 100)[0].ok


@pytest.mark.promise("cold-storage-late")
def test_nothing_moves_before_its_time_nor_past_a_signed_checkpoint(frozen: Frozen) -> None:
    proof.make(frozen.world.kernel, frozen.world.space_id)
    frozen.move()
    assert frozen.files() == []
    frozen.age(AFTER_DAYS - 1)
    frozen.move()
    assert frozen.files() == []
    frozen.age(2)
    frozen.move()
    assert len(frozen.files()) == 2
    # A third tile is full and old, and no checkpoint reaches its end.
    frozen.world.act(*(frozen.world.receipt("settings.change", new=number) for number in range(200)))
    frozen.world.kernel.clock.offset_us += (AFTER_DAYS + 1) * 24 * 3600 * 1_000_000
    frozen.move()
    assert len(frozen.files()) == 2
    frozen.age(1)
    frozen.move()
    assert len(frozen.files()) == 3
    assert frozen.verify().ok


@pytest.mark.promise("cold-storage-late")
def test_it_is_off_by_default_and_refused_without_a_place(frozen: Frozen) -> None:
    assert Settings().cold_after_days is None
    with pytest.raises(ValidationError, match="TARIMBA_COLD_DIR"):
        Settings(cold_after_days=1)
    object.__setattr__(frozen.world.kernel.settings, "cold_after_days", None)
    frozen.age()
    frozen.move()
    assert frozen.files() == []


def _alter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9] + bytes(9))


def _lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("harm", "says"), [(Path.unlink, "missing"), (_alter, "altered"), (_lengthen, "altered")]
)
@pytest.mark.promise("cold-storage-found")
def test_a_lost_file_is_named_and_its_receipts_answer_503(
    moved: Frozen, harm: Callable[[Path], None], says: str
) -> None:
    kernel, auditor = moved.world.kernel, moved.world.auditor
    receipt_id = str(moved.log()[300].document["id"])
    path = moved.path(1)
    whole = path.read_bytes()
    harm(path)
    report = moved.verify()
    (cold,) = (one for one in report.findings if one.code == "cold")
    assert report.first_bad_seq == cold.seq == 256
    assert (says in cold.sentence, path.name in cold.sentence) == (True, True)
    object.__setattr__(kernel, "cold", Cold(kernel.cold.place))
    with pytest.raises(Refusal, match=rf"seq 256 to 511 (is|was) {says}") as refused:
        prove(kernel, auditor, receipt_id)
    assert refused.value.status == 503
    assert prove_at(kernel, auditor, 100)[0].ok, "the other file answers"
    path.write_bytes(whole)
    assert prove(kernel, auditor, receipt_id)[0].ok
    assert moved.verify().ok


@pytest.mark.promise("cold-storage-found")
def test_a_file_that_was_exchanged_together_with_its_digest_is_found(moved: Frozen) -> None:
    file, path = moved.files()[0], moved.path(0)
    lines = gzip.decompress(path.read_bytes()).split(b"\n")
    lines[7] = lines[7].replace(b'"new":', b'"old":')
    data = gzip.compress(b"\n".join(lines), mtime=0)
    path.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    moved.world.tamper(
        update(log_cold).where(log_cold.c.first_seq == file.first_seq).values(digest=digest, size=len(data))
    )
    report = moved.verify()
    assert not report.ok
    assert report.first_bad_seq == 0
    assert not prove_at(moved.world.kernel, moved.world.auditor, 7)[0].ok


@pytest.mark.promise("cold-storage-found")
def test_a_place_that_is_away_is_no_lost_file(moved: Frozen) -> None:
    away = moved.folder.with_name("away")
    moved.folder.rename(away)
    with pytest.raises(Refusal, match="does not answer") as refused:
        moved.verify()
    assert refused.value.status == 503
    object.__setattr__(moved.world.kernel, "cold", Cold())
    with pytest.raises(Refusal, match="TARIMBA_COLD_DIR"):
        moved.log()


@pytest.mark.promise("cold-storage-late")
def test_altered_receipts_stay_in_the_database_where_they_are_found(frozen: Frozen) -> None:
    frozen.age()
    row = frozen.world.bundle(3)
    changed = row["entries"].replace(b'"new":7}', b'"new":8}')
    assert changed != row["entries"]
    frozen.world.tamper(bundle_change(3, entries=changed))
    frozen.move()
    assert frozen.files() == []
    assert frozen.verify().first_bad_seq == 10


@pytest.mark.promise("cold-storage-whole")
def test_two_processes_move_a_tile_once(frozen: Frozen, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen.age()
    put, other = cold_places.Folder.put, Cooling(frozen.world.kernel)
    inside: list[str] = []

    def put_late(folder: cold_places.Folder, name: str, data: bytes) -> None:
        if not inside:
            inside.append(name)
            other.piece()
        put(folder, name, data)

    monkeypatch.setattr(cold_places.Folder, "put", put_late)
    frozen.move()
    assert [one.first_seq for one in frozen.files()] == [0, 256]
    assert len(cool_receipts(frozen.log())) == 2
    assert frozen.verify().ok


@pytest.mark.promise("cold-storage-whole")
def test_a_file_that_does_not_read_back_takes_nothing_out(
    frozen: Frozen, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen.age()
    put = cold_places.Folder.put
    with monkeypatch.context() as patch:
        patch.setattr(cold_places.Folder, "put", lambda folder, name, data: put(folder, name, data[:-1]))
        frozen.move()
    with frozen.world.kernel.database.read() as connection:
        assert connection.scalar(select(receipt_bundle.c.first_seq).limit(1)) == 0
    assert frozen.files() == []
    # A minute later it is tried again.
    frozen.age(1)
    frozen.move()
    assert frozen.first_row() == 512
    assert frozen.verify().ok


@pytest.mark.promise("cold-storage-whole")
def test_a_backup_names_the_files_and_the_journal_reads_them(moved: Frozen, tmp_path: Path) -> None:
    kernel = moved.world.kernel
    manifest = backup.take(kernel, tmp_path / "backup")
    assert manifest.left_out == {"cold": 2}
    assert read_archive(tmp_path / "backup", lambda _item, _stream: None) == manifest
    journal = tmp_path / "journal"
    object.__setattr__(kernel.settings, "erasure_file", journal)
    keeper = backup.Journal(kernel)
    moved.world.act(moved.world.receipt("erase.requested"))
    while keeper.piece():
        pass
    ended = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [one["what"] for one in ended] == ["erase.requested"]


@pytest.mark.promise("cold-storage-found")
def test_a_restore_needs_the_files_that_the_backup_names(
    moved: Frozen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = moved.world.kernel
    backup.take(kernel, tmp_path / "backup")
    assert kernel.settings.master_key is not None
    monkeypatch.setenv("TARIMBA_MASTER_KEY", kernel.settings.master_key.get_secret_value())
    monkeypatch.setenv("TARIMBA_COLD_DIR", str(moved.folder))
    restore = ["restore", "--from", str(tmp_path / "backup"), "--data", str(tmp_path / "there")]
    file = moved.path(1)
    aside = file.rename(tmp_path / "aside")
    assert cli.run(restore) == 1
    assert "256" in capsys.readouterr().err
    assert not (tmp_path / "there" / "tarimba.db").exists()
    aside.rename(file)
    assert cli.run(restore) == 0
    assert cli.run(["receipts", "verify", "--data", str(tmp_path / "there")]) == 0
