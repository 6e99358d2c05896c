"""kill -9 at any moment: what was answered is there afterwards, and what was not happens once at most."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.company import MEMORY, NOTE, Company, Kept, Place, found, require_kept
from tests.e2e.load import Promised, Write, under_load
from tests.fixtures.cluster import throwaway_postgres
from tests.fixtures.server import RunningServer, running_server

# The command line with a server that dies when the answer to a write should leave: its transaction is durable.
DIES_BEFORE_ANSWERING = """
import os, signal
from tarimba.http import exchange

send_whole = exchange.send_whole

async def die(send, reply):
    if reply.status == 201:
        os.kill(os.getpid(), signal.SIGKILL)
    await send_whole(send, reply)

exchange.send_whole = die
from tarimba.cli import main
main()
"""


def require_promised(place: Place, company: Company, promised: Promised) -> None:
    """Every note and receipt that was answered is there, whole, and nothing else but unanswered writes."""
    with place.kernel() as kernel:
        report = require_kept(kernel, company, promised.receipts)
    chains = f"SELECT head_note_id FROM note_chain WHERE space_id = '{company.space_id}'"
    versions = f"SELECT note_id FROM note_version WHERE space_id = '{company.space_id}'"
    stored = {note_id for (note_id,) in place.ask(versions)}
    assert {note_id for (note_id,) in place.ask(chains)} == stored
    assert set(promised.notes.values()) <= stored
    assert report.versions == len(stored) <= len(promised.notes) + len(promised.unanswered)


def require_once(server: RunningServer, place: Place, company: Company, promised: Promised) -> None:
    """Sent again under their keys, all writes are there once: answered ones with the first answer."""
    with httpx.Client(base_url=server.base_url, timeout=120) as client:
        for write in promised.unanswered:
            promised.keep(write.send(client, company), write)
        for write in random.Random(7).sample(sorted(promised.notes, key=lambda w: w.key), 5):
            again = write.send(client, company)
            assert again.json()["note"]["note_id"] == promised.notes[write]
            assert Kept.of(again) in promised.receipts
    promised.unanswered.clear()
    assert place.count("note_version", company) == len(promised.notes) == len(set(promised.notes.values()))


def kill_under_load(place: Place, kills: int) -> None:
    company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
    promised, moments = Promised(), random.Random(kills)
    with running_server(place.data, place.db, env=place.environment) as server:
        for _ in range(kills):
            with under_load(server, company, promised) as load:
                promised.wait_for(len(promised.receipts) + moments.randrange(20, 120))
                server.kill9()
                load.stop()
            require_promised(place, company, promised)
            server.start()
            require_once(server, place, company, promised)
    require_promised(place, company, promised)


@pytest.mark.promise("crash-loses-nothing")
@pytest.mark.promise("idempotent-writes")
def test_three_kills_lose_nothing_that_was_answered(place: Place) -> None:
    kill_under_load(place, 3)


@pytest.mark.nightly
@pytest.mark.promise("crash-loses-nothing")
def test_twenty_kills_lose_nothing_that_was_answered(place: Place) -> None:
    kill_under_load(place, 20)


@pytest.mark.nightly
@pytest.mark.promise("crash-loses-nothing")
def test_a_killed_postmaster_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    with throwaway_postgres() as cluster:
        place = Place(tmp_path, cluster.create_database())
        company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
        promised, moments = Promised(), random.Random(20)
        with running_server(place.data, place.db, env=place.environment) as server:
            for _ in range(20):
                with under_load(server, company, promised):
                    promised.wait_for(len(promised.receipts) + moments.randrange(20, 120))
                    cluster.kill()
                    cluster.start()
                    # The same process goes on when its database is back.
                    promised.wait_for(len(promised.receipts) + 20)
                require_promised(place, company, promised)
                require_once(server, place, company, promised)


@pytest.mark.promise("idempotent-writes")
def test_a_server_that_dies_between_commit_and_answer_answers_the_retry(place: Place) -> None:
    company = found(place)
    write = Write("billing", "the-only-one")
    program = (sys.executable, "-c", DIES_BEFORE_ANSWERING)
    with running_server(place.data, place.db, env=place.environment, program=program) as dying:
        with (
            httpx.Client(base_url=dying.base_url, timeout=120) as client,
            pytest.raises(httpx.TransportError),
        ):
            write.send(client, company)
        dying.process.wait()
        dying.kill9()
    stored = f"SELECT note_id FROM note_version WHERE space_id = '{company.space_id}'"
    ((note_id,),) = place.ask(stored)
    with (
        running_server(place.data, place.db, env=place.environment) as server,
        httpx.Client(base_url=server.base_url, timeout=120) as client,
    ):
        first, second = write.send(client, company), write.send(client, company)
        headers = company.headers("billing") | {"idempotency-key": write.key}
        other = client.post(f"{MEMORY}/notes", json=NOTE, headers=headers)
    assert [answer.status_code for answer in (first, second, other)] == [201, 201, 409]
    assert first.json()["note"]["note_id"] == second.json()["note"]["note_id"] == note_id
    assert other.json()["code"] == "conflict"
    assert place.ask(stored) == [(note_id,)]
    with place.kernel() as kernel:
        require_kept(kernel, company, [Kept.of(first), Kept.of(second)])
