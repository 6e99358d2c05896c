"""When a call is tried again, how long it pauses, and when it gives up."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.client import Retries
from tarimba.client.errors import (
    BadResponseError,
    BudgetExceededError,
    ConnectionFailedError,
    Facts,
    RateLimitedError,
    TarimbaError,
)
from tests.unit.client.scripted import Script, block, problem

pytestmark = pytest.mark.usefixtures("kind")

PASSING = [problem(status, "x") for status in (429, 500, 502, 503, 504)]
FINAL = [problem(status, "x") for status in (400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 501)]


@pytest.mark.parametrize(
    "failing", [*PASSING, httpx.ConnectError("x"), httpx.RemoteProtocolError("x"), httpx.WriteError("x")]
)
def test_what_may_pass_is_tried_again(failing: httpx.Response | Exception) -> None:
    script = Script(failing, failing, block())
    with script.client() as client:
        assert client.agent_memory().source == "network"
    assert script.pauses == [0.05, 0.1]


@pytest.mark.parametrize("failing", [*FINAL, httpx.ReadTimeout("x"), httpx.Response(200, content=b"?")])
def test_what_will_not_pass_is_not_tried_again(failing: httpx.Response | Exception) -> None:
    script = Script(failing)
    with script.client() as client:
        assert client.agent_memory().error is not None
    assert len(script.sent) == 1


def test_the_pauses_of_a_call_fit_its_budget() -> None:
    script = Script(problem(503, "unavailable"))
    with script.client() as client:
        client.agent_memory()
        assert sum(script.pauses) < 0.3
        assert len(script.sent) == 3
        client.remember("pitfall", "t", "b")
    assert len(script.sent) == 3 + Retries().attempts


def test_a_server_that_names_a_moment_within_the_budget_is_heard() -> None:
    script = Script(problem(429, "rate_limited", retry_after="2"), httpx.Response(200, json={"notes": []}))
    with script.client() as client:
        assert client.remember("pitfall", "t", "b").error is None
        assert script.pauses == [2.05]


@pytest.mark.parametrize("header", ["0.3", "60", "-1", "soon"])
def test_a_moment_beyond_the_budget_ends_the_call_and_nonsense_is_no_moment(header: str) -> None:
    script = Script(problem(429, "rate_limited", retry_after=header))
    with script.client() as client:
        assert client.search_agent_memory("q").error == "rate_limited"
    assert (len(script.sent) == 1) is (header == "60")


def test_the_moment_may_be_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    script = Script(problem(429, "rate_limited", retry_after=soon))
    with script.client() as client:
        retry_after = client.remember("pitfall", "t", "b").retry_after
    assert retry_after is not None
    assert 0 < retry_after <= 3600


@given(
    made=st.integers(1, 10),
    left=st.floats(0, 10),
    draw=st.floats(0, 1),
    asked=st.none() | st.floats(0, 100),
)
def test_a_pause_is_never_shorter_than_asked_nor_longer_than_what_is_left(
    made: int, left: float, draw: float, asked: float | None
) -> None:
    error = RateLimitedError("rate_limited", "", Facts(429, asked))
    pause = Retries().pause(error, made, left, draw)
    if pause is not None:
        assert (asked or 0) <= pause < left
        assert made < Retries().attempts
        assert asked is not None or pause <= Retries().longest


def test_jitter_takes_up_to_half_of_a_pause() -> None:
    error = ConnectionFailedError("connection_failed", "")
    pauses = [Retries().pause(error, 2, 9, draw) for draw in (0.0, 0.5, 1.0)]
    assert pauses == pytest.approx([0.05, 0.075, 0.1])


@pytest.mark.parametrize("error", [BudgetExceededError("timeout", ""), BadResponseError("bad_response", "")])
def test_some_errors_never_pass(error: TarimbaError) -> None:
    assert Retries().pause(error, 1, 9, 0.5) is None
