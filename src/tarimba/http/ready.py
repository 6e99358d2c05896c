"""Whether this process can do its work now: the parts that it needs, each in a sentence that anybody may read."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Iterable, Iterator, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
from pydantic import BaseModel
from sqlalchemy import Connection

from tarimba.errors import Refusal
from tarimba.http.body import Receive
from tarimba.http.reply import Reply, Send, encode, send_whole
from tarimba.http.singly import Singly
from tarimba.kernel import Kernel
from tarimba.storage import DatabaseError, migrate

# Whoever asks has an answer by then, also where the database gives none.
SECONDS: Final = 2.0
# What was found is told again for so long: anybody may ask, and asking must not be work.
FRESH_SECONDS: Final = 1.0
_SILENT: Final = "The database does not answer."
_log = structlog.get_logger("tarimba.http")


class Check(BaseModel):
    """One part: its name, whether it is as it should be, and what there is to say."""

    name: str
    ok: bool
    detail: str


class Readiness(BaseModel):
    """`ready` with 200 when every check is ok, else `not_ready` with 503."""

    status: str
    checks: list[Check]


class Ready:
    """ASGI application for `GET /readyz`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._stored = Singly(partial(_stored, kernel), "tarimba-ready")
        self._disk = Singly(partial(_disk, kernel), "tarimba-ready")
        self._found: tuple[Check, ...] = ()
        self._found_at: float | None = None

    async def __call__(self, _scope: MutableMapping[str, Any], _receive: Receive, send: Send) -> None:
        kernel = self._kernel
        checks = (*_process(kernel), *await self._outside())
        is_ready = all(check.ok for check in checks)
        told = {
            "status": "ready" if is_ready else "not_ready",
            "checks": [check.model_dump() for check in checks],
        }
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send_whole(send, Reply(200 if is_ready else 503, headers, encode(told)))

    async def _outside(self) -> tuple[Check, ...]:
        if self._found_at is None or time.monotonic() - self._found_at > FRESH_SECONDS:
            stored, disk = await asyncio.gather(self._stored.answer(SECONDS), self._disk.answer(SECONDS))
            self._found = (*(stored or _unknown(_SILENT)), disk or _bad_disk("A disk does not answer."))
            self._found_at = time.monotonic()
        return self._found


def _process(kernel: Kernel) -> Iterator[Check]:
    """What this process knows without asking anybody."""
    if kernel.draining.is_on:
        yield Check(name="serving", ok=False, detail="The process was told to stop.")
    else:
        yield Check(name="serving", ok=True, detail="The process serves.")
    writer = kernel.writer
    if not writer.is_alive:
        yield Check(name="writer", ok=False, detail="The writer has ended: restart the process.")
    elif writer.is_full:
        yield Check(name="writer", ok=False, detail="Too many requests wait for the writer.")
    else:
        yield Check(name="writer", ok=True, detail="The writer takes requests.")


def _stored(kernel: Kernel) -> tuple[Check, ...]:
    """What the database says. Raises nothing: the checks tell."""
    try:
        with kernel.database.read() as connection:
            found = (_schema(connection), _keys(kernel, connection))
    except (Refusal, DatabaseError):
        return _unknown(_SILENT)
    except Exception as error:  # noqa: BLE001 - whatever it is, this process is not ready
        _log.error("ready.failed", error=type(error).__name__)
        return _unknown("The check failed: see the log of this process.")
    return (Check(name="database", ok=True, detail="The database answers."), *found)


def _unknown(detail: str) -> tuple[Check, ...]:
    return tuple(Check(name=name, ok=False, detail=detail) for name in ("database", "schema", "keys"))


def _schema(connection: Connection) -> Check:
    """A newer schema is one that this version still works on, while processes are exchanged one by one."""
    found = migrate.state_of(connection)
    if found.problem is not None:
        return Check(
            name="schema", ok=False, detail="The schema has left this version behind: upgrade this process."
        )
    if found.is_older:
        return Check(name="schema", ok=False, detail="The schema is older than this version: upgrade it.")
    if found.revision != migrate.HEAD:
        return Check(name="schema", ok=True, detail="The schema is of a newer version: upgrade this process.")
    return Check(name="schema", ok=True, detail="The schema is this version's.")


def _keys(kernel: Kernel, connection: Connection) -> Check:
    if kernel.keys.opens(connection):
        return Check(name="keys", ok=True, detail="The master key opens what is stored.")
    return Check(
        name="keys", ok=False, detail="The master key opens nothing stored: restart with the new one."
    )


def _disk(kernel: Kernel) -> Check:
    floor = kernel.settings.disk_free_min
    try:
        is_low = any(shutil.disk_usage(folder).free < floor for folder in _folders(kernel))
    except OSError:
        return _bad_disk("A folder of the server is not there.")
    if is_low:
        return _bad_disk("A disk has less room than TARIMBA_DISK_FREE_MIN.")
    return Check(name="disk", ok=True, detail="The disks have room.")


def _bad_disk(detail: str) -> Check:
    return Check(name="disk", ok=False, detail=detail)


def _folders(kernel: Kernel) -> Iterable[Path]:
    """Where this process writes."""
    yield kernel.settings.data
    if kernel.database.is_sqlite:
        yield kernel.database.file.parent
    if kernel.settings.workspaces is not None and kernel.settings.workspaces.exists():
        yield kernel.settings.workspaces
