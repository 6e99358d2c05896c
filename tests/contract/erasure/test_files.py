"""On PostgreSQL: what was erased is in no byte of the cluster's files, or the job says what is in the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert, select

from tarimba.clock import HOUR, SECOND
from tarimba.erasure import service as erasure
from tarimba.graph.model import NewEntity, NewObservation
from tarimba.ids import new_id
from tarimba.jobs.service import Worker
from tarimba.notes import service as notes
from tarimba.notes.model import Changes, Evidence
from tarimba.storage.tables import job, memory_version, note_version, proposal, workspace, workspace_project
from tests.contract.graph.seat import seat_in
from tests.contract.notes.waiting import ask, ask_edit, reject
from tests.contract.notes.world import World
from tests.contract.own_cluster import left_in, opened, run
from tests.fixtures.cluster import PostgresServer, throwaway_postgres

pytestmark = pytest.mark.promise("erased-from-files")

# Each stands in another place: titles, bodies, tags and ids of notes, of versions that were replaced, of proposals.
WORDS = (
    "feldspathoid",
    "metagreywacke",
    "cryptocrystalline",
    "zzyzx-road",
    "conv-anorthosite",
    "chapultepec",
    "xochimilco",
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgresServer]:
    with throwaway_postgres() as running:
        yield running


@pytest.fixture
def world(cluster: PostgresServer, tmp_path: Path) -> Iterator[World]:
    with opened(cluster.create_database(), tmp_path) as world:
        yield world


def fill(world: World) -> None:
    """Everything that erasing an agent takes, with the words in it; and an agent whose notes stay."""
    kernel = world.kernel
    evidence = Evidence(conversation_id=WORDS[4])
    note = world.write("billing", WORDS[0], body=WORDS[1], tags=(WORDS[3],), evidence=evidence)
    notes.edit(kernel, world.caller("billing"), note.note_id, Changes(body=WORDS[2]))
    written = world.write("reviewer", "By a person", owner="billing")
    ask_edit(world, "billing", written, body=WORDS[5])
    world.set(writes="human_only")
    reject(world, ask(world, title="Proposed", body="As it was."), reason=WORDS[6])
    world.set(writes="agent")
    world.write("courier", "Stays in the files", body="granodiorite")


def jobs(world: World) -> list[tuple[str, str | None]]:
    with world.kernel.database.read() as connection:
        return [(row.kind, row.problem) for row in connection.execute(select(job).order_by(job.c.ordinal))]


def work(world: World, wait_us: int = 0) -> None:
    """Every job that is due after so long."""
    world.kernel.clock.offset_us += wait_us
    handlers = {erasure.SCRUB: erasure.scrub, erasure.ERASE_MEMBER: erasure.scrub_member}
    worker = Worker(world.kernel, handlers)
    while worker.piece():
        continue


def work_until_done(world: World) -> None:
    """The server's own housekeeping may be in the way for a moment."""
    for _ in range(1000):
        if not jobs(world):
            return
        work(world, 5 * SECOND)
    raise AssertionError(f"never done: {jobs(world)}")


# In a graph: names, types, observations, relations. In a workspace: a project's name, a version of standing notes.
OF_MEMBER = ("tlalpan", "xicotencatl", "huitzilihuitl", "nezahualpilli", "coyoacan", "tenayuca")


def keep(world: World) -> str:
    """What a member keeps, with the words in it. The person's id."""
    person = world.caller("owner")
    seat = seat_in(world.kernel, world.space_id, world.sources["billing"], person.id)
    seat.create(NewEntity(OF_MEMBER[0], OF_MEMBER[1], (NewObservation(OF_MEMBER[2]),)))
    seat.relate((OF_MEMBER[0], OF_MEMBER[0], OF_MEMBER[3]))
    whose = {"subscription_id": seat.scope.subscription_id, "source_id": seat.scope.source_id}
    ids = {"space_id": world.space_id, "workspace_id": new_id()}
    row = {"provisioned": "", "provisioned_at": 0, "created_at": 0, "ordinal": 1}
    version = {"project": "", "version": 1, "hash": "0", "size": 1, "origin": "server", "created_at": 0}
    project = {"project": "move", "created_at": 0, "ordinal": 2}
    with world.kernel.database.write() as connection:
        connection.execute(insert(workspace).values(**ids, **whose, **row, person_id=person.id))
        connection.execute(insert(workspace_project).values(**ids, **project, name=OF_MEMBER[4]))
        connection.execute(insert(memory_version).values(**ids, **version, content=OF_MEMBER[5]))
    return person.id


