"""The skin of the API: from a request to a use case and back, by the declaration of its route.

On the event loop only bytes are moved. Everything else, from authenticating to encoding the answer, happens in
one hop to a thread.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import cached_property
from typing import Any, Final

import structlog
from fastapi import FastAPI

from tarimba.http import openapi, problems
from tarimba.http.body import Receive
from tarimba.http.exchange import Bound, Exchange, Shared
from tarimba.http.reply import Send, encode
from tarimba.http.route import Answer, Call, Identify, Route
from tarimba.http.table import Mounted, Table
from tarimba.http.threads import CLOSE_SECONDS, Threads
from tarimba.http.waiting import Waiting
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel

# Exports and imports wait for the other side of the network; they must not take the threads of everybody else.
STREAM_THREADS: Final = 4
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class Description:
    """What GET /openapi.json answers, made when somebody first asks: a server that starts has better to do."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._routes = routes

    @cached_property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document."""
        return openapi.document(self._routes)

    @cached_property
    def encoded(self) -> bytes:
        """The same as JSON."""
        return encode(self.document)


class Skin:
    """Serves `routes` (with GET /openapi.json among them) as an ASGI application of its own.

    `identify` tells who a bearer string is, or raises 401.
    """

    def __init__(self, kernel: Kernel, routes: Sequence[Route], *, identify: Identify = authenticate) -> None:
        self.description = Description(routes)
        self.routes = (*routes, _description_route(self.description))
        self.table = Table((route.path, route.method, Bound(kernel, route)) for route in self.routes)
        settings = kernel.settings
        self._shared = Shared(
            kernel,
            identify,
            Threads(settings.threads, settings.queue_max, "tarimba-http"),
            Threads(STREAM_THREADS, settings.queue_max, "tarimba-stream"),
            Waiting(),
            structlog.get_logger("tarimba.http"),
        )
        # The threads know nothing of this object, so they end with it where nobody closes it.
        for threads in (self._shared.threads, self._shared.streams):
            weakref.finalize(self, threads.dismiss)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        found = scope.get("tarimba.found") or self.table.find(scope["path"])
        methods, path = found or (None, {})
        bound = methods.get(scope["method"]) if methods else None
        if bound is not None and bound.endpoint is not None:
            await bound.endpoint(scope, receive, send)
            return
        await Exchange(self._shared, scope, receive, send, path).run(methods)

    def open(self) -> None:
        """Serves again after `close()`. A new skin is open."""
        self._shared.threads.open()
        self._shared.streams.open()

    def close(self) -> None:
        """Gives the requests under way a few seconds to end, and ends the threads."""
        for threads in (self._shared.threads, self._shared.streams):
            threads.close(self._shared.kernel.draining.left(CLOSE_SECONDS))


def make_app(
    kernel: Kernel,
    routes: Sequence[Route],
    *,
    lifespan: Lifespan | None = None,
    identify: Identify = authenticate,
) -> FastAPI:
    """An app that serves the routes within `lifespan` and ends the skin's threads after it."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        skin.open()
        async with lifespan(app) if lifespan else nullcontext():
            yield
        # Elsewhere than on the loop: a request that still streams needs the loop to end.
        await asyncio.to_thread(skin.close)

    app = bare_app(lifespan=living)
    skin = mount(app, kernel, routes, identify=identify)
    return app


def bare_app(**options: Any) -> FastAPI:
    """An empty app as `mount` needs it: without pages that load code from elsewhere, without redirects."""
    return FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, **options)


def mount(
    app: FastAPI, kernel: Kernel, routes: Sequence[Route], *, identify: Identify = authenticate
) -> Skin:
    """Puts the routes into the app and makes all of the app refuse in one shape.

    Call it before the first request and close the skin when the app ends. Raises `ValueError` when the app has
    the framework's own documentation pages.
    """
    if app.docs_url or app.redoc_url or app.openapi_url:
        raise ValueError("the app must come from bare_app()")
    skin = Skin(kernel, routes, identify=identify)
    app.router.routes.append(Mounted(skin.table, skin))
    app.router.default = _default(app, skin)
    app.openapi = lambda: skin.description.document  # type: ignore[method-assign]
    problems.install(app)
    return skin


def _default(app: FastAPI, skin: Skin) -> Any:
    framework = app.router.default

    async def unknown(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        await (skin if scope["type"] == "http" else framework)(scope, receive, send)

    return unknown


def _description_route(description: Description) -> Route:
    def describe(_kernel: Kernel, _call: Call) -> Answer:
        return Answer(description.encoded)

    return Route(
        "GET",
        "/openapi.json",
        describe,
        "The description of this API",
        "meta",
        receipt=None,
        exempt="It describes the API and holds no data.",
        public=True,
    )
