"""`tarimba worker`: does the jobs without serving, ends when told to, and may be killed at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from tarimba.erasure import service as erasure
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tests.e2e.company import Company, Place, found, log_of, require_kept
from tests.e2e.test_kill_erasure import until

# The command line of a process that is killed when it has begun a part of an erasure a few times.
DIES = """
import os, signal
from tarimba.erasure import erasing

part, left = erasing._scrub_some, [3]

def counted(*arguments):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return part(*arguments)

erasing._scrub_some = counted
from tarimba.cli import main
main()
"""
WORKER = (sys.executable, "-m", "tarimba.cli")
# Longer than the lease of whoever began.
LATER = {"TARIMBA_CLOCK_OFFSET_S": "60"}
MUCH_LATER = {"TARIMBA_CLOCK_OFFSET_S": "120"}
NOTES = 45
SETTINGS = {"writes_per_hour": 200}


@contextmanager
def working(
    place: Place, program: Sequence[str] = WORKER, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process that has begun its work."""
    where = ["--data", str(place.data), *(("--db", place.db) if place.db else ())]
    process = subprocess.Popen(
        [*program, "worker", *where],
        env=dict(os.environ) | place.environment | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Working.")
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def erased_but_not_scrubbed(kernel: Kernel, company: Company) -> None:
    """An erasure whose process died when it had answered what it would do."""
    owner = authenticate(kernel, company.bearers["owner"], "http")
    with patch("tarimba.erasure.erasing.scrub", lambda *_: None):
        erasure.erase(kernel, owner, company.sources["billing"])


def write(place: Place, company: Company) -> None:
    from tarimba.notes import service as notes
    from tarimba.notes.model import Draft

    with place.kernel() as kernel:
        agent = authenticate(kernel, company.bearers["billing"], "http")
        for number in range(NOTES):
            notes.create(kernel, agent, Draft("procedure", f"Step {number}", "Close the period first."))
        erased_but_not_scrubbed(kernel, company)


@pytest.mark.promise("jobs-taken-up-again")
def test_a_job_whose_worker_was_killed_is_done_once(place: Place) -> None:
    company = found(place, **SETTINGS)
    write(place, company)
    with working(place, (sys.executable, "-c", DIES), **LATER) as process:
        process.wait(60)
    assert 0 < place.count("note_version", company) < NOTES
    with working(place, **MUCH_LATER):
        until(lambda: place.count("job", company) == 0)
    assert place.count("note_version", company) == 0
    with place.kernel() as kernel:
        require_kept(kernel, company, [])
        details = [one.document["detail"] for one in log_of(kernel, company) if is_scrubbed(one.document)]
    assert sum(detail["versions"] for detail in details if not detail["complete"]) == NOTES
    assert [detail["versions"] for detail in details if detail["complete"]] == [NOTES]


@pytest.mark.promise("jobs-one-at-a-time")
def test_several_workers_share_the_jobs(place: Place) -> None:
    companies = [found(place, **SETTINGS) for _ in range(3)]
    for company in companies:
        write(place, company)
    with working(place, **LATER), working(place, **LATER):
        until(lambda: sum(place.count("job", company) for company in companies) == 0)
    with place.kernel() as kernel:
        for company in companies:
            details = [one.document["detail"] for one in log_of(kernel, company) if is_scrubbed(one.document)]
            assert [detail["versions"] for detail in details if detail["complete"]] == [NOTES]


@pytest.mark.promise("jobs-graceful-stop")
def test_a_worker_ends_when_it_is_told_to(place: Place) -> None:
    with working(place) as process:
        process.terminate()
        assert process.wait(30) == 0


def is_scrubbed(document: dict[str, object]) -> bool:
    return document["action"] == "erase.scrubbed"
