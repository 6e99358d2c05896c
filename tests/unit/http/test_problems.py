"""The one shape of a refusal."""

import asyncio
import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from tarimba.errors import CODES, Refusal
from tarimba.http import problems
from tarimba.http.reply import messages
from tarimba.ids import new_id
from tests.unit.http.toys import SECRET


@pytest.mark.parametrize("code", CODES)
def test_every_code_of_the_table_becomes_a_document(code: str) -> None:
    request_id = new_id()
    start, body = messages(problems.reply(Refusal(code, "Why.", retry_after=3), request_id))
    document = json.loads(body["body"])
    assert document == {
        "type": f"urn:tarimba:problem:{code}",
        "title": CODES[code].title,
        "status": CODES[code].status,
        "code": code,
        "request_id": request_id,
        "detail": "Why.",
    }
    headers = dict(start["headers"])
    assert start["status"] == CODES[code].status
    assert headers[b"content-type"] == b"application/problem+json"
    assert headers[b"content-length"] == str(len(body["body"])).encode()
    assert headers[b"retry-after"] == b"3"
    assert (b"www-authenticate" in headers) == (code == "unauthenticated")


def test_extra_members_stand_beside_the_standard_ones() -> None:
    extra = {"findings": [{"kind": "cpf", "start": 1}], "code": "mine", "status": 200}
    document = problems.document(Refusal("conflict", "Why.", extra=extra), new_id())
    assert document["findings"] == extra["findings"]
    assert (document["code"], document["status"]) == ("conflict", 409)


@pytest.mark.parametrize("header", [None, b"", b"Bearer", b"Bearer  ", b"Token x", b"bearerx"])
def test_a_header_without_bearer_is_401(header: bytes | None) -> None:
    with pytest.raises(Refusal) as refused:
        problems.read_bearer(header)
    assert refused.value.code == "unauthenticated"


def test_what_follows_bearer_is_taken() -> None:
    assert problems.read_bearer(b"bEARER  tar_x ") == "tar_x"


class TestGuard:
    def run(self, app: Any, kind: str = "http") -> list[Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": f"{kind}.disconnect"}

        asyncio.run(problems.Guard(app)({"type": kind}, receive, send))
        return sent

    def test_an_error_after_the_answer_began_is_logged_and_not_answered_twice(self) -> None:
        async def app(_scope: Any, _receive: Any, send: Any) -> None:
            await send({"type": "http.response.start"})
            raise KeyError(SECRET)

        with capture_logs() as logs:
            assert self.run(app) == [{"type": "http.response.start"}]
        assert logs[0]["error"] == "KeyError"
        assert SECRET not in str(logs)

    def test_an_error_at_start_is_the_operators_to_see(self) -> None:
        async def app(*_: Any) -> None:
            raise KeyError

        with pytest.raises(KeyError):
            self.run(app, "lifespan")
