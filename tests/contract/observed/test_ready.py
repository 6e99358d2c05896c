"""Readiness: each part that fails turns the answer to 503, in a sentence that tells a stranger nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import text, update

from tarimba.http.ready import Ready
from tarimba.kernel import Kernel
from tarimba.storage import Database, migrate
from tarimba.storage.tables import space
from tests.contract.notes.world import World
from tests.contract.observed.asking import Asked

NAMES = ["serving", "writer", "database", "schema", "keys", "disk"]


def failing(kernel: Kernel, app: Any = None) -> list[str]:
    """The checks that are not ok, by the answer of a server that has just been asked for the first time."""
    answer = Asked(kernel, app).get("/readyz")
    told = answer.json()
    assert [check["name"] for check in told["checks"]] == NAMES
    wrong = [check["name"] for check in told["checks"] if not check["ok"]]
    assert (answer.status_code, told["status"]) == ((503, "not_ready") if wrong else (200, "ready"))
    assert answer.headers["cache-control"] == "no-store"
    said = " ".join(check["detail"] for check in told["checks"])
    for secret in (str(kernel.settings.data), kernel.settings.url.rpartition("/")[2], "acme"):
        assert secret not in said
    return wrong


@pytest.mark.promise("ready-told")
def test_a_server_that_has_everything_is_ready(world: World) -> None:
    assert failing(world.kernel) == []


@pytest.mark.promise("ready-told")
def test_one_that_was_told_to_stop_is_not_ready_at_once(kernel: Kernel) -> None:
    asked = Asked(kernel)
    assert asked.get("/readyz").status_code == 200
    kernel.draining.begin()
    assert asked.get("/readyz").status_code == 503
    assert failing(kernel) == ["serving"]


@pytest.mark.promise("ready-told")
def test_one_whose_writer_has_ended_is_not_ready(kernel: Kernel) -> None:
    kernel.writer.stop()
    assert failing(kernel) == ["writer"]


@pytest.mark.promise("ready-told")
def test_one_with_a_full_queue_is_not_ready(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel.writer, "_queue_max", 0)
    assert failing(kernel) == ["writer"]


@pytest.mark.promise("ready-told")
def test_one_with_too_little_room_is_not_ready(kernel: Kernel) -> None:
    small = replace(kernel, settings=kernel.settings.model_copy(update={"disk_free_min": 1 << 62}))
    assert failing(small) == ["disk"]


@pytest.mark.promise("ready-told")
def test_one_whose_master_key_was_exchanged_is_not_ready(world: World) -> None:
    with world.kernel.database.write() as connection:
        connection.execute(update(space).values(hmac_key=b"wrapped by another key"))
    assert failing(world.kernel) == ["keys"]


@pytest.mark.promise("ready-told")
@pytest.mark.parametrize(("revision", "wrong"), [(migrate.REVISIONS[0], ["schema"]), ("9999", [])])
def test_an_older_schema_is_not_enough_and_a_newer_one_is(
    kernel: Kernel, revision: str, wrong: list[str]
) -> None:
    with kernel.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})
    assert failing(kernel) == wrong


@pytest.mark.promise("ready-told")
def test_a_schema_that_left_this_version_behind_is_not_enough(kernel: Kernel) -> None:
    with kernel.database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(text("UPDATE installation SET value = '9998' WHERE name = 'schema.floor'"))
    assert failing(kernel) == ["schema"]


class Hanging:
    """A database that answers when it is let go."""

    def __init__(self) -> None:
        self.asked = 0
        self.free = threading.Event()
        self.is_sqlite = False

    @contextmanager
    def read(self) -> Iterator[Any]:
        self.asked += 1
        self.free.wait()
        yield None


@pytest.mark.promise("ready-told")
def test_a_database_that_hangs_is_told_in_time_and_asked_once(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarimba.http.ready.SECONDS", 0.05)
    monkeypatch.setattr("tarimba.http.ready.FRESH_SECONDS", 0.0)
    hanging = Hanging()
    stuck = replace(kernel, database=cast("Database", hanging))
    app = Ready(stuck)
    # That these answer at all, while nothing comes of the database, is what is shown.
    assert failing(stuck, app) == ["database", "schema", "keys"]
    assert failing(stuck, app) == ["database", "schema", "keys"]
    assert hanging.asked == 1
    hanging.free.set()


def test_what_was_found_is_told_again_for_a_while(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarimba.http.ready.FRESH_SECONDS", float("inf"))
    counted = SimpleNamespace(read=0)
    real = kernel.database.read

    @contextmanager
    def read() -> Iterator[Any]:
        counted.read += 1
        with real() as connection:
            yield connection

    monkeypatch.setattr(kernel.database, "read", read)
    asked = Asked(kernel, Ready(kernel))
    for _ in range(5):
        assert asked.get("/readyz").status_code == 200
    assert counted.read == 1
