"""A backup becomes an installation: the same rows on either database, all or nothing, and what was open is closed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select, update

from tarimba import cli
from tarimba.backup.service import Journal
from tarimba.conversations import service as conversations
from tarimba.conversations.model import Target
from tarimba.identity import fleet, hosting
from tarimba.kernel import Kernel
from tarimba.storage import copying
from tarimba.storage.tables import (
    agent_key,
    job,
    log_checkpoint,
    note_version,
    person_session,
    sign_in_link,
    space_head,
)
from tests.contract.backup.stage import OTHER_MASTER, Site, Stage, fill_workspace, told

TABLES_THAT_A_RESTORE_CHANGES = {
    "space_head", "receipt_bundle", "signing_key", "subscription_member", "sign_in_link", "person_session", "job",
}  # fmt: skip


class DeadError(BaseException):
    """Nothing of the process runs after it but what Python itself does."""


def note(kernel: Kernel, stage: Stage, title: str) -> None:
    from tarimba.identity.service import authenticate
    from tarimba.notes import service
    from tarimba.notes.model import Draft

    caller = authenticate(kernel, stage.company.bearers["billing"], "http")
    service.create(kernel, caller, Draft(kind="procedure", title=title, body="Close the period first."))


def kept_checkpoint(stage: Stage, capsys: pytest.CaptureFixture[str], name: str = "kept.txt") -> Path:
    capsys.readouterr()
    assert cli.run(["receipts", "checkpoint", *stage.site.arguments]) == 0
    kept = stage.folder / name
    kept.write_text(capsys.readouterr().out)
    return kept


def test_every_row_comes_back_on_the_same_database_and_on_the_other(
    stage: Stage, fresh: Site, other: Site
) -> None:
    with stage.site.kernel() as kernel:
        note(kernel, stage, "Void invoices")
    fill_workspace(stage.workspace)
    stage.back_up()
    before = stage.site.rows()
    for site in (fresh, other):
        assert stage.restore(site) == 0
        after = site.rows()
        differing = {name for name in before if before[name] != after[name]}
        assert differing <= TABLES_THAT_A_RESTORE_CHANGES
        assert stage.verify(site) == 0
        there = site.data / stage.workspace.relative_to(stage.site.data)
        assert (there / "memory" / "MEMORY.md").read_text() == "Remembered."
        assert (there / "memory" / "MEMORY.md").stat().st_mode & 0o777 == 0o640
        assert (there / "leads-out").is_symlink()
        assert not (site.data / ".restoring").exists()


def test_a_place_that_is_not_empty_is_left_alone(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.back_up()
    assert stage.restore(stage.site) == 1
    assert "--replace" in capsys.readouterr().err
    (fresh.data / "spaces" / "s").mkdir(parents=True)
    assert stage.restore(fresh) == 1
    assert stage.verify(stage.site) == 0


def test_another_master_key_and_none_are_refused(
    stage: Stage, fresh: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.back_up()
    monkeypatch.setenv("TARIMBA_MASTER_KEY", OTHER_MASTER)
    assert stage.restore(fresh) == 1
    assert "needs the master key whose check value is" in capsys.readouterr().err
    monkeypatch.delenv("TARIMBA_MASTER_KEY")
    assert stage.restore(fresh) == 1
    assert "No master key" in capsys.readouterr().err


def test_what_is_replaced_is_moved_aside_and_never_under_somebody(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    with stage.site.kernel() as kernel:
        note(kernel, stage, "Before")
    fill_workspace(stage.workspace)
    stage.back_up()
    with stage.site.kernel() as kernel:
        note(kernel, stage, "After")
        capsys.readouterr()
        assert stage.restore(stage.site, "--replace", "--yes") == 1
        assert "stop every server" in capsys.readouterr().err
        assert (stage.workspace / "memory" / "MEMORY.md").read_text() == "Remembered."
        note(kernel, stage, "Later still")
    assert stage.verify(stage.site) == 0
    capsys.readouterr()
    assert stage.restore(stage.site, "--replace", "--yes", "--json") == 0
    moved = told(capsys.readouterr().out)["moved_aside"]
    assert any("spaces.replaced-" in path for path in moved)
    with stage.site.kernel() as kernel, kernel.database.read() as connection:
        assert set(connection.scalars(select(note_version.c.title))) == {"Before"}
    assert stage.verify(stage.site) == 0


@pytest.mark.parametrize("at", ["_mark", "_aside", "sync_folder", "_unmark"])
@pytest.mark.promise("restore-whole")
def test_a_restore_that_dies_leaves_the_old_or_nothing_that_opens(
    stage: Stage, at: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `test_killed`, without another process: what is left to run when an error goes through runs here."""
    with stage.site.kernel() as kernel:
        note(kernel, stage, "Before")
    stage.back_up()
    with stage.site.kernel() as kernel:
        note(kernel, stage, "After")

    def die(*_: object, **__: object) -> None:
        raise DeadError

    with monkeypatch.context() as patched:
        patched.setattr(f"tarimba.backup.placing.{at}", die)
        with pytest.raises(DeadError):
            stage.restore(stage.site, "--replace", "--yes")
    capsys.readouterr()
    if at == "_mark":
        assert stage.verify(stage.site) == 0
    else:
        assert stage.verify(stage.site) == 1
        assert "was interrupted" in capsys.readouterr().err
        assert stage.restore(stage.site) == 0
        assert stage.verify(stage.site) == 0


