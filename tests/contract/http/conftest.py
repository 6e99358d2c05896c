"""The toy API on a real server and real sockets."""

import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn

from tests.unit.http.toys import KEY, Api


@pytest.fixture(scope="module")
def api() -> Api:
    return Api(body_max=1024, import_max=200_000)


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request: pytest.FixtureRequest, api: Api) -> Iterator[httpx.URL]:
    """Its base URL. Once with each of the two parsers that the server can run on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(api.app, http=request.param, log_config=None, access_log=False, lifespan="on")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        # Connections wait in the listener's queue until the server takes them.
        yield httpx.URL(f"http://127.0.0.1:{listener.getsockname()[1]}")
        running.should_exit = True
        thread.join()


@pytest.fixture
def client(server: httpx.URL) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {KEY}"}) as client:
        yield client
