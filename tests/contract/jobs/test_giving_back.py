"""What a worker that ends does with a job that it could not end."""

import threading

import pytest

from tarimba.jobs.model import Job, LeaseLostError
from tarimba.jobs.service import Worker
from tarimba.kernel import Kernel
from tests.contract.jobs.test_jobs import KIND, ask, ending, worker
from tests.contract.notes.world import World


@pytest.mark.promise("jobs-graceful-stop")
def test_a_job_that_was_not_done_in_time_is_given_back_at_once(world: World) -> None:
    ask(world)
    begun, go_on, lost = threading.Event(), threading.Event(), threading.Event()
    done: list[Job] = []

    def handle(kernel: Kernel, one: Job) -> None:
        begun.set()
        assert go_on.wait(30)
        try:
            ending([])(kernel, one)
        except LeaseLostError:
            lost.set()
            raise

    one = Worker(world.kernel, {KIND: handle}, threads=1)
    one.start()
    assert begun.wait(30)
    one.stop(drain_seconds=0)
    assert worker(world, ending(done)).piece()
    go_on.set()
    assert lost.wait(30)
    assert len(done) == 1
