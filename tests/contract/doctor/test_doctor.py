"""`tarimba doctor` on both databases: what is sound, and what is not, in words and by the exit code."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tarimba import cli
from tarimba.doctor import database as checks
from tarimba.settings import Settings
from tarimba.storage import Database
from tarimba.storage.alone import serving_alone
from tests.contract.notes.world import World
from tests.e2e.company import MASTER_KEY

pytestmark = pytest.mark.promise("doctor")


class Doctor:
    """The command, and what it said last."""

    def __init__(self, data: Path, db: str, captured: pytest.CaptureFixture[str]) -> None:
        self._where = ["--data", str(data), "--db", db]
        self._captured = captured

    def run(self, *arguments: str) -> tuple[int, str]:
        self._captured.readouterr()
        code = cli.run(["doctor", *arguments, *self._where])
        said = self._captured.readouterr()
        assert said.err == ""
        return code, said.out

    def findings(self, *arguments: str) -> dict[str, dict[str, Any]]:
        code, said = self.run("--json", *arguments)
        shown = json.loads(said)
        assert (code == 0) is shown["ok"]
        assert shown["ok"] is all(one["level"] != "fail" for one in shown["findings"])
        return {one["check"]: one for one in shown["findings"]}


@pytest.fixture
def doctor(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doctor:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)
    return Doctor(tmp_path, database_url, capsys)


def _sql(url: str, statement: str) -> None:
    with closing(Database(url)) as database, database.write() as connection:
        connection.execute(text(statement))


def test_a_sound_installation_ends_with_zero_and_shows_no_secret(world: World, doctor: Doctor) -> None:
    found = doctor.findings()
    assert {one["check"]: one["sentence"] for one in found.values() if one["level"] == "fail"} == {}
    sound = {
        "database.reachable",
        "database.durability",
        "database.schema",
        "database.master_key",
        "clock.spaces",
    }
    assert {name for name in sound if found[name]["level"] == "ok"} == sound
    assert MASTER_KEY not in json.dumps(found)
    code, said = doctor.run()
    assert code == 0
    assert said.splitlines()[0] == "OK    options.names             Every TARIMBA_ variable is an option."


def test_a_misspelled_option_is_told_instead_of_refused(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARIMBA_MASTERKEY", "c2VjcmV0")
    found = doctor.findings()
    assert found["options.names"]["level"] == "fail"
    assert "did you mean TARIMBA_MASTER_KEY?" in found["options.names"]["sentence"]
    assert "c2VjcmV0" not in json.dumps(found)


def test_a_bad_value_is_told_and_nothing_else_is_looked_at(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARIMBA_THREADS", "many")
    found = doctor.findings()
    assert list(found) == ["options.names", "options.values"]
    assert found["options.values"]["level"] == "fail"
    assert "many" not in found["options.values"]["sentence"]


def test_another_master_key_fails(world: World, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY.replace("b", "c"))
    assert doctor.findings()["database.master_key"]["level"] == "fail"


def test_a_newer_schema_fails(doctor: Doctor, database_url: str) -> None:
    _sql(database_url, "UPDATE alembic_version SET version_num = '9999'")
    _sql(database_url, "DELETE FROM installation")
    one = doctor.findings()["database.schema"]
    assert one["level"] == "fail"
    assert "newer version" in one["sentence"]


def test_a_space_ahead_of_the_clock_is_named(world: World, doctor: Doctor, database_url: str) -> None:
    _sql(database_url, "UPDATE space_head SET last_at = last_at + 86400000000")
    one = doctor.findings()["clock.spaces"]
    assert one["level"] == "fail"
    assert "86" in one["sentence"]
    _sql(database_url, "UPDATE space_head SET last_at = last_at - 86390000000")
    assert doctor.findings()["clock.spaces"]["level"] in {"warn", "ok"}


def test_a_webhook_that_lost_an_event_is_told(world: World, doctor: Doctor, database_url: str) -> None:
    assert doctor.findings()["database.webhooks"]["level"] == "ok"
    columns = "(space_id, webhook_id, url, events, secret, state, created_at, created_by, ordinal)"
    row = "SELECT space_id, 'w', 'https://a.example', '', hmac_key, 'failing', 0, 'p', 1 FROM space"
    _sql(database_url, f"INSERT INTO webhook {columns} {row}")
    assert doctor.findings()["database.webhooks"]["level"] == "warn"


def test_an_installation_that_is_not_there_yet_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.run(["doctor", "--json", "--data", str(tmp_path / "none")])
    said = json.loads(capsys.readouterr().out)
    assert code == 0, said
    assert not (tmp_path / "none").exists()


def test_a_database_that_is_away_is_told_without_its_password(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, db="postgresql://tarimba:hush-hush@127.0.0.1:1/tarimba")
    (one,) = checks.database(settings)
    assert (one.check, one.level) == ("database.reachable", "fail")
    assert "hush" not in one.sentence


def test_the_server_of_an_sqlite_file_is_seen(
    migrated_sqlite_url: str, tmp_path: Path, doctor_of: Any
) -> None:
    with serving_alone(migrated_sqlite_url):
        assert (
            doctor_of(migrated_sqlite_url)["data.server"]["sentence"] == "A server has the SQLite file open."
        )
    assert doctor_of(migrated_sqlite_url)["data.server"]["sentence"] == "No server has the SQLite file open."


@pytest.fixture
def doctor_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda url: Doctor(tmp_path, url, capsys).findings()


def test_postgres_that_may_forget_fails(migrated_postgres_url: str, doctor_of: Any) -> None:
    name = migrated_postgres_url.rsplit("/", 1)[1]
    _sql(migrated_postgres_url, f"ALTER DATABASE {name} SET synchronous_commit = off")
    # Ours says `on` for itself whatever the database says.
    assert doctor_of(migrated_postgres_url)["database.durability"]["level"] == "ok"
    assert doctor_of(migrated_postgres_url)["clock.database"]["level"] == "ok"
