"""A quiet space beside a noisy one that asks ten times as much: what it costs the quiet one's slowest reads.

Run alone: python -m benchmarks.noisy
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import tempfile
import threading
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from benchmarks.load import Delay, Target, median, open_loop
from tarimba.app import open_kernel
from tarimba.blocks.endpoint import PATH
from tarimba.identity import hosting
from tarimba.settings import Settings
from tests.fixtures.server import running_server

RATE = 20.0
TIMES = 10
CONNECTIONS = 4
_SPACE = """
[space]
slug = "{slug}"
name = "Neighbour"
[agent_memory]
enabled = true
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "generic"
[[agent.key]]
name = "bench"
scopes = ["agent_memory"]
"""


def measure(data: Path, url: str | None, master: str, *, rounds: int, seconds: float) -> dict[str, Any]:
    """Latencies in milliseconds of the quiet space alone and beside the noisy one, in alternating rounds."""
    settings = Settings(data=data, db=url, master_key=SecretStr(master))
    with open_kernel(settings) as kernel:
        bearers = []
        for name in ("quiet", "noisy"):
            applied = hosting.apply_text(kernel, _SPACE.format(slug=f"{name}-{secrets.token_hex(4)}"))
            bearers.append(str(applied.agent_keys["billing"]["bench"]))
    with running_server(data, url, env={"TARIMBA_MASTER_KEY": master}) as server:
        quiet, noisy = (Target("block", server.port, server.process.pid, PATH, one) for one in bearers)
        open_loop(quiet, RATE, CONNECTIONS, seconds / 2)
        alone, beside = [], []
        for _ in range(rounds):
            alone.append(open_loop(quiet, RATE, CONNECTIONS, seconds))
            beside.append(_beside(quiet, noisy, seconds))
    p99 = [median([delay.p99 for delay in delays]) for delays in (alone, beside)]
    return {
        "rate": RATE,
        "times": TIMES,
        "alone_p50_ms": round(median([delay.p50 for delay in alone]), 2),
        "beside_p50_ms": round(median([delay.p50 for delay in beside]), 2),
        "alone_p99_ms": round(p99[0], 2),
        "beside_p99_ms": round(p99[1], 2),
        "p99_ratio": round(p99[1] / p99[0], 2),
    }


def _beside(quiet: Target, noisy: Target, seconds: float) -> Delay:
    """The quiet one's, while the noisy one asks from before its first read until after its last."""
    noise = threading.Thread(target=open_loop, args=(noisy, RATE * TIMES, CONNECTIONS * TIMES, seconds * 1.5))
    noise.start()
    try:
        return open_loop(quiet, RATE, CONNECTIONS, seconds)
    finally:
        noise.join()


def main() -> None:
    from tests.fixtures.cluster import throwaway_postgres

    with throwaway_postgres() as postgres:
        for name, url in (("sqlite", None), ("postgresql", postgres.create_database())):
            master = base64.b64encode(os.urandom(32)).decode()
            with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
                found = measure(Path(folder), url, master, rounds=3, seconds=10)
            print(name, json.dumps(found))


if __name__ == "__main__":
    main()
