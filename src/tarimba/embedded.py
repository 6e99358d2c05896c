"""The whole service in this process, on one SQLite file and without a port: what `Tarimba.embedded` opens.

A thread runs the same application that `tarimba serve` runs, and a transport hands it the client's requests.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import re
import threading
from collections.abc import Iterator, MutableMapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import structlog

from tarimba.app import build_app, open_kernel
from tarimba.background import working
from tarimba.client.client import Tarimba
from tarimba.client.errors import ClosedError, NotConfiguredError
from tarimba.client.options import Options
from tarimba.errors import Refusal
from tarimba.identity import hosting, spaces
from tarimba.identity.fleet import find_agent
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.storage import DatabaseError
from tarimba.vault import VaultError
from tarimba.workspaces.declaring import apply_text

URL: Final = "http://tarimba.embedded"
SCOPES: Final = ("agent_memory", "agent_memory:write", "context", "track")
_SPACE: Final = '[space]\nslug = "{space}"\nlanguage = "{language}"\n'
_ENABLED: Final = "[agent_memory]\nenabled = true\n"
_AGENT: Final = '[[vendor]]\nslug = "own"\n[[agent]]\nslug = "{agent}"\nvendor = "own"\n'
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


class Service(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport to the service that it runs, for threads and for any event loop.

    `kernel` is for whoever administers it. Raises `DatabaseError`, `VaultError` and `OSError`, each with a sentence for
    a person. It stays with the process that opened it: in a forked child its calls end as `closed`.
    """

    def __init__(self, settings: Settings) -> None:
        _hand_over_logs()
        self._pid = os.getpid()
        with ExitStack() as opening:
            self.kernel = opening.enter_context(open_kernel(settings))
            if settings.jobs:
                opening.enter_context(working(self.kernel, threads=1))
            app = build_app(self.kernel)
            self._loop = opening.enter_context(_living(app))
            opening.callback(self.kernel.draining.begin)
            # The first block must not pay for loading what counts tokens.
            self.kernel.tokenizer.count("warm")
            self._opened = opening.pop_all()
        self._ended = threading.Event()
        self._asgi = httpx.ASGITransport(app, raise_app_exceptions=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._begin(request).result()
        except CancelledError as error:
            raise _closed() from error

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await asyncio.wrap_future(self._begin(request))

    def end(self) -> None:
        """Ends what is under way, closes the file and leaves nothing running. Twice is once."""
        self._ended.set()
        # In a forked child there is nothing to end: the threads are the parent's.
        if os.getpid() == self._pid:
            self._opened.close()

    def _begin(self, request: httpx.Request) -> Future[httpx.Response]:
        if os.getpid() != self._pid:
            raise ClosedError("closed", "An embedded memory stays with its process: open one in each.")
        if self._ended.is_set():
            raise _closed()
        return asyncio.run_coroutine_threadsafe(self._answer(request), self._loop)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._asgi.handle_async_request(request)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())


class Embedded(Tarimba):
    """A client that has its server in it. Closing it closes the file."""

    def __init__(self, service: Service, key: str, *, strict: bool, options: Options) -> None:
        super().__init__(key, URL, strict=strict, options=options, transport=service)
        self._service = service

    def close(self) -> None:
        super().close()
        self._service.end()


def open_embedded(path: str | Path, *, agent: str, language: str, strict: bool, options: Options) -> Tarimba:
    """The client of an agent of the file, founded where it is missing. See `Tarimba.embedded`."""
    if _SLUG.match(agent) is None:
        raise NotConfiguredError("not_configured", "agent: use small letters, digits and single hyphens.")
    file = Path(path).resolve()
    settings = settings_of(file)
    with explained(), _alone(settings.data):
        service = Service(settings)
        try:
            key = _key_of(service.kernel, settings.data / "keys" / f"agent-{agent}.key", agent, language)
        except BaseException:
            service.end()
            raise
    return Embedded(service, key, strict=strict, options=options)


