"""Jobs: asked for with the change, done by one at a time, never dropped."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Row, select

from tarimba.app import open_kernel
from tarimba.clock import HOUR, SECOND
from tarimba.errors import Refusal
from tarimba.identity.listing import Window
from tarimba.jobs.model import Handler, Job, Later
from tarimba.jobs.service import Leases, Worker, drop, enqueue, enqueue_held, finish, hold, keep, list_jobs
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.storage.tables import job
from tests.contract.notes.world import World, at_once, code, found_company

KIND = "test.work"


def ask(world: World, wait_us: int = 0, **payload: Any) -> str:
    return world.kernel.writer.commit(world.space_id, lambda tx: enqueue(tx, KIND, payload, wait_us=wait_us))


def rows(world: World) -> list[Row[Any]]:
    with world.kernel.database.read() as connection:
        return list(connection.execute(select(job).order_by(job.c.ordinal)))


def worker(world: World, handler: Handler) -> Worker:
    return Worker(world.kernel, {KIND: handler})


def ending(done: list[Job]) -> Handler:
    """A handler that notes each job that it has ended."""

    def handle(kernel: Kernel, one: Job) -> None:
        kernel.writer.commit(one.space_id, lambda tx: finish(tx, one))
        done.append(one)

    return handle


def later(world: World, microseconds: int) -> None:
    world.kernel.clock.offset_us += microseconds


@pytest.mark.promise("jobs-with-their-change")
def test_a_job_commits_with_the_change_that_asked_for_it_or_not_at_all(world: World) -> None:
    def change(tx: Tx) -> None:
        enqueue(tx, KIND, {})
        raise Refusal("conflict", "Not now.")

    with pytest.raises(Refusal):
        world.kernel.writer.commit(world.space_id, change)
    assert not rows(world)
    ask(world, note=7)
    done: list[Job] = []
    assert worker(world, ending(done)).piece()
    assert [one.payload for one in done] == [{"note": 7}]
    assert not rows(world)
    assert not worker(world, ending(done)).piece()


@pytest.mark.promise("jobs-one-at-a-time")
def test_two_workers_never_do_one_job_at_the_same_time(world: World) -> None:
    for number in range(6):
        ask(world, number=number)
    done: list[Job] = []
    workers = [worker(world, ending(done)) for _ in range(4)]
    for _ in range(3):
        at_once([one.piece for one in workers])
    assert sorted(one.payload["number"] for one in done) == list(range(6))


@pytest.mark.promise("jobs-one-at-a-time")
def test_two_processes_never_do_one_job_at_the_same_time(world: World) -> None:
    for number in range(10):
        ask(world, number=number)
    done: list[Job] = []
    with open_kernel(world.kernel.settings) as other:
        workers = [Worker(kernel, {KIND: ending(done)}) for kernel in (world.kernel, other) * 2]
        for _ in range(4):
            at_once([one.piece for one in workers])
    assert sorted(one.payload["number"] for one in done) == list(range(10))


def test_a_job_under_way_is_nobody_elses(world: World) -> None:
    ask(world)
    seen: list[bool] = []

    def handle(kernel: Kernel, one: Job) -> None:
        seen.append(worker(world, ending([])).piece())
        kernel.writer.commit(one.space_id, lambda tx: finish(tx, one))

    worker(world, handle).piece()
    assert seen == [False]


def test_a_job_waits_for_its_time(world: World) -> None:
    ask(world, wait_us=HOUR)
    done: list[Job] = []
    assert not worker(world, ending(done)).piece()
    later(world, HOUR)
    assert worker(world, ending(done)).piece()


def test_the_longest_waiting_comes_first_and_a_kind_without_a_handler_waits(world: World) -> None:
    ask(world, number=1)
    world.kernel.writer.commit(world.space_id, lambda tx: enqueue(tx, "test.unknown", {}))
    ask(world, number=2)
    done: list[Job] = []
    one = worker(world, ending(done))
    while one.piece():
        continue
    assert [each.payload["number"] for each in done] == [1, 2]
    assert [row.kind for row in rows(world)] == ["test.unknown"]


@pytest.mark.promise("jobs-not-dropped")
@pytest.mark.parametrize(
    ("error", "problem"),
    [(ValueError("a secret"), "internal_error"), (Refusal("unavailable", "Away."), "unavailable")],
)
def test_what_fails_is_tried_again_later_and_later_and_shows_why(
    world: World, error: Exception, problem: str
) -> None:
    ask(world, number=1)

    def fail(_kernel: Kernel, _one: Job) -> None:
        raise error

    waits = []
    for _ in range(8):
        assert worker(world, fail).piece()
        (row,) = rows(world)
        waits.append((row.run_after - world.kernel.writer.now(world.space_id)) // SECOND)
        assert (row.problem, row.leased_by, row.payload) == (problem, None, '{"number": 1}')
        assert not worker(world, fail).piece()
        later(world, HOUR)
    assert [round_up(wait) for wait in waits] == [1, 4, 16, 64, 256, 1024, 3600, 3600]
    assert row.attempts == 8


def round_up(seconds: int) -> int:
    """The wait that was meant: the clock has gone on a little since."""
    return min(meant for meant in (1, 4, 16, 64, 256, 1024, 3600) if meant >= seconds)


def test_a_refusal_that_names_a_time_is_heard(world: World) -> None:
    ask(world)

    def fail(_kernel: Kernel, _one: Job) -> None:
        raise Refusal("detectors_unavailable", "Away.", retry_after=120)

    worker(world, fail).piece()
    later(world, 100 * SECOND)
    assert not worker(world, ending([])).piece()
    later(world, 20 * SECOND)
    assert worker(world, ending([])).piece()


def test_later_keeps_the_progress_and_forgets_earlier_failures(world: World) -> None:
    ask(world, at=0)
    answers = iter([Later(0, problem="unavailable"), Later(0, {"at": 5}), Later(0)])

    def handle(_kernel: Kernel, _one: Job) -> Later:
        return next(answers)

    one = worker(world, handle)
    seen = []
    for _ in range(3):
        assert one.piece()
        (row,) = rows(world)
        seen.append((row.attempts, row.problem, row.payload))
    assert seen == [(1, "unavailable", '{"at": 0}'), (0, None, '{"at": 5}'), (0, None, '{"at": 5}')]


@pytest.mark.promise("jobs-taken-up-again")
def test_a_job_whose_worker_died_is_taken_again_and_the_dead_can_commit_nothing(world: World) -> None:
    ask(world)
    done: list[Job] = []
    said: list[Any] = []

    def outlived(kernel: Kernel, one: Job) -> None:
        later(world, 31 * SECOND)
        worker(world, ending(done)).piece()
        said.append(kernel.writer.commit(one.space_id, lambda tx: hold(tx, one)))
        said.append(kernel.writer.commit(one.space_id, lambda tx: keep(tx, one, {})))
        kernel.writer.commit(one.space_id, lambda tx: finish(tx, one))
        said.append("committed")

    assert worker(world, outlived).piece()
    assert said == [False, False]
    assert [one.attempts for one in done] == [1]


def test_a_handler_that_waits_long_keeps_its_job(world: World) -> None:
    ask(world)
    done: list[Job] = []

    def slow(kernel: Kernel, one: Job) -> None:
        for _ in range(5):
            later(world, 20 * SECOND)
            patient.beat()
            assert not worker(world, ending([])).piece()
        ending(done)(kernel, one)

    patient = worker(world, slow)
    assert patient.piece()
    assert len(done) == 1


def test_stored_progress_is_what_the_next_one_begins_with(world: World) -> None:
    ask(world, at=0)

    def dying(kernel: Kernel, one: Job) -> None:
        kernel.writer.commit(one.space_id, lambda tx: keep(tx, one, {"at": 3}))
        raise MemoryError

    worker(world, dying).piece()
    later(world, SECOND)
    done: list[Job] = []
    worker(world, ending(done)).piece()
    assert [one.payload for one in done] == [{"at": 3}]


def test_a_payload_that_is_no_json_stays_visible_and_stops_nothing(world: World) -> None:
    job_id = ask(world)
    with world.kernel.database.write() as connection:
        connection.execute(job.update().where(job.c.job_id == job_id).values(payload="{"))
    done: list[Job] = []
    assert worker(world, ending(done)).piece()
    ask(world)
    assert worker(world, ending(done)).piece()
    assert [(row.job_id, row.problem) for row in rows(world)] == [(job_id, "internal_error")]


def test_a_clock_set_back_does_not_keep_a_job_waiting(world: World) -> None:
    ask(world)
    later(world, -HOUR)
    assert worker(world, ending([])).piece()


@pytest.mark.promise("jobs-graceful-stop")
def test_stopping_waits_for_the_job_under_way_and_takes_no_other(world: World) -> None:
    ask(world, number=1)
    begun, go_on = threading.Event(), threading.Event()
    done: list[Job] = []

    def handle(kernel: Kernel, one: Job) -> None:
        begun.set()
        assert go_on.wait(30)
        ending(done)(kernel, one)

    one = Worker(world.kernel, {KIND: handle}, threads=1)
    one.start()
    assert begun.wait(30)
    ask(world, number=2)
    stopping = in_thread(one.stop)
    go_on.set()
    stopping.join(30)
    assert [each.payload["number"] for each in done] == [1]
    assert len(rows(world)) == 1


def test_stopping_ends_though_a_handler_does_not(world: World) -> None:
    ask(world)
    begun, go_on = threading.Event(), threading.Event()

    def handle(_kernel: Kernel, _one: Job) -> None:
        begun.set()
        assert go_on.wait(30)

    one = Worker(world.kernel, {KIND: handle}, threads=1)
    one.start()
    assert begun.wait(30)
    one.stop(drain_seconds=0)
    go_on.set()
    assert len(rows(world)) == 1


@pytest.mark.promise("jobs-quick-beside-slow")
def test_what_waits_for_a_model_holds_up_nothing_else(world: World) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(kernel: Kernel, one: Job) -> None:
        begun.set()
        assert go_on.wait(30)
        ending([])(kernel, one)

    def quick(kernel: Kernel, one: Job) -> None:
        ending([])(kernel, one)
        ended.set()

    for _ in range(3):
        ask(world)
    one = Worker(world.kernel, {KIND: wait, "test.quick": quick}, slow={KIND})
    one.start()
    assert begun.wait(30)
    world.kernel.writer.commit(world.space_id, lambda tx: enqueue(tx, "test.quick", {}))
    assert ended.wait(30)
    assert len(rows(world)) == 3
    go_on.set()
    one.stop()


def test_spaces_take_turns(world: World) -> None:
    other, third = found_company(world.kernel), found_company(world.kernel)
    for each in (world, world, world, other, other, third):
        ask(each)
    done: list[Job] = []
    one = worker(world, ending(done))
    while one.piece():
        pass
    first = [job.space_id for job in done]
    assert set(first[:3]) == {world.space_id, other.space_id, third.space_id}
    assert set(first[3:5]) == {world.space_id, other.space_id}


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_who_administers_sees_what_is_not_done_yet(world: World) -> None:
    names = [ask(world, source_id="a-source", versions=3, is_half=True), ask(world)]
    fails = worker(world, lambda *_: Later(HOUR, {"versions": 7, "of": "b"}, "files_in_use"))
    assert fails.piece()
    seen: list[Any] = []

    def look(_kernel: Kernel, _one: Job) -> None:
        seen.extend(list_jobs(world.kernel, world.caller("manager"), Window(1, 0)).items)
        seen.extend(list_jobs(world.kernel, world.caller("admin"), Window(9, seen[0].ordinal)).items)

    assert worker(world, look).piece()
    assert [(one.job_id, one.kind, one.state, one.attempts, one.problem) for one in seen] == [
        (names[0], KIND, "waiting", 1, "files_in_use"),
        (names[1], KIND, "running", 0, None),
    ]
    # Numbers alone are progress: an id says more than who administers the space needs to know.
    assert [one.as_json()["progress"] for one in seen] == [{"versions": 7}, {}]
    page = list_jobs(world.kernel, world.caller("owner"), Window(1, 0))
    assert (len(page.items), page.ends_at) == (1, seen[0].ordinal)
    for who in ("reviewer", "operator", "auditor", "member", "billing"):
        assert code(partial(list_jobs, world.kernel, world.caller(who), Window(9, 0))) == "scope_missing"


def test_a_list_holds_what_cannot_be_read(world: World) -> None:
    job_id = ask(world)
    with world.kernel.database.write() as connection:
        connection.execute(job.update().where(job.c.job_id == job_id).values(payload="[3"))
    (one,) = list_jobs(world.kernel, world.caller("owner"), Window(9, 0)).items
    assert one.as_json()["progress"] == {}


def test_dropping_takes_the_job_from_whoever_has_it(world: World) -> None:
    commit = world.kernel.writer.commit
    held = commit(world.space_id, lambda tx: enqueue_held(tx, KIND, {"source_id": "one", "n": 1}))
    other = commit(world.space_id, lambda tx: enqueue_held(tx, KIND, {"source_id": "two", "n": 1}))
    assert commit(world.space_id, lambda tx: drop(tx, KIND, source_id="one")) == 1
    assert not commit(world.space_id, lambda tx: hold(tx, held))
    assert commit(world.space_id, lambda tx: hold(tx, other))
    assert commit(world.space_id, lambda tx: drop(tx, KIND)) == 1


def test_what_a_caller_holds_is_not_taken_while_its_lease_is_kept(world: World) -> None:
    held = world.kernel.writer.commit(world.space_id, lambda tx: enqueue_held(tx, KIND, {}))
    leases = Leases(world.kernel)
    leases.add(held)
    for _ in range(3):
        later(world, 20 * SECOND)
        leases.beat()
        assert not worker(world, ending([])).piece()
    leases.discard(held)
    later(world, 20 * SECOND)
    leases.beat()
    later(world, 20 * SECOND)
    assert worker(world, ending([])).piece()
