"""An application of ASGI on a real socket in this process."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from tests.fixtures.sockets import listener


@contextmanager
def serving_app(app: Any, port: int = 0, certificate: tuple[Path, Path] | None = None) -> Iterator[int]:
    """The port that `app` is served on; with `certificate` (its file and its key's) over TLS."""
    with listener(port) as listening:
        options: dict[str, Any] = {"log_config": None, "access_log": False, "lifespan": "off"}
        if certificate is not None:
            options |= {"ssl_certfile": certificate[0], "ssl_keyfile": certificate[1]}
            options["ssl_version"] = ssl.PROTOCOL_TLS_SERVER
        server = uvicorn.Server(uvicorn.Config(app, **options))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
