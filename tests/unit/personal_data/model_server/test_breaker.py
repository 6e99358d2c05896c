"""The circuit breaker on a clock that a test moves."""

from tarimba.personal_data.model_server.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _failed(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        assert breaker.wait() == 0
        breaker.report(is_good=False)


def test_it_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker(Clock(), failures_max=3, pause=5)
    _failed(breaker, 2)
    breaker.report(is_good=True)
    _failed(breaker, 3)
    assert breaker.wait() == 5


def test_it_admits_one_probe_a_pause_and_closes_after_a_good_one() -> None:
    clock = Clock()
    breaker = Breaker(clock, failures_max=3, pause=5)
    _failed(breaker, 3)
    clock.now += 4
    assert breaker.wait() == 1
    clock.now += 1
    assert [breaker.wait(), breaker.wait()] == [0, 5]
    breaker.report(is_good=False)
    assert breaker.wait() == 5
    clock.now += 5
    assert breaker.wait() == 0
    breaker.report(is_good=True)
    assert [breaker.wait(), breaker.wait()] == [0, 0]


def test_a_probe_that_never_reports_holds_up_one_pause() -> None:
    clock = Clock()
    breaker = Breaker(clock, failures_max=1, pause=5)
    _failed(breaker, 1)
    clock.now += 5
    assert breaker.wait() == 0
    clock.now += 5
    assert breaker.wait() == 0
