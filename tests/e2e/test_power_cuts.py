"""Simulated power cuts: whatever the disk had of what was written since, no answered write and no receipt is lost."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tarimba.receipts.audit import verify_space
from tests.e2e.company import Company, Place, found, log_of
from tests.e2e.load import Promised, under_load
from tests.e2e.power import TRACER, Trace, cut, moments
from tests.e2e.test_durable_first import stop_traced
from tests.fixtures.cluster import PostgresServer, remove_cluster, throwaway_postgres
from tests.fixtures.server import running_server


def recorded(place: Place, company: Company, folder: Path, receipts: int) -> Trace:
    """What a server under load does to its files. `folder/before` is how they were when it began."""
    shutil.copytree(place.data, folder / "before")
    trace = folder / "trace"
    program = (*TRACER, "-o", str(trace), sys.executable, "-m", "tarimba.cli")
    promised = Promised()
    with running_server(place.data, place.db, env=place.environment, program=program) as server:
        with under_load(server, company, promised):
            promised.wait_for(receipts)
        stop_traced(server)
    return Trace.read(trace, place.data)


def require_kept(place: Place, company: Company, answered: Sequence[tuple[str, int, str]]) -> None:
    """Each receipt is where its answer said, and the log and the notes verify."""
    with place.kernel() as kernel:
        receipts = log_of(kernel, company)
        assert max((seq for _, seq, _ in answered), default=-1) < len(receipts)
        for receipt_id, seq, leaf in answered:
            assert (receipts[seq].document["id"], receipts[seq].leaf.hex()) == (receipt_id, leaf)
        report = verify_space(kernel, company.space_id)
    assert report.ok, report.lines()


class TracedCluster(PostgresServer):
    """The same cluster, started by the command of a traced server, so that one trace has both in their order."""

    def command(self) -> str:
        """A line of the shell that starts the cluster beside what comes next, and waits until it answers."""
        owner = "" if os.geteuid() else "setpriv --reuid=postgres --regid=postgres --clear-groups "
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.data}"
        # Small segments and checkpoints that come often: so that all kinds of writes are in the trace.
        options += " -c shared_buffers=16MB -c checkpoint_timeout=30s -c max_wal_size=32MB"
        ready = f"{self.binaries}/pg_isready -q -h 127.0.0.1 -p {self.port}"
        server = f"{owner}{self.binaries}/postgres -D {self.data} {options} >>{self.data}/server.log 2>&1"
        return f"cd {self.data}; {server} & until {ready}; do :; done"


def cut_postgres(tmp_path: Path, cuts: int, receipts: int) -> None:
    with throwaway_postgres() as cluster:
        url = cluster.create_database()
        place = Place(tmp_path / "data", url)
        company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
        cluster.stop()
        trace = recorded_cluster(
            TracedCluster(cluster.binaries, cluster.data, cluster.port), place, company, tmp_path, receipts
        )
        dice = random.Random(cuts)
        for at in moments(trace, cuts, dice):
            left = PostgresServer(
                cluster.binaries, cluster.data.with_name(f"{cluster.data.name}-cut"), cluster.port
            )
            try:
                answered = cut(trace, tmp_path / "before", left.data, at, dice)
                own(left.data, cluster.data)
                left.start()
                require_kept(place, company, answered)
            finally:
                remove_cluster(left)


def recorded_cluster(
    cluster: TracedCluster, place: Place, company: Company, folder: Path, receipts: int
) -> Trace:
    """What a cluster under a server under load does to its files."""
    shutil.copytree(cluster.data, folder / "before")
    (folder / "before" / "postmaster.pid").unlink(missing_ok=True)
    trace = folder / "trace"
    shell = f'{cluster.command()}; exec "$0" -m tarimba.cli "$@"'
    program = (*TRACER, "-o", str(trace), "sh", "-c", shell, sys.executable)
    promised = Promised()
    with running_server(place.data, place.db, env=place.environment, program=program) as server:
        with under_load(server, company, promised):
            promised.wait_for(receipts)
        cluster.stop()
        stop_traced(server)
    return Trace.read(trace, cluster.data)


def own(folder: Path, like: Path) -> None:
    """Gives a copy of a cluster to whom the cluster belongs."""
    owner = like.stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    folder.chmod(0o700)


def cut_sqlite(tmp_path: Path, cuts: int, receipts: int) -> None:
    place = Place(tmp_path / "data", None)
    company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
    trace = recorded(place, company, tmp_path, receipts)
    dice = random.Random(cuts)
    for number, at in enumerate(moments(trace, cuts, dice)):
        left = Place(tmp_path / f"cut-{number}", None)
        answered = cut(trace, tmp_path / "before", left.data, at, dice)
        require_kept(left, company, answered)
        shutil.rmtree(left.data)


@pytest.mark.promise("power-cuts-lose-nothing")
def test_five_power_cuts_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    cut_sqlite(tmp_path, 5, 120)


@pytest.mark.nightly
@pytest.mark.promise("power-cuts-lose-nothing")
def test_a_hundred_power_cuts_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    # Enough for the log of changes to be written back into the database several times.
    cut_sqlite(tmp_path, 100, 500)


@pytest.mark.nightly
@pytest.mark.promise("power-cuts-lose-nothing")
def test_twenty_power_cuts_of_postgresql_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    cut_postgres(tmp_path, 20, 400)


def test_a_disk_that_forgets_what_was_not_synced_is_seen(tmp_path: Path) -> None:
    """The simulation can lose an answer: here nothing is ever synced."""
    place = Place(tmp_path / "data", None)
    company = found(place)
    trace = recorded(place, company, tmp_path, 20)
    trace.steps[:] = [step for step in trace.steps if step.kind != "synced"]
    left = Place(tmp_path / "cut", None)
    answered = cut(trace, tmp_path / "before", left.data, len(trace.steps), random.Random(1), share=0.0)
    assert answered
    with pytest.raises(AssertionError):
        require_kept(left, company, answered)
