"""Upkeep: every task gets its turn, whatever the others do."""

import threading

from tarimba.jobs.service import Upkeep


def test_a_round_runs_every_task_and_tells_whether_more_waits() -> None:
    ran: list[str] = []

    def one() -> bool:
        ran.append("one")
        return len(ran) < 3

    assert Upkeep({"one": one}).round() is True
    assert Upkeep({"none": lambda: False}).round() is False


def test_a_task_that_fails_does_not_keep_the_others_from_theirs() -> None:
    ran: list[str] = []

    def fail() -> bool:
        raise ValueError

    def work() -> bool:
        ran.append("work")
        return False

    assert Upkeep({"fail": fail, "work": work}).round() is False
    assert ran == ["work"]


def test_it_goes_on_by_itself_until_it_is_stopped() -> None:
    thrice = threading.Event()
    left = [3]

    def work() -> bool:
        left[0] -= 1
        if left[0] == 0:
            thrice.set()
        return left[0] > 0

    upkeep = Upkeep({"work": work}, tick_seconds=0.001)
    upkeep.start()
    assert thrice.wait(30)
    upkeep.stop()
    done = left[0]
    assert upkeep.round() is False
    assert left[0] == done - 1
