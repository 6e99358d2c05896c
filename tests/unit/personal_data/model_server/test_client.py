"""The client over a scripted carrier: what is asked, what counts as an answer, how often it asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tarimba.errors import Refusal
from tarimba.exchange import NoAnswerError, Reply
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Strictness
from tarimba.personal_data.model_server.breaker import FAILURES_MAX, PAUSE_SECONDS
from tarimba.personal_data.model_server.client import THRESHOLDS, Address, ModelServer
from tarimba.personal_data.model_server.contract import VERSION_HEADER
from tests.unit.personal_data.model_server.test_breaker import Clock

JSON = {"content-type": "application/json; charset=utf-8"}
NOTE = {"title": "Emitir segunda via", "body": "Falar com a Ana Prado.", "tags": ["boleto", "crm"]}
Step = Reply | Exception | Callable[[dict[str, Any]], Reply]


def people_in(body: dict[str, Any]) -> Reply:
    """A model that knows one person."""
    at = body["text"].find("Ana Prado")
    found = [{"entity_type": "PERSON", "start": at, "end": at + 9, "score": 0.85}] if at >= 0 else []
    return Reply(200, JSON, json.dumps(found).encode())


class Scripted:
    """Answers step by step, the last step for ever after. Each answer takes some seconds of the clock."""

    def __init__(self, clock: Clock, *steps: Step, seconds: float = 0.0) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.closed = False
        self._clock = clock
        self._steps = list(steps)
        self._seconds = seconds

    def send(self, method: str, path: str, body: bytes, until: float) -> Reply:
        asked = json.loads(body) if body else None
        self.asked.append((method, path, asked))
        self._clock.now += self._seconds
        if self._clock.now > until:
            raise NoAnswerError("timeout")
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Reply) else step(asked or {})

    def close(self) -> None:
        self.closed = True


def served(*steps: Step, seconds: float = 0.0, label: str = "") -> tuple[Detectors, Scripted, Clock]:
    clock = Clock()
    carrier = Scripted(clock, *steps, seconds=seconds)
    address = Address("http://127.0.0.1:1", label)
    server = ModelServer(address, 0.3, clock=clock, carrier=carrier)
    return Detectors.of().beside(server), carrier, clock


def refused(detectors: Detectors, **options: Any) -> Refusal:
    with pytest.raises(Refusal) as raised:
        detectors.check(NOTE, **options)
    assert raised.value.code == "detectors_unavailable"
    return raised.value


BROKEN = (
    pytest.param(NoAnswerError("timeout"), id="silent"),
    pytest.param(NoAnswerError("connection"), id="unreachable"),
    pytest.param(NoAnswerError("too_long", again=False), id="too long"),
    pytest.param(Reply(500, JSON, b"[]"), id="500"),
    pytest.param(Reply(503, JSON, b"[]"), id="503"),
    pytest.param(Reply(422, JSON, b"[]"), id="422"),
    pytest.param(Reply(204, JSON, b""), id="204"),
    pytest.param(Reply(302, {"location": "http://127.0.0.1:2/"}, b""), id="redirect"),
    pytest.param(Reply(200, JSON, b"{}"), id="other JSON"),
    pytest.param(Reply(200, {"content-type": "text/html"}, b"[]"), id="HTML"),
    pytest.param(Reply(200, {}, b"[]"), id="no type"),
    pytest.param(
        Reply(200, JSON, b'[{"entity_type": "PERSON", "start": 0, "end": 999, "score": 1}]'),
        id="out of range",
    ),
)


@pytest.mark.promise("names-fail-closed")
@pytest.mark.parametrize("step", BROKEN)
def test_whatever_is_no_answer_refuses_the_check(step: Step) -> None:
    detectors, _, _ = served(step)
    refusal = refused(detectors)
    assert (refusal.status, refusal.retry_after) == (503, 1)
    assert "Prado" not in refusal.detail


def test_a_note_is_asked_about_in_one_request_in_the_language_of_its_space() -> None:
    detectors, carrier, _ = served(people_in)
    verdict = detectors.check(NOTE, language="es")
    assert [(f.field, f.kind, f.start, f.end) for f in verdict.findings] == [("body", "name", 12, 21)]
    ((method, path, asked),) = carrier.asked
    assert (method, path, asked["language"]) == ("POST", "/analyze", "es")
    assert asked["entities"] == ["LOCATION", "ORGANIZATION", "PERSON"]
    assert asked["text"] == "Emitir segunda via\n\nFalar com a Ana Prado.\n\nboleto\n\ncrm"


@pytest.mark.parametrize(("strictness", "kinds"), [("recall", ("name",)), ("precision", ())])
def test_a_person_needs_a_better_score_than_an_agent(strictness: Strictness, kinds: tuple[str, ...]) -> None:
    def unsure(asked: dict[str, Any]) -> Reply:
        return Reply(200, JSON, people_in(asked).body.replace(b"0.85", b"0.5"))

    detectors, carrier, _ = served(unsure)
    assert detectors.check(NOTE, strictness=strictness).kinds == kinds
    assert carrier.asked[0][2]["score_threshold"] == THRESHOLDS[strictness]


def test_turns_are_masked_by_what_it_says() -> None:
    detectors, _, _ = served(people_in)
    assert [(f.start, f.end) for f in detectors.spans("oi Ana Prado")] == [(3, 12)]


def test_ids_are_judged_without_it() -> None:
    detectors, carrier, _ = served(NoAnswerError("timeout"))
    assert not detectors.flags("Ana Prado")
    assert not carrier.asked


@pytest.mark.parametrize(
    "step", [NoAnswerError("connection"), Reply(500, JSON, b""), Reply(200, JSON, b"{}")]
)
def test_a_failure_is_tried_once_more(step: Step) -> None:
    detectors, carrier, _ = served(step, people_in)
    assert detectors.check(NOTE).kinds == ("name",)
    assert len(carrier.asked) == 2
    detectors, carrier, _ = served(step, step, people_in)
    refused(detectors)
    assert len(carrier.asked) == 2


@pytest.mark.parametrize(
    "step", [Reply(422, JSON, b""), Reply(302, {}, b""), NoAnswerError("x", again=False)]
)
def test_what_would_fail_again_is_not_tried_again(step: Step) -> None:
    detectors, carrier, _ = served(step, people_in)
    refused(detectors)
    assert len(carrier.asked) == 1


@pytest.mark.promise("names-fail-closed")
def test_all_tries_share_one_budget() -> None:
    detectors, carrier, clock = served(Reply(500, JSON, b""), people_in, seconds=0.2)
    before = clock.now
    refused(detectors)
    assert len(carrier.asked) == 2
    assert clock.now - before < 0.41
    detectors, _, _ = served(Reply(500, JSON, b""), people_in, seconds=0.14)
    assert detectors.check(NOTE).kinds == ("name",)


def test_an_open_breaker_refuses_without_asking_and_tells_when_to_come_again() -> None:
    down: list[Step] = [NoAnswerError("connection")] * (2 * FAILURES_MAX)
    detectors, carrier, clock = served(*down, people_in)
    for _ in range(FAILURES_MAX):
        refused(detectors)
    asked = len(carrier.asked)
    assert refused(detectors).retry_after == PAUSE_SECONDS
    assert len(carrier.asked) == asked
    clock.now += PAUSE_SECONDS
    assert detectors.check(NOTE).kinds == ("name",)
    assert detectors.check(NOTE).kinds == ("name",)


def test_a_language_that_the_server_lacks_does_not_stop_the_others() -> None:
    def only_english(asked: dict[str, Any]) -> Reply:
        return people_in(asked) if asked["language"] == "en" else Reply(500, JSON, b"")

    detectors, _, _ = served(only_english)
    for _ in range(FAILURES_MAX + 1):
        refused(detectors, language="pt")
    assert detectors.check(NOTE, language="en").kinds == ("name",)


def test_the_version_of_a_verdict_follows_the_servers() -> None:
    def told(version: str) -> Callable[[Any], Reply]:
        headers = JSON | {VERSION_HEADER.lower(): version}
        return lambda _: Reply(200, headers, b"[]")

    detectors, _, _ = served(told("1"), told("2"), told("2"))
    first, second, third = [detectors.check(NOTE).version for _ in range(3)]
    assert first != second == third == detectors.version
    assert first != Detectors.of().version


def test_a_server_without_a_version_is_known_by_its_address_and_label() -> None:
    versions = {served(people_in, label=label)[0].check(NOTE).version for label in ("", "", "b")}
    assert len(versions) == 2


def test_the_version_in_force_is_asked_for_when_nothing_was_checked_yet() -> None:
    detectors, carrier, _ = served(Reply(200, {VERSION_HEADER.lower(): "7"}, b"text"))
    assert detectors.version == detectors.version
    assert [asked[:2] for asked in carrier.asked] == [("GET", "/health")]
    detectors, _, _ = served(NoAnswerError("connection"))
    with pytest.raises(Refusal, match="gives no answer"):
        assert detectors.version


def test_a_version_that_changes_while_nobody_writes_is_heard_of_within_minutes() -> None:
    def healthy(version: str) -> Reply:
        return Reply(200, {VERSION_HEADER.lower(): version}, b"")

    detectors, carrier, clock = served(healthy("1"), healthy("2"))
    first = detectors.version
    clock.now += 59
    assert detectors.version == first
    assert len(carrier.asked) == 1
    clock.now += 2
    assert detectors.version != first


def test_a_version_that_only_answers_carry_stays() -> None:
    answer = Reply(200, JSON | {VERSION_HEADER.lower(): "1"}, b"[]")
    detectors, _, clock = served(answer, Reply(200, {}, b""))
    checked = detectors.check(NOTE).version
    clock.now += 61
    assert detectors.version == checked


def test_the_logs_name_a_reason_and_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    refused(served(Reply(200, JSON, b'[{"entity_type": "Ana Prado"}]'))[0])
    written = "".join(capsys.readouterr())
    assert "detectors.no_answer" in written
    assert "malformed" in written
    assert "Prado" not in written


def test_closing_reaches_the_connections() -> None:
    detectors, carrier, _ = served(people_in)
    detectors.close()
    Detectors.of().close()
    assert carrier.closed