def erase(world: World) -> None:
    erasure.erase(world.kernel, world.caller("owner"), world.sources["billing"])


def test_no_byte_of_it_stays_in_tables_indexes_statistics_and_log(
    cluster: PostgresServer, world: World
) -> None:
    fill(world)
    # Statistics sample texts; a checkpoint brings the pages to the files.
    run(str(world.kernel.settings.url), "ANALYZE", "CHECKPOINT")
    assert left_in(cluster, *WORDS).keys() == set(WORDS)
    erase(world)
    assert world.count(note_version) == 1
    assert world.count(proposal) == 0
    assert jobs(world) == [("erase.scrub", None)]
    work_until_done(world)
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, *WORDS) == {}
    assert "granodiorite" in left_in(cluster, "granodiorite")
    scrubbed = [entry["detail"] for entry in world.receipts("erase.scrubbed")]
    assert scrubbed[-1] == {"versions": 3, "proposals": 2, "records": 0, "complete": True}


def test_no_byte_of_what_a_member_kept_stays_either(cluster: PostgresServer, world: World) -> None:
    person_id = keep(world)
    run(str(world.kernel.settings.url), "ANALYZE", "CHECKPOINT")
    assert left_in(cluster, *OF_MEMBER).keys() == set(OF_MEMBER)
    done = erasure.erase_member(world.kernel, world.caller("owner"), person_id)
    assert not done.is_complete
    work_until_done(world)
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, *OF_MEMBER) == {}
    scrubbed = [entry["detail"] for entry in world.receipts("erase.scrubbed")]
    assert scrubbed[-1] == {"what": "member", "graphs": 1, "rows": 3, "complete": True}


def test_cleaning_once_ends_every_erasure_whose_rows_are_gone(world: World) -> None:
    for name in ("billing", "courier", "support"):
        world.write(name)
        erasure.erase(world.kernel, world.caller("owner"), world.sources[name])
    assert len(jobs(world)) == 3
    work_until_done(world)
    ended = [entry for entry in world.receipts("erase.scrubbed") if entry["detail"]["complete"]]
    assert {entry["source_id"] for entry in ended} == set(world.sources.values())
    assert len(ended) == 3


def test_an_older_snapshot_is_in_the_way_until_it_ends(cluster: PostgresServer, world: World) -> None:
    fill(world)
    url = str(world.kernel.settings.url)
    with psycopg.connect(url) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM space")
        erase(world)
        work(world)
        assert jobs(world) == [("erase.scrub", "files_in_use")]
    work_until_done(world)
    run(cluster.url(), "CHECKPOINT")
    assert left_in(cluster, *WORDS) == {}


def test_a_role_without_the_rights_is_told_and_helped_by_granting_them(
    cluster: PostgresServer, tmp_path: Path
) -> None:
    url = cluster.create_database()
    name = url.rsplit("/", 1)[1]
    run(cluster.url(), f"CREATE ROLE {name}_app LOGIN", f"ALTER DATABASE {name} OWNER TO {name}_app")
    run(url, f"ALTER SCHEMA public OWNER TO {name}_app")
    with opened(url.replace("postgres@", f"{name}_app@"), tmp_path) as world:
        fill(world)
        erase(world)
        work(world)
        assert jobs(world) == [("erase.scrub", "role_lacks_rights")]
        assert world.count(note_version) == 1
        run(
            url,
            f"GRANT pg_checkpoint, pg_monitor TO {name}_app",
            f"GRANT EXECUTE ON FUNCTION pg_switch_wal() TO {name}_app",
        )
        work(world, HOUR)
        work_until_done(world)
        run(cluster.url(), "CHECKPOINT")
        assert left_in(cluster, *WORDS) == {}
