"""For tests of agents: a company whose server is in the tests' own process, under pytest or without it.

`pytest_plugins = ["tarimba.testing"]` in a `conftest.py` gives the fixtures `tarimba_company`, `tarimba_client` and
`tarimba_server`. Needs `pip install "tarimba[server]" pytest`. Nothing is loaded into the tests of whoever does not
ask for it.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pytest
import uvicorn

from tarimba.app import build_app
from tarimba.client import AsyncTarimba, Budgets, Options, Tarimba
from tarimba.embedded import SCOPES, URL, Service, explained, founded, mint, settings_of
from tarimba.identity import hosting, spaces

__all__ = ["Company", "tarimba_client", "tarimba_company", "tarimba_server"]

# A test waits for a busy machine, where an agent would go on without its notes; and it sees what it just wrote.
_PATIENT: Final = Options(budgets=Budgets(block=60, search=60, remember=60), block_ttl=0)
_FILE: Final = "company.db"
_OWNER: Final = "owner@company.example"


class Company:
    """A space with the memory on, and agents that begin to exist when a test names them.

    `folder` keeps the company's file; without one it is gone when the company is closed. Jobs that the server does
    beside requests are not done. Closing ends the clients' memory: use it as a context manager.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._own = tempfile.TemporaryDirectory() if folder is None else None
        place = folder or Path(self._own.name if self._own else "")
        with explained():
            self._service = Service(settings_of(place.resolve() / _FILE, jobs=False))
        founded(self._service.kernel, "agent", "en")

    def key(self, agent: str = "agent", scopes: Sequence[str] = SCOPES) -> str:
        """A new key of the agent with this slug, which is made if there is none."""
        founded(self._service.kernel, agent, "en")
        return mint(self._service.kernel, agent, scopes)

    def client(
        self,
        agent: str = "agent",
        *,
        scopes: Sequence[str] = SCOPES,
        strict: bool = False,
        options: Options = _PATIENT,
    ) -> Tarimba:
        """A client of the agent, without a port. Unless `options` say so it waits a minute and caches nothing."""
        return Tarimba(self.key(agent, scopes), URL, strict=strict, options=options, transport=self._service)

    def async_client(
        self,
        agent: str = "agent",
        *,
        scopes: Sequence[str] = SCOPES,
        strict: bool = False,
        options: Options = _PATIENT,
    ) -> AsyncTarimba:
        """The same for asyncio, in any number of event loops."""
        return AsyncTarimba.over(self.client(agent, scopes=scopes, strict=strict, options=options))

    def owner(self) -> Tarimba:
        """A client with a personal token of the company's owner: for what administers, `Tarimba.api`."""
        kernel = self._service.kernel
        host = spaces.host_of(kernel, None)
        if _OWNER not in {one["email"] for one in hosting.all_people(kernel, host)}:
            hosting.add_person(
                kernel, host, slug="owner", email=_OWNER, name=None, language="en", roles=["owner"]
            )
        token = hosting.issue_token(kernel, host, _OWNER, None)["token"]
        return Tarimba(token, URL, options=_PATIENT, transport=self._service)

    @contextmanager
    def listening(self) -> Iterator[str]:
        """The address of a port that the company answers at, for programs that open a client of their own."""
        with socket.create_server(("127.0.0.1", 0)) as bound:
            server = uvicorn.Server(
                uvicorn.Config(build_app(self._service.kernel), log_config=None, lifespan="on")
            )
            # Requests wait in the socket's queue until the server accepts, so nobody has to wait for it to start.
            thread = threading.Thread(target=lambda: asyncio.run(server.serve([bound])), daemon=True)
            thread.start()
            try:
                yield f"http://127.0.0.1:{bound.getsockname()[1]}"
            finally:
                server.should_exit = True
                thread.join()

    def close(self) -> None:
        self._service.end()
        if self._own is not None:
            self._own.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@pytest.fixture(scope="session")
def _tarimba_founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company's folder, made once: the tests get copies."""
    folder = tmp_path_factory.mktemp("tarimba")
    Company(folder).close()
    return folder


@pytest.fixture
def tarimba_company(_tarimba_founded: Path, tmp_path: Path) -> Iterator[Company]:
    """A company of the test's own, without any note."""
    folder = tmp_path / "tarimba"
    shutil.copytree(_tarimba_founded, folder)
    with Company(folder) as company:
        yield company


@pytest.fixture
def tarimba_client(tarimba_company: Company) -> Iterator[Tarimba]:
    """A client of the agent `agent`, with all of an agent's scopes."""
    with tarimba_company.client() as client:
        yield client


@pytest.fixture
def tarimba_server(tarimba_company: Company, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The company's address, which the environment names too: `Tarimba()` of the tested program reaches it."""
    with tarimba_company.listening() as base_url:
        monkeypatch.setenv("TARIMBA_BASE_URL", base_url)
        monkeypatch.setenv("TARIMBA_API_KEY", tarimba_company.key())
        yield base_url
