"""Every page of the Console over 10,000 notes and 100,000 receipts: what the server takes, and what a page weighs.

`python -m benchmarks.console` fills a space in each kind of database, starts the real server on it, and asks for each
page that an owner reaches by links, one request at a time from another process. The times hold the way over the
socket too.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from pydantic import SecretStr

from benchmarks import machine
from benchmarks.seed import Seeded, fill
from tarimba.app import open_kernel
from tarimba.blocks.cache import BlockQuery
from tarimba.blocks.receipt import entry
from tarimba.blocks.service import load
from tarimba.clock import rfc3339
from tarimba.identity import hosting
from tarimba.kernel import Kernel
from tarimba.receipts.pending import PendingRead
from tarimba.settings import Settings
from tests.contract.console.visitor import PASSWORD, Visitor
from tests.e2e.console.crawl import reached
from tests.fixtures.cluster import PostgresServer, throwaway_postgres
from tests.fixtures.server import RunningServer, running_server

NOTES: Final = 10_000
RECEIPTS: Final = 100_000
LIMIT_MS: Final = 150.0
WEIGHT: Final = 150_000
_AT_ONCE: Final = 200
_WARM: Final = 3
_DATABASES: Final = ("sqlite", "postgresql")
_OWNER: Final = "owner@example.com"


@dataclass(frozen=True, slots=True)
class _Desk:
    """An owner signed in at a server, as the crawl wants them."""

    server: RunningServer
    cookie: str

    @contextmanager
    def visitor(self, _role: str) -> Iterator[Visitor]:
        cookies = {"tarimba_session": self.cookie}
        with httpx.Client(
            base_url=self.server.base_url, cookies=cookies, timeout=60, trust_env=False
        ) as client:
            yield Visitor(client)


def main() -> None:
    options = _options()
    found: dict[str, Any] = {
        "machine": machine.describe(),
        "notes": options.notes,
        "receipts": options.receipts,
    }
    with throwaway_postgres() as postgres:
        for name in options.database or _DATABASES:
            found[name] = _database(name, postgres, options)
            print("\n".join(_lines(name, found[name])), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.console", description=__doc__)
    parser.add_argument("--database", action="append", choices=_DATABASES, help="only this one")
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--receipts", type=int, default=RECEIPTS)
    parser.add_argument("--repeats", type=int, default=20, help="requests of each page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything as JSON")
    return parser.parse_args()


def _database(name: str, postgres: PostgresServer, options: Any) -> Mapping[str, Any]:
    url = postgres.create_database() if name == "postgresql" else None
    master = base64.b64encode(os.urandom(32)).decode()
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        settings = Settings(data=Path(folder), db=url, master_key=SecretStr(master))
        print(f"{name}: filling ...", file=sys.stderr, flush=True)
        with open_kernel(settings) as kernel:
            link = _fill(kernel, options)
        with running_server(Path(folder), url, env={"TARIMBA_MASTER_KEY": master}) as server:
            desk = _Desk(server, _enter(server, link))
            _wait_for_index(desk)
            figures = {page: _figures(desk, addresses, options) for page, addresses in _pages(desk)}
    if url is not None:
        postgres.drop_database(url)
    return figures


def _fill(kernel: Kernel, options: Any) -> str:
    """Notes, reads of blocks that leave receipts, and an owner. The path of a link by which the owner comes in."""
    seeded = fill(kernel, options.notes)
    _read(kernel, seeded, options.receipts)
    host = hosting.host_of(kernel, None)
    return str(hosting.link(kernel, host, _OWNER)["link"]).partition("/console")[2]


def _read(kernel: Kernel, seeded: Seeded, count: int) -> None:
    """Reads of one agent's block, each with its receipt, as the endpoint makes them."""
    hot = load(kernel, seeded.large_key, BlockQuery(), "http")

    async def read(many: int) -> None:
        at = rfc3339(kernel.writer.now(seeded.space_id))
        loop = asyncio.get_running_loop()
        notes = (hot.block.etag, hot.notes_json)
        pending = [
            PendingRead(
                seeded.space_id,
                entry(hot, at, not_modified=False),
                generation=None,
                expires_at=None,
                notes=notes,
                key_id=hot.principal.key_id,
                loop=loop,
            )
            for _ in range(many)
        ]
        for one in pending:
            kernel.writer.submit(one)
        for one in pending:
            await one

    async def read_all() -> None:
        for begun in range(0, count, _AT_ONCE):
            await read(min(_AT_ONCE, count - begun))

    asyncio.run(read_all())


def _enter(server: RunningServer, path: str) -> str:
    with httpx.Client(base_url=server.base_url, timeout=60, trust_env=False) as client:
        one = Visitor(client)
        one.open(path)
        assert one.send(path, password=PASSWORD).status_code == 303
        return client.cookies["tarimba_session"]


def _wait_for_index(desk: _Desk) -> None:
    """The log of a space that was filled in a minute is indexed in the next one."""
    with desk.visitor("owner") as one:
        while one.open("/receipts?conversation=c-1").status_code != 200:
            time.sleep(1)


def _pages(desk: _Desk) -> Sequence[tuple[str, list[str]]]:
    return sorted(reached(desk, "owner").items())


def _figures(desk: _Desk, addresses: Sequence[str], options: Any) -> dict[str, float]:
    """Milliseconds of the slowest of a page's addresses, and its weight in bytes as it is sent."""
    timed = [_timed(desk, address, options.repeats) for address in addresses]
    return max(timed, key=lambda one: one["p95_ms"])


def _timed(desk: _Desk, address: str, repeats: int) -> dict[str, float]:
    taken, weight = [], 0
    with desk.visitor("owner") as one:
        for number in range(_WARM + repeats):
            start = time.perf_counter()
            weight = len(one.open(address).content)
            if number >= _WARM:
                taken.append((time.perf_counter() - start) * 1000)
    taken.sort()
    at95 = taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    return {"p50_ms": round(taken[len(taken) // 2], 1), "p95_ms": round(at95, 1), "bytes": weight}


def _lines(name: str, pages: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield f"{name}: {len(pages)} pages, limit {LIMIT_MS:g} ms and {WEIGHT:,} bytes"
    for page, one in sorted(pages.items(), key=lambda found: -found[1]["p50_ms"]):
        over = one["p50_ms"] > LIMIT_MS or one["bytes"] > WEIGHT
        said = f"  {page:<64} p50 {one['p50_ms']:>7.1f}  p95 {one['p95_ms']:>7.1f} ms  {one['bytes']:>8,.0f} bytes"
        yield said + ("  OVER" if over else "")


if __name__ == "__main__":
    main()
