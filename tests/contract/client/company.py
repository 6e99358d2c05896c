"""Clients of a served company."""

from typing import Any

import httpx

from tarimba.client import AsyncTarimba, Budgets, Options, Tarimba
from tests.contract.notes.world import World
from tests.unit.client.kinds import Awaited, Client


class Company:
    """`now` is the time of its clients, in seconds; `kind` what they are: of threads, or of asyncio."""

    def __init__(self, world: World, base_url: str, kind: str = "threads") -> None:
        self.kind = kind
        self.world = world
        self.base_url = base_url
        self.now = 0.0

    def revoke(self, key: str) -> None:
        """What an administrator does when a key has leaked."""
        key_id = self.world.caller(key).key_id
        bearer = {"authorization": f"Bearer {self.world.bearers['admin']}"}
        response = httpx.post(f"{self.base_url}/v1/admin/keys/{key_id}/revoke", headers=bearer)
        assert response.status_code == httpx.codes.OK, response.text

    def client(self, key: str = "billing", *, strict: bool = False) -> Client:
        if self.kind == "threads":
            return self.threaded(key, strict=strict)
        return Awaited(self.awaited(key, strict=strict))

    def threaded(
        self, key: str = "billing", *, strict: bool = False, transport: httpx.BaseTransport | None = None
    ) -> Tarimba:
        bearer = self.world.bearers[key]
        return Tarimba(bearer, self.base_url, strict=strict, options=self._options(), transport=transport)

    def awaited(self, key: str = "billing", *, strict: bool = False) -> AsyncTarimba:
        return AsyncTarimba(self.world.bearers[key], self.base_url, strict=strict, options=self._options())

    def _options(self) -> Options:
        # What is asserted here is not speed, so a busy machine has all the time it needs.
        roomy = Budgets(block=60, search=60, remember=60)
        return Options(budgets=roomy, clock=lambda: self.now, sleep=lambda _: None)


class LosesAnswers(httpx.BaseTransport):
    """Delivers every request, and loses the answer of the first `count`."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        response.read()
        if self._left:
            self._left -= 1
            raise httpx.ReadError("the connection broke")
        return response

    def close(self) -> None:
        self._inner.close()


def note(**fields: Any) -> dict[str, Any]:
    return {"kind": "tool_note", "title": "post_credit wants cents", "body": "Send whole cents."} | fields
