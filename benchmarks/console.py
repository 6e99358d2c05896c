"""Every page of the Console of a large company: what the server takes, and what a page weighs.

`python -m benchmarks.console` fills a space in each kind of database with 10,000 notes, 100,000 receipts, 700 agents
and 2,000 people, starts the real server on it, and asks for each page that an owner or a member reaches by links, one
request at a time from another process. The times hold the way over the socket too; the CPU is that of the server's
process and of PostgreSQL's, which a busy machine does not make longer.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from pydantic import SecretStr

from benchmarks import machine
from benchmarks.console_space import Size, settle
from benchmarks.processes import cpu_seconds, family_cpu_seconds
from tarimba.app import open_kernel
from tarimba.receipts import nodes
from tarimba.settings import Settings
from tests.contract.console.visitor import PASSWORD, Visitor
from tests.e2e.console.crawl import reached
from tests.fixtures.cluster import PostgresServer, throwaway_postgres
from tests.fixtures.server import RunningServer, running_server

LIMIT_MS: Final = 150.0
CPU_MS: Final = 60.0
WEIGHT: Final = 150_000
_WARM: Final = 3
_DATABASES: Final = ("sqlite", "postgresql")


@dataclass(frozen=True, slots=True)
class _Desk:
    """People signed in at a server, as the crawl wants them. `cpu` tells the seconds of CPU used so far."""

    server: RunningServer
    cookies: Mapping[str, str]
    cpu: Callable[[], float]

    @contextmanager
    def visitor(self, role: str) -> Iterator[Visitor]:
        cookies = {"tarimba_session": self.cookies[role]}
        with httpx.Client(
            base_url=self.server.base_url, cookies=cookies, timeout=60, trust_env=False
        ) as client:
            yield Visitor(client)


def main() -> None:
    options = _options()
    size = Size(options.notes, options.receipts)
    found: dict[str, Any] = {"machine": machine.describe(), "size": asdict(size)}
    with throwaway_postgres() as postgres:
        for name in options.database or _DATABASES:
            found[name] = _database(name, postgres, size, options.repeats)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.console", description=__doc__)
    parser.add_argument("--database", action="append", choices=_DATABASES, help="only this one")
    parser.add_argument("--notes", type=int, default=Size.notes)
    parser.add_argument("--receipts", type=int, default=Size.receipts)
    parser.add_argument("--repeats", type=int, default=20, help="requests of each page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write everything as JSON")
    return parser.parse_args()


def _database(name: str, postgres: PostgresServer, size: Size, repeats: int) -> Mapping[str, Any]:
    url = postgres.create_database() if name == "postgresql" else None
    master = base64.b64encode(os.urandom(32)).decode()
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        settings = Settings(data=Path(folder), db=url, master_key=SecretStr(master))
        print(f"{name}: filling ...", file=sys.stderr, flush=True)
        with open_kernel(settings) as kernel:
            _, links = settle(kernel, size)
            # A log that grew in a minute has none of the roots that upkeep stores behind one that grows for years.
            while nodes.grow(kernel):
                continue
        with running_server(Path(folder), url, env={"TARIMBA_MASTER_KEY": master}) as server:
            cookies = {role: _enter(server, link) for role, link in links.items()}
            desk = _Desk(server, cookies, _cpu_of(server, postgres if url is not None else None))
            _wait_for_index(desk)
            figures = {
                f"{role} {page}": _figures(desk, role, addresses, repeats)
                for role in links
                for page, addresses in sorted(reached(desk, role).items())
            }
            print("\n".join(_lines(name, figures)), flush=True)
    if url is not None:
        postgres.drop_database(url)
    return figures


def _cpu_of(server: RunningServer, postgres: PostgresServer | None) -> Callable[[], float]:
    own = server.process.pid
    if postgres is None or postgres.process is None:
        return lambda: cpu_seconds(own)
    other = postgres.process.pid
    return lambda: cpu_seconds(own) + family_cpu_seconds(other)


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


def _figures(desk: _Desk, role: str, addresses: Sequence[str], repeats: int) -> dict[str, float]:
    """Milliseconds of the slowest of a page's addresses, and its weight in bytes as it is sent."""
    timed = [_timed(desk, role, address, repeats) for address in addresses]
    return max(timed, key=lambda one: one["p50_ms"])


def _timed(desk: _Desk, role: str, address: str, repeats: int) -> dict[str, float]:
    taken, weight = [], 0
    with desk.visitor(role) as one:
        for _ in range(_WARM):
            weight = len(one.open(address).content)
        begun = desk.cpu()
        for _ in range(repeats):
            start = time.perf_counter()
            one.open(address)
            taken.append((time.perf_counter() - start) * 1000)
        used = (desk.cpu() - begun) * 1000 / repeats
    taken.sort()
    at95 = taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    return {
        "p50_ms": round(taken[len(taken) // 2], 1),
        "p95_ms": round(at95, 1),
        "cpu_ms": round(used, 1),
        "bytes": weight,
    }


def _lines(name: str, pages: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield f"{name}: {len(pages)} pages, limit {LIMIT_MS:g} ms, {CPU_MS:g} ms of CPU and {WEIGHT:,} bytes"
    for page, one in sorted(pages.items(), key=lambda found: -found[1]["cpu_ms"]):
        over = one["p50_ms"] > LIMIT_MS or one["cpu_ms"] > CPU_MS or one["bytes"] > WEIGHT
        times = f"p50 {one['p50_ms']:>7.1f}  p95 {one['p95_ms']:>7.1f}  cpu {one['cpu_ms']:>6.1f} ms"
        yield f"  {page:<70} {times}  {one['bytes']:>8,.0f} bytes" + ("  OVER" if over else "")


if __name__ == "__main__":
    main()
