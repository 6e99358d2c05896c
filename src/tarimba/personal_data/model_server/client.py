"""Asking a model server for the people in some texts: within a budget, with one more try, or not at all.

Fail closed: whatever is missing, late, malformed or out of range is `detectors_unavailable`, and nothing is stored.
Neither a text nor a stretch of one is ever logged.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

import structlog

from tarimba.errors import Refusal
from tarimba.exchange import Exchange, NoAnswerError, Reply
from tarimba.personal_data.model import Finding, Strictness, Told
from tarimba.personal_data.model_server.breaker import Breaker
from tarimba.personal_data.model_server.contract import (
    LANGUAGES,
    VERSION_HEADER,
    Ask,
    ContractError,
    Entity,
    ask_json,
    read_entities,
)
from tarimba.personal_data.model_server.pages import Page, pages
from tarimba.personal_data.model_server.rules import ASKED, people

LAYER: Final = "model_server"
KIND: Final = "name"
THRESHOLDS: Final[Mapping[Strictness, float]] = MappingProxyType({"recall": 0.35, "precision": 0.6})
"""The least score of a person that counts."""

# What is asked and how answers are read: raised when that changes, so that stored notes are scanned again.
_READER: Final = "1"
_ATTEMPTS: Final = 2
_HEALTH: Final = "health"
_FRESH_SECONDS: Final = 60.0
T = TypeVar("T")


class Carrier(Protocol):
    """What brings a request to the server and an answer back: an `Exchange`."""

    def send(self, method: str, path: str, body: bytes, until: float) -> Reply: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and the label by which its operator tells its states apart when it names no version."""

    url: str
    label: str = ""


class ModelServer:
    """One server, for any number of threads. `budget` is in seconds and for all requests of one call."""

    def __init__(
        self,
        address: Address,
        budget: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        carrier: Carrier | None = None,
    ) -> None:
        self._address = address
        self._budget = budget
        self._clock = clock
        self._carrier = carrier or Exchange(address.url, clock)
        # One for each language: a server that lacks one still serves the spaces of the others.
        self._breakers = {name: Breaker(clock) for name in (*LANGUAGES, _HEALTH)}
        self._log = structlog.get_logger("tarimba.detectors")
        self._seen: str | None = None
        self._seen_at = 0.0

    @property
    def version(self) -> str:
        """What the server's answers depend on, as it said a minute ago at most. Raises 503 `detectors_unavailable`."""
        if self._seen is None or self._clock() - self._seen_at > _FRESH_SECONDS:
            return self._remember(self._guarded(_HEALTH, self._healthy))
        return self._seen

    @property
    def given_up(self) -> Mapping[str, bool]:
        """By the language: whether it failed so often that nobody waits for it."""
        return {language: self._breakers[language].is_open for language in LANGUAGES}

    def find(self, texts: Sequence[str], language: str, strictness: Strictness = "recall", /) -> Told:
        """The people in each text. Raises 503 `detectors_unavailable` unless all of them were looked at."""
        asked = pages(texts)
        if not asked:
            return Told(MappingProxyType({}), self.version)
        threshold = THRESHOLDS[strictness]
        found: dict[str, list[Finding]] = {}
        versions: set[str] = set()
        for page, answer in zip(asked, self._answers(asked, language, threshold), strict=True):
            versions.add(answer.version)
            for person in people(page.text, answer.entities, threshold, page.seams):
                for number, finding in page.findings(person, KIND, LAYER):
                    found.setdefault(texts[number], []).append(finding)
        return Told(found, self._remember(" ".join(sorted(versions))))

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._carrier.close()

    def _answers(self, asked: Sequence[Page], language: str, threshold: float) -> list[_Answer]:
        bodies = [ask_json(Ask(page.text, language, ASKED, threshold)) for page in asked]

        def work(until: float) -> list[_Answer]:
            return [self._analysed(page, body, until) for page, body in zip(asked, bodies, strict=True)]

        return self._guarded(language, work)

    def _guarded(self, language: str, work: Callable[[float], T]) -> T:
        """What `work` returns, given the moment at which it has to be over; nobody works while the breaker is open."""
        breaker = self._breakers[language]
        wait = breaker.wait()
        if wait:
            raise _unavailable(wait)
        is_good = False
        try:
            result = work(self._clock() + self._budget)
            is_good = True
        except NoAnswerError as error:
            self._log.warning("detectors.no_answer", reason=error.reason, language=language)
            raise _unavailable(1) from None
        finally:
            breaker.report(is_good=is_good)
        return result

    def _remember(self, version: str) -> str:
        self._seen, self._seen_at = version, self._clock()
        return version

    def _healthy(self, until: float) -> str:
        def read(reply: Reply) -> str:
            # A version that only answers carry, set by a proxy perhaps, must not come and go.
            return self._seen if self._seen and _version_header(reply) is None else self._version_in(reply)

        return self._tried("GET", "/health", b"", until, read)

    def _analysed(self, page: Page, body: bytes, until: float) -> _Answer:
        def read(reply: Reply) -> _Answer:
            if reply.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                raise ContractError("The answer is not JSON.")
            return _Answer(read_entities(reply.body, len(page.text)), self._version_in(reply))

        return self._tried("POST", "/analyze", body, until, read)

    def _tried(self, method: str, path: str, body: bytes, until: float, read: Callable[[Reply], T]) -> T:
        for left in reversed(range(_ATTEMPTS)):
            try:
                return read(_good(self._carrier.send(method, path, body, until)))
            except ContractError:
                error = NoAnswerError("malformed")
            except NoAnswerError as raised:
                error = raised
            if not left or not error.again:
                raise error
        raise AssertionError("the last attempt returns or raises")

    def _version_in(self, reply: Reply) -> str:
        told = _version_header(reply)
        text = "\n".join([_READER, told] if told else [_READER, self._address.url, self._address.label])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Answer:
    entities: tuple[Entity, ...]
    version: str


def _version_header(reply: Reply) -> str | None:
    return reply.headers.get(VERSION_HEADER.lower())


def _good(reply: Reply) -> Reply:
    if reply.status == 200:
        return reply
    # What it refuses once it refuses again; and to follow a redirect would send the text elsewhere.
    raise NoAnswerError(f"status_{reply.status}", again=reply.status >= 500)


def _unavailable(seconds: float) -> Refusal:
    return Refusal(
        "detectors_unavailable",
        "The server of the personal-data detectors gives no answer. Nothing was stored; try again later.",
        retry_after=max(1, math.ceil(seconds)),
    )
