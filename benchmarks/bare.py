"""The yardstick: a FastAPI route under uvicorn that returns the bytes of a file and does nothing else.

Run: python -m benchmarks.bare PORT FILE. `/plain` returns a `Response` with the bytes, `/dict` what they
decode to; `/healthz` says that it is up. The server's settings are those of `tarimba serve`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Response

from tarimba.app import KEEP_ALIVE_SECONDS


def build(content: bytes) -> FastAPI:
    """The app over one answer."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    decoded: dict[str, Any] = json.loads(content)

    @app.get("/plain")
    async def plain() -> Response:
        return Response(content=content, media_type="application/json")

    @app.get("/dict", response_model=None)
    async def as_dict() -> dict[str, Any]:
        return decoded

    @app.get("/healthz")
    async def healthz() -> Response:
        return Response(content=b"{}", media_type="application/json")

    return app


def main() -> None:
    port, file = int(sys.argv[1]), Path(sys.argv[2])
    config = uvicorn.Config(
        build(file.read_bytes()),
        host="127.0.0.1",
        port=port,
        access_log=False,
        server_header=False,
        log_config=None,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