def settings_of(file: Path, **more: Any) -> Settings:
    """Those of the environment, for this file. Its keys are beside it, as the two are copied together."""
    return Settings.model_validate({"data": Path(f"{file}-data"), "db": f"sqlite:///{file}", **more})


def founded(kernel: Kernel, agent: str, language: str) -> Principal | None:
    """Makes the space and the agent where they are missing: then the host, None when the agent was there."""
    if not spaces.list_spaces(kernel):
        manifest = _SPACE.format(space="local", language=language) + _ENABLED + _AGENT.format(agent=agent)
        apply_text(kernel, manifest)
        return spaces.host_of(kernel, None)
    host = spaces.host_of(kernel, None)
    if _has_agent(kernel, host, agent):
        return None
    (space,) = spaces.list_spaces(kernel)
    apply_text(kernel, _SPACE.format(space=space.slug, language=space.language) + _AGENT.format(agent=agent))
    return host


def mint(kernel: Kernel, agent: str, scopes: Sequence[str] = SCOPES) -> str:
    """A new key of the agent: its secret."""
    key = hosting.mint_key(kernel, spaces.host_of(kernel, None), agent, "embedded", scopes, None)["key"]
    assert key is not None
    return key


def _key_of(kernel: Kernel, file: Path, agent: str, language: str) -> str:
    """The agent's key, which is kept in a file of its owner's: the database has only its digest."""
    if founded(kernel, agent, language) is None and file.exists():
        return file.read_text(encoding="ascii")
    key = mint(kernel, agent)
    whole = file.with_suffix(".new")
    with os.fdopen(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        opened.write(key)
        opened.flush()
        os.fsync(opened.fileno())
    whole.replace(file)
    return key


def _has_agent(kernel: Kernel, host: Principal, agent: str) -> bool:
    try:
        find_agent(kernel, host, agent)
    except Refusal as refused:
        if refused.code != "not_found":
            raise
        return False
    return True


class _Life:
    """An application's life as ASGI tells it: `ready` has its loop once it has started."""

    def __init__(self, app: Any) -> None:
        self.ready: Future[asyncio.AbstractEventLoop] = Future()
        self._app = app
        self._told: Iterator[str] = iter(("lifespan.startup", "lifespan.shutdown"))
        self._ended = asyncio.Event()

    def run(self) -> None:
        try:
            asyncio.run(self._live())
        except BaseException as error:
            if self.ready.done():
                raise
            self.ready.set_exception(error)

    def end(self) -> None:
        # A loop that is over already takes nothing more.
        with suppress(RuntimeError):
            self.ready.result().call_soon_threadsafe(self._ended.set)

    async def _live(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        await self._app(scope, self._receive, self._send)

    async def _receive(self) -> MutableMapping[str, Any]:
        told = next(self._told)
        if told == "lifespan.shutdown":
            await self._ended.wait()
        return {"type": told}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "lifespan.startup.complete":
            self.ready.set_result(asyncio.get_running_loop())


@contextmanager
def _living(app: Any) -> Iterator[asyncio.AbstractEventLoop]:
    """A loop in a thread of its own, in which the application lives from its start to its end."""
    life = _Life(app)
    thread = threading.Thread(target=life.run, name="tarimba-embedded", daemon=True)
    thread.start()
    loop = life.ready.result()
    try:
        yield loop
    finally:
        life.end()
        thread.join()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process founds at a time: the lock is the kernel's, so it ends with the process, however that ends."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / "opening.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def explained() -> Iterator[None]:
    """Turns what only a person can mend into the error that a client has for it."""
    try:
        yield
    except (DatabaseError, VaultError) as error:
        raise NotConfiguredError("not_configured", str(error)) from error
    except Refusal as refused:
        raise NotConfiguredError("not_configured", refused.detail) from refused
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NotConfiguredError("not_configured", f"The file can't be opened: {reason}.") from error


def _hand_over_logs() -> None:
    """Warnings go to the program's own logging, as `tarimba`. One that has set structlog up decides itself."""
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=lambda *_: logging.getLogger("tarimba"),
    )


def _closed() -> ClosedError:
    return ClosedError("closed", "The client was closed.")
