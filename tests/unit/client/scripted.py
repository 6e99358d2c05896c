"""A client over a script: what the server answers in turn, a clock that only pauses move, and what was sent."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from tarimba.client import AsyncTarimba, Options, Tarimba
from tests.unit.client.kinds import Awaited, Client

URL = "https://tarimba.example"
KEY = "tar_sk_test_0123456789abcdef_aSecretThatIsNoSecretOfAnybody12"
Answer = httpx.Response | Exception
NOTE: Mapping[str, Any] = {
    "note_id": "0198a1b2-0000-7000-8000-000000000001",
    "source_id": "0198a1b2-0000-7000-8000-0000000000aa",
    "kind": "tool_note",
    "title": "post_credit wants cents",
    "body": "Amounts are whole cents.",
    "tags": ["post_credit"],
    "visibility": "source",
    "evidence": None,
    "origin": "agent",
    "version": 1,
    "supersedes_note_id": None,
    "status": "active",
    "valid_until": None,
    "created_at": "2026-01-05T10:00:00Z",
    "created_by": "0198a1b2-0000-7000-8000-0000000000aa",
}


class Script:
    """`transport` gives the answers in turn (the last one for ever after); `sent` has the requests."""

    kind = "threads"

    def __init__(self, *answers: Answer) -> None:
        self.sent: list[httpx.Request] = []
        self.pauses: list[float] = []
        self.now = 1000.0
        self._answers = list(answers)

    def client(self, *, strict: bool = False, key: str = KEY) -> Client:
        """A client of the kind that the fixture `kind` says, else one of threads."""
        if self.kind == "threads":
            return self.threaded(strict=strict, key=key)
        client = AsyncTarimba(
            key, URL, strict=strict, options=self._options(), transport=httpx.MockTransport(self.answer)
        )
        return Awaited(client)

    def threaded(self, *, strict: bool = False, key: str = KEY) -> Tarimba:
        transport = httpx.MockTransport(self.answer)
        return Tarimba(key, URL, strict=strict, options=self._options(), transport=transport)

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def then(self, *answers: Answer) -> None:
        self._answers = list(answers)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.sent]

    def headers(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.sent]

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        # A response is spent once read; the script may give it again.
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def _options(self) -> Options:
        return Options(clock=lambda: self.now, sleep=self.pause, draw=lambda: 1.0)


def block(
    text: str = "<agent_notes>\n...\n</agent_notes>", etag: str = "am-1", **more: Any
) -> httpx.Response:
    fields = {"text": text, "notes": ["n1"], "etag": etag, "tokens": 30, "enabled": True, "left_out": 2}
    return httpx.Response(200, json=fields | {"cache_hint": {}, "receipt_id": "r1"} | more)


def not_modified() -> httpx.Response:
    return httpx.Response(304, headers={"Tarimba-Receipt": "r2; seq=4; leaf=00"})


def problem(status: int, code: str, *, retry_after: str | None = None, **more: Any) -> httpx.Response:
    headers = {"content-type": "application/problem+json"} | (
        {"retry-after": retry_after} if retry_after else {}
    )
    fields = {"type": "about:blank", "title": "No", "status": status, "code": code, "request_id": "q1"}
    return httpx.Response(status, headers=headers, json=fields | {"detail": "A rule."} | more)
