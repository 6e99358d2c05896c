"""The whole application on a real socket in this process, so that a test also holds its kernel."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from tarimba.app import before, build_app
from tarimba.kernel import Kernel
from tests.e2e.company import MEMORY, NOTE, Company, Place, found_in, log_of
from tests.fixtures.sockets import listener

UNKNOWN = "01900000-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Api:
    """A server and the kernel behind it."""

    place: Place
    kernel: Kernel
    http: httpx.Client

    def found(self, **settings: Any) -> Company:
        return found_in(self.kernel, **settings)

    def call(self, company: Company, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        """A request as that caller: of an agent by its slug, `admin`, a role, or by a bearer string."""
        headers = company.headers(who) | options.pop("headers", {})
        return self.http.request(method, path, headers=headers, **options)

    def tool(self, company: Company, who: str, name: str, **arguments: Any) -> httpx.Response:
        """A call of a tool over the Model Context Protocol."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"accept": "application/json, text/event-stream"}
        return self.call(company, who, "POST", "/mcp", json=message, headers=headers)

    def write(self, company: Company, who: str = "billing", **fields: Any) -> dict[str, Any]:
        """A note that was kept; people and the admin key write for `billing`."""
        if who not in company.sources:
            fields["source_id"] = company.sources[fields.pop("owner", "billing")]
        answer = self.call(company, who, "POST", f"{MEMORY}/notes", json=NOTE | fields)
        assert answer.status_code == 201, answer.text
        note: dict[str, Any] = answer.json()["note"]
        return note

    def actions(self, company: Company) -> list[str]:
        """What the log says was done, oldest first."""
        return [stored.document["action"] for stored in log_of(self.kernel, company)]


@contextmanager
def serving(place: Place, **options: Any) -> Iterator[Api]:
    """The API over the data of `place`."""
    with place.kernel(**options) as kernel, listener() as listening:
        trusted = before(kernel.settings)
        config = uvicorn.Config(
            build_app(kernel), log_config=None, access_log=False, lifespan="on", **trusted
        )
        server = uvicorn.Server(config)
        # Requests wait in the socket's queue until the server accepts, so nobody has to wait for it to start.
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            with httpx.Client(base_url=base_url, timeout=120) as client:
                yield Api(place, kernel, client)
        finally:
            server.should_exit = True
            thread.join()