def test_whatever_was_open_is_closed_and_no_number_is_given_twice(stage: Stage, fresh: Site) -> None:
    with stage.site.kernel() as kernel:
        host = hosting.host_of(kernel, stage.company.slug)
        hosting.link(kernel, host, "owner@acme.example")
        with kernel.database.read() as connection:
            counter = connection.scalar(select(space_head.c.counter))
    stage.back_up()
    assert stage.restore(fresh) == 0
    with fresh.kernel() as kernel, kernel.database.read() as connection:
        assert (connection.scalar(select(space_head.c.counter)) or 0) > (counter or 0) + 999_999_999
        for column in (person_session.c.ended_at, sign_in_link.c.spent_at):
            assert None not in connection.scalars(select(column)).all()
        assert set(connection.scalars(select(job.c.leased_by))) <= {None}


@pytest.mark.promise("restore-told")
def test_the_log_says_from_where_it_goes_on_and_verifying_says_what_is_lost(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.back_up()
    with stage.site.kernel() as kernel:
        for number in range(5):
            note(kernel, stage, f"Lost {number}")
    kept = kept_checkpoint(stage, capsys)
    assert stage.restore(fresh, "--checkpoint", str(kept), "--json") == 0
    (space,) = told(capsys.readouterr().out)["spaces"]
    assert space["earlier_signed"] is False  # the first key was made after the backup
    assert space["earlier_size"] == space["size"] + 6
    assert stage.verify(fresh) == 0
    assert (
        f"The receipt at seq {space['size']} says that the log goes on from a backup"
        in capsys.readouterr().out
    )
    assert stage.verify(fresh, "--checkpoint", str(kept)) == 1
    last = space["earlier_size"] - 1
    assert (
        f"receipts {space['size']} to {last} of the log before are not in this log" in capsys.readouterr().out
    )
    # It is signed again, by a key that never signed the other log.
    assert cli.run(["receipts", "checkpoint", *fresh.arguments]) == 0
    with fresh.kernel() as kernel, kernel.database.read() as connection:
        assert connection.scalars(select(log_checkpoint.c.size)).all()


def test_a_backup_of_another_log_than_the_kept_checkpoint_vouches_for_is_refused(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = kept_checkpoint(stage, capsys)
    origin, size, root, *rest = kept.read_text().split("\n")
    kept.write_text("\n".join([origin, size, "A" * 43 + "=", *rest]))
    stage.back_up()
    assert stage.restore(fresh, "--checkpoint", str(kept)) == 1
    assert "does not verify" in capsys.readouterr().err
    assert not (fresh.data / "tarimba.db").exists()
    assert root
    assert stage.restore(fresh, "--checkpoint", str(kept), "--despite-findings") == 0


def test_a_journal_line_that_names_what_the_backup_does_not_have_does_no_harm(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.back_up()
    line = '{"space_id": "%s", "seq": 1000, "what": "%s", "ids": {"%s": "01900000-0000-7000-8000-0000000000ff"}}\n'
    acts = [("erase.requested", "source_id"), ("erase.requested", "person_id"), ("key.revoke", "key_id")]
    acts += [("person.token", "person_id"), ("skill.remove", "skill_id")]
    journal = stage.folder / "erasures.jsonl"
    journal.write_text("".join(line % (stage.company.space_id, *act) for act in acts) + '{"cut off')
    capsys.readouterr()
    assert stage.restore(fresh, "--erasures", str(journal), "--json") == 0
    (space,) = told(capsys.readouterr().out)["spaces"]
    assert space["again"] == {"erase.requested": 2, "key.revoke": 1, "person.token": 1}
    assert space["not_again"] == {"skill.remove": 1}
    with fresh.kernel() as kernel, kernel.database.read() as connection:
        assert set(connection.scalars(select(agent_key.c.revoked_at))) == {None}


def revoked(kernel: Kernel, stage: Stage, agent: str) -> str:
    """Revokes the key of an agent, and brings the journal to the present."""
    with kernel.database.read() as connection:
        mine = select(agent_key.c.key_id).where(agent_key.c.source_id == stage.company.sources[agent])
        key_id = str(connection.scalars(mine).one())
    fleet.revoke_key(kernel, hosting.host_of(kernel, stage.company.slug), key_id)
    journal = Journal(kernel)
    while journal.piece():
        continue
    return key_id


def in_force(site: Site, key_id: str) -> bool:
    with site.kernel() as kernel, kernel.database.read() as connection:
        return connection.scalar(select(agent_key.c.revoked_at).where(agent_key.c.key_id == key_id)) is None


@pytest.mark.promise("restore-drill")
def test_the_journal_goes_on_where_a_restored_log_gives_the_places_of_the_lost_part_again(
    stage: Stage, fresh: Site, other: Site
) -> None:
    journal = stage.folder / "erasures.jsonl"
    first, later = stage.back_up(), stage.folder / "later.tar.gz"
    with stage.site.kernel(erasure_file=journal) as kernel:
        for number in range(6):
            note(kernel, stage, f"Lost {number}")
        lost = revoked(kernel, stage, "support")
        for number in range(6):
            note(kernel, stage, f"Lost too {number}")
    assert cli.run(["backup", "--out", str(later), *stage.site.arguments]) == 0
    assert stage.restore(fresh, "--erasures", str(journal)) == 0
    with fresh.kernel(erasure_file=journal) as kernel:
        since = revoked(kernel, stage, "courier")
    assert since in journal.read_text()
    # The later backup has the place of this act in its log, and another receipt there.
    stage.file.unlink()
    later.rename(first)
    assert stage.restore(other, "--erasures", str(journal)) == 0
    assert not in_force(other, lost)
    assert not in_force(other, since)


def test_a_damaged_file_is_not_backed_up(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    if stage.site.db is not None:
        # What PostgreSQL can't read it says itself.
        with stage.site.kernel() as kernel:
            copying.to_file(kernel.database, stage.folder / "copy.sqlite")
        return
    file = stage.site.data / "tarimba.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'note_chain'").fetchone()[
            0
        ]
    raw = bytearray(file.read_bytes())
    raw[(page - 1) * 4096 : (page - 1) * 4096 + 64] = b"\xff" * 64
    file.write_bytes(raw)
    assert cli.run(["backup", "--out", str(stage.file), *stage.site.arguments]) == 1
    assert "damaged" in capsys.readouterr().err
    assert not stage.file.exists()


def test_a_log_that_was_tampered_with_is_not_restored_without_being_told_to(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with stage.site.kernel() as kernel:
        note(kernel, stage, "True")
        with kernel.database.write() as connection:
            connection.execute(update(note_version).values(body="Altered."))
    stage.back_up()
    capsys.readouterr()
    assert stage.restore(fresh) == 1
    assert "does not verify" in capsys.readouterr().err
    assert stage.restore(fresh, "--despite-findings") == 0


def test_who_was_forgotten_before_the_backup_and_came_back_is_not_forgotten_again(
    stage: Stage, fresh: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with stage.site.kernel() as kernel:
        host = hosting.host_of(kernel, stage.company.slug)
        asked = conversations.forget(kernel, host, Target("conversation", "c-1"))
    stage.back_up()
    line = (
        '{"space_id": "%s", "what": "forget", "request_id": "%s", "profiles": [], "macs": [], "refs": []}\n'
    )
    journal = stage.folder / "erasures.jsonl"
    later = "01900000-0000-7000-8000-0000000000fe"
    ids = (asked.erasure.request_id, later, later)
    journal.write_text("".join(line % (stage.company.space_id, one) for one in ids))
    capsys.readouterr()
    assert stage.restore(fresh, "--erasures", str(journal), "--json") == 0
    (space,) = told(capsys.readouterr().out)["spaces"]
    assert space["again"] == {"forget": 1}
