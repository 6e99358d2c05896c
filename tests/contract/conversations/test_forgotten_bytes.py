"""What was forgotten is in no byte of the database's files once the request says that it is completed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tarimba.clock import SECOND
from tarimba.conversations import service
from tarimba.jobs.service import Worker
from tarimba.storage.tables import handle, job, known_customer
from tests.contract.conversations.talks import EMAIL, PHONE, WHATSAPP, Talks, action, event, item
from tests.contract.notes.world import World
from tests.contract.own_cluster import left_in, opened, run
from tests.fixtures.cluster import PostgresServer, throwaway_postgres

pytestmark = pytest.mark.promise("forgotten-from-files")

# Each stands in another place: texts, what was done and why, ids of conversations and tasks.
WORDS = ("feldspathoid", "metagreywacke", "cryptocrystalline", "conv-anorthosite", "task-anorthosite")
NOBODY = {"type": "phone_e164", "value": "+5511987650000"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresServer]:
    with throwaway_postgres() as running:
        yield running


@pytest.fixture
def talks(cluster: PostgresServer, tmp_path: Path) -> Iterator[Talks]:
    with opened(cluster.create_database(), tmp_path) as world:
        yield Talks(world)


def fill(talks: Talks) -> tuple[str, ...]:
    """A customer with the words in it, and another one who stays. Returns what must go."""
    about: dict[str, Any] = {"conversation_id": WORDS[3], "task_id": WORDS[4], "handles": [WHATSAPP]}
    talks.sent(
        *(event(WORDS[0], **about) for _ in range(20)),
        action("send", action={"purpose": WORDS[1], "result": WORDS[2]}, **about),
        item("identify", handles=[WHATSAPP, EMAIL], method="otp"),
    )
    gone = [row.mac for table in (handle, known_customer) for row in talks.rows(table)]
    talks.sent(event("granodiorite", conversation_id="c-2", handles=[NOBODY]))
    return (*WORDS, *gone)


def forget(talks: Talks, **target: Any) -> str:
    answer = talks.ask("POST", "/v1/forget", "owner", json=target)
    return str(answer.json()["request_id"])


def state(talks: Talks, request_id: str) -> str:
    return str(talks.ask("GET", f"/v1/forget/{request_id}", "owner").json()["status"])


def work(talks: Talks) -> None:
    """Every job that is due."""
    worker = Worker(talks.world.kernel, {service.FORGET: service.erase})
    while worker.piece():
        continue


def work_until_done(talks: Talks) -> None:
    """The server's own housekeeping may be in the way for a moment."""
    for _ in range(1000):
        if not talks.rows(job):
            return
        work(talks)
        talks.world.kernel.clock.offset_us += 5 * SECOND
    raise AssertionError(f"never done: {talks.rows(job)}")


def test_no_byte_of_a_customer_stays_in_tables_indexes_statistics_and_log(
    cluster: PostgresServer, talks: Talks
) -> None:
    gone = fill(talks)
    # Statistics sample what is stored; a checkpoint brings the pages to the files.
    run(str(talks.world.kernel.settings.url), "ANALYZE", "CHECKPOINT")
    assert left_in(cluster, *gone).keys() == set(gone)
    asked = forget(talks, target="handle", handle=PHONE)
    assert state(talks, asked) == "pending"
    work_until_done(talks)
    assert state(talks, asked) == "completed"
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, *gone) == {}
    assert "granodiorite" in left_in(cluster, "granodiorite")
    # The last one may leave a table empty.
    last = forget(talks, target="handle", handle=NOBODY)
    work_until_done(talks)
    assert (state(talks, last), talks.rows(handle)) == ("completed", [])
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, "granodiorite") == {}


def test_a_request_is_running_while_an_older_snapshot_needs_the_rows(
    cluster: PostgresServer, talks: Talks
) -> None:
    gone = fill(talks)
    with psycopg.connect(str(talks.world.kernel.settings.url)) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM space")
        asked = [
            forget(talks, target="handle", handle=PHONE),
            forget(talks, target="conversation", conversation_id="c-2"),
        ]
        work(talks)
        assert [state(talks, one) for one in asked] == ["running", "running"]
        assert [row.problem for row in talks.rows(job)] == ["files_in_use", "files_in_use"]
        # Not even the job knows any more whom it was about.
        assert "macs" not in repr(talks.rows(job))
    talks.world.kernel.clock.offset_us += 5 * SECOND
    work_until_done(talks)
    assert [state(talks, one) for one in asked] == ["completed", "completed"]
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, *gone, "granodiorite") == {}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_no_byte_of_a_customer_stays_in_sqlites_files(world: World) -> None:
    talks = Talks(world)
    gone = fill(talks)
    path = world.kernel.database.file
    files = [path, path.with_name(path.name + "-wal")]
    assert any(WORDS[0].encode() in file.read_bytes() for file in files)
    asked = forget(talks, target="handle", handle=PHONE)
    work(talks)
    assert state(talks, asked) == "completed"
    left = b"".join(file.read_bytes() for file in files if file.exists())
    assert [word for word in gone if word.encode() in left] == []
