"""A server at work for long: reads, writes, approvals, publishes and erasures, and what it holds meanwhile."""

from __future__ import annotations

import os
import statistics
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.company import MEMORY, NOTE, Company, Place
from tests.fixtures.server import RunningServer

SKILL = (
    "---\nname: close-month\ndescription: How the month is closed in the ledger.\n---\nFirst, take step {}.\n"
)
_PAUSE_SECONDS = 0.02
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """What a moment found: memory, open files, sizes on the disk in bytes, and answers so far."""

    at: float
    rss: int
    files: int
    wal: int
    database: int
    log: int
    answers: int

    @classmethod
    def taken(cls, server: RunningServer, place: Place, began: float, answers: int) -> Sample:
        process = Path(f"/proc/{server.process.pid}")
        pages = int((process / "statm").read_text(encoding="ascii").split()[1])
        return cls(
            time.monotonic() - began,
            pages * os.sysconf("SC_PAGE_SIZE"),
            len(list((process / "fd").iterdir())),
            _size(place.data / "tarimba.db-wal"),
            _size(place.data / "tarimba.db"),
            _size(server.stderr),
            answers,
        )


@dataclass
class Soak:
    """Clients of every kind until `stop`. `answers` counts by what was done and the status."""

    server: RunningServer
    company: Company
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    _over: threading.Event = field(default_factory=threading.Event)

    def _ask(
        self, client: httpx.Client, what: str, method: str, path: str, who: str, **sent: Any
    ) -> httpx.Response:
        headers = self.company.headers(who) | {"idempotency-key": uuid.uuid4().hex}
        answer = client.request(method, path, headers=headers, **sent)
        self.answers[what, answer.status_code] += 1
        return answer

    def read(self, client: httpx.Client) -> None:
        self._ask(client, "read", "GET", f"{MEMORY}/block", "billing")

    def write(self, client: httpx.Client) -> None:
        note = NOTE | {"title": f"Step {uuid.uuid4().hex}"}
        made = self._ask(client, "write", "POST", f"{MEMORY}/notes", "support", json=note)
        if made.is_success:
            note_id = made.json()["note"]["note_id"]
            self._ask(client, "retire", "POST", f"{MEMORY}/notes/{note_id}/retire", "support")

    def approve(self, client: httpx.Client) -> None:
        note = NOTE | {"title": f"Step {uuid.uuid4().hex}", "visibility": "vendor"}
        self._ask(client, "propose", "POST", f"{MEMORY}/notes", "billing", json=note)
        waiting = self._ask(client, "list", "GET", f"{MEMORY}/proposals?status=pending", "reviewer")
        for one in waiting.json()["items"] if waiting.is_success else ():
            path = f"{MEMORY}/proposals/{one['proposal_id']}/approve"
            self._ask(client, "approve", "POST", path, "reviewer", json={})

    def publish(self, client: httpx.Client) -> None:
        body = SKILL.format(uuid.uuid4().hex).encode()
        self._ask(client, "publish", "POST", "/v1/admin/skills", "owner", files={"body": body})

    def erase(self, client: httpx.Client) -> None:
        of = self.company.sources["billing"]
        self._ask(client, "erase", "DELETE", f"{MEMORY}/notes?source_id={of}", "owner")

    def run(self, act: Callable[[httpx.Client], None], pause: float) -> None:
        with httpx.Client(base_url=self.server.base_url, timeout=120) as client:
            while not self._over.wait(pause):
                act(client)

    def stop(self) -> None:
        self._over.set()


@contextmanager
def soaking(server: RunningServer, company: Company) -> Iterator[Soak]:
    """All kinds of clients at work within the block."""
    soak = Soak(server, company)
    rhythm = (
        (soak.read, _PAUSE_SECONDS),
        (soak.read, _PAUSE_SECONDS),
        (soak.write, 5 * _PAUSE_SECONDS),
        (soak.approve, 20 * _PAUSE_SECONDS),
        (soak.publish, 100 * _PAUSE_SECONDS),
        (soak.erase, 500 * _PAUSE_SECONDS),
    )
    threads = [threading.Thread(target=soak.run, args=one) for one in rhythm]
    for thread in threads:
        thread.start()
    try:
        yield soak
    finally:
        soak.stop()
        for thread in threads:
            thread.join()


def watched(soak: Soak, place: Place, seconds: float, samples: int) -> list[Sample]:
    """Samples at even distances over so many seconds."""
    began, pause = time.monotonic(), threading.Event()
    found = []
    for _ in range(samples):
        pause.wait(seconds / samples)
        found.append(Sample.taken(soak.server, place, began, sum(soak.answers.values())))
    return found


def faults(samples: Sequence[Sample]) -> list[str]:
    """What grew though it should not, as sentences. The first third is left out: caches and pools fill in it."""
    third = len(samples) // 3
    middle, last = samples[third : 2 * third], samples[2 * third :]

    def of(part: Sequence[Sample], name: str) -> float:
        return float(statistics.median(getattr(one, name) for one in part))

    wal = max(one.wal for one in samples)
    lines = (last[-1].log - middle[0].log) / max(1, last[-1].answers - middle[0].answers)
    stored = (last[-1].database - middle[0].database) / max(1, last[-1].answers - middle[0].answers)
    told = [
        (of(last, "rss") > 1.2 * of(middle, "rss") + 16 * _MIB, "memory grows"),
        (of(last, "files") > of(middle, "files") + 16, "open files grow"),
        (wal > 64 * _MIB, "the log of changes grows"),
        (lines > 1024, "more is logged than a line for each request"),
        (stored > 32 * 1024, "more is stored than requests account for"),
    ]
    return [sentence for is_so, sentence in told if is_so]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
