"""Where the demo plays: a throwaway installation with a server process of its own, spoken to over HTTP."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import click
import httpx

from tarimba.cli.demo_company import OWNER, SPACE
from tarimba.client import Budgets, Options, Tarimba

_START_SECONDS = 60
_STOP_SECONDS = 30
_POLLS_PER_SECOND = 20
# A demo waits for a busy machine, where an agent would go on without its notes.
_PATIENT = Options(budgets=Budgets(block=30, search=30, remember=30), block_ttl=0)


class Stage:
    """An installation in `folder`. Entering applies the company's file and starts the server.

    `options` are those of the server, as its environment has them.
    """

    def __init__(self, folder: Path, options: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.options = options or {}
        self.data = folder / "data"
        self.base_url = f"http://127.0.0.1:{_free_port()}"
        self.keys: dict[str, str] = {}
        self.token = ""
        self._transport = httpx.HTTPTransport()
        self._http = httpx.Client(base_url=self.base_url, timeout=30, trust_env=False)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.prepare()
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def prepare(self) -> None:
        """Founds the company, of which the keys and the owner's token are kept."""
        file = self.folder / "acme.toml"
        file.write_text(SPACE, encoding="utf-8")
        made = json.loads(self.tarimba("apply", str(file), "--json"))
        self.keys = {slug: agent["keys"]["demo"] for slug, agent in made["agents"].items()}
        self.token = self.tarimba("person", "token", OWNER).strip()

    def tarimba(self, *arguments: str, data: Path | None = None, may_fail: bool = False) -> str:
        """What a command prints. Raises what click shows when it fails, unless it `may_fail`."""
        command = [*_command(*arguments), "--data", str(data or self.data)]
        done = subprocess.run(  # noqa: S603 - our own command line
            command, env=_environment(), capture_output=True, text=True, encoding="utf-8", check=False
        )
        if done.returncode and not may_fail:
            raise click.ClickException(f"`tarimba {' '.join(arguments)}` failed: {done.stderr.strip()}")
        return done.stdout

    def agent(self, slug: str) -> Tarimba:
        """The client of an agent, which raises what goes wrong."""
        return Tarimba(
            self.keys[slug], self.base_url, strict=True, options=_PATIENT, transport=self._transport
        )

    def call(self, who: str, method: str, path: str, **request: Any) -> httpx.Response:
        """One request by the agent with the slug `who`, else by the owner. `request` is httpx's."""
        bearer = self.keys.get(who, self.token)
        headers = {"authorization": f"Bearer {bearer}", **request.pop("headers", {})}
        return self._http.request(method, path, headers=headers, **request)

    def copy(self) -> Path:
        """A copy of the data folder, made while the server runs."""
        copied = self.folder / "copy"
        shutil.copytree(self.data / "keys", copied / "keys")
        source = sqlite3.connect(self.data / "tarimba.db")
        target = sqlite3.connect(copied / "tarimba.db")
        with contextlib.closing(source), contextlib.closing(target):
            source.backup(target)
        return copied

    def wait(self) -> None:
        """Returns when the server ends."""
        assert self._process is not None
        self._process.wait()

    def _start(self) -> None:
        port = self.base_url.rpartition(":")[2]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command line
                [*_command("serve", "--port", port), "--data", str(self.data)],
                env={**_environment(), **self.options},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        for _ in range(_START_SECONDS * _POLLS_PER_SECOND):
            if self._is_ready():
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1 / _POLLS_PER_SECOND)
                break
        raise click.ClickException(f"The server did not start: {(self.folder / 'server.log').read_text()}")

    def _is_ready(self) -> bool:
        try:
            return self._http.get("/healthz").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def _stop(self) -> None:
        self._http.close()
        self._transport.close()
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def flip_byte(database: Path, seq: int) -> None:
    """Changes one byte of the stored receipt at `seq`: it then says that one note more was left out."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        found = "SELECT first_seq, entries FROM receipt_bundle WHERE first_seq <= ? ORDER BY first_seq DESC"
        first_seq, entries = connection.execute(found, (seq,)).fetchone()
        lines = entries.split(b"\n")
        lines[seq - first_seq] = lines[seq - first_seq].replace(b'"left_out":0', b'"left_out":1')
        change = "UPDATE receipt_bundle SET entries = ? WHERE first_seq = ?"
        connection.execute(change, (b"\n".join(lines), first_seq))


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tarimba.cli", *arguments]


def _environment() -> dict[str, str]:
    """This process's, without options of ours: the demo must not touch an installation that they point at."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TARIMBA_")}
    return {**kept, "PYTHONUTF8": "1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
