"""Turns of conversations over HTTP, in batches of 500: how many a second one server process masks and stores.

Run alone: python -m benchmarks.ingest
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from benchmarks.processes import cpu_seconds, rss_mib
from tarimba.app import open_kernel
from tarimba.identity import hosting
from tarimba.ids import new_id
from tarimba.settings import Settings
from tests.fixtures.server import RunningServer, running_server

TURNS = 10_000
BATCH = 500
_WARM = 1_000
_SETS = Path(__file__).parents[1] / "tests" / "data" / "pii"
_SPACE = """
[space]
slug = "{slug}"
name = "Ingest"
language = "pt"
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "generic"
[[agent.key]]
name = "bench"
scopes = ["track"]
"""


def measure(data: Path, url: str | None, master: str) -> dict[str, Any]:
    """Turns a second by the clock and by the process's CPU, and its memory before and after, in MiB."""
    settings = Settings(data=data, db=url, master_key=SecretStr(master))
    with open_kernel(settings) as kernel:
        applied = hosting.apply_text(kernel, _SPACE.format(slug=f"ingest-{secrets.token_hex(4)}"))
        bearer = str(applied.agent_keys["billing"]["bench"])
    with running_server(data, url, env={"TARIMBA_MASTER_KEY": master}) as server:
        return _over_http(server, bearer)


def _over_http(server: RunningServer, bearer: str) -> dict[str, Any]:
    batches = _batches()
    headers = {"authorization": f"Bearer {bearer}", "content-type": "application/json"}
    with httpx.Client(base_url=server.base_url, headers=headers, timeout=120) as client:
        masked = sum(_send(client, next(batches)) for _ in range(_WARM // BATCH))
        bodies = [next(batches) for _ in range(TURNS // BATCH)]
        before, spent, start = (
            rss_mib(server.process.pid),
            cpu_seconds(server.process.pid),
            time.perf_counter(),
        )
        masked += sum(_send(client, body) for body in bodies)
        wall = time.perf_counter() - start
        spent = cpu_seconds(server.process.pid) - spent
    return {
        "turns": TURNS,
        "per_second": round(TURNS / wall),
        "per_cpu_second": round(TURNS / spent),
        "masked": masked,
        "rss_before_mib": round(before, 1),
        "rss_after_mib": round(rss_mib(server.process.pid), 1),
    }


def _send(client: httpx.Client, body: bytes) -> int:
    """How many findings were masked. Raises when not every turn was taken."""
    answer = client.post("/v1/batch", content=body)
    answer.raise_for_status()
    told = answer.json()
    if told["accepted"] != BATCH:
        raise RuntimeError("the server did not take every turn")
    return sum(told["masked"].values())


def _batches() -> Iterator[bytes]:
    """Conversations of ten turns, half of them with personal data, each text only once."""
    texts = cycle(
        [text for pair in zip(cycle(_texts("turns")), _texts("negative"), strict=False) for text in pair]
    )
    number = 0
    while True:
        items = []
        for _ in range(BATCH):
            number += 1
            items.append(_turn(number, f"{next(texts)} ({number})"))
        yield json.dumps({"items": items}).encode()


def _turn(number: int, text: str) -> dict[str, Any]:
    return {
        "type": "event",
        "kind": "message",
        "idempotency_key": new_id(),
        "channel": "whatsapp",
        "conversation_id": f"c-{number // 10}",
        "handles": [{"type": "wa_id", "value": f"5511{910_000_000 + number // 10}"}],
        "speaker": {"role": "customer" if number % 2 else "ai_agent"},
        "content": {"type": "text", "text": text},
    }


def _texts(name: str) -> list[str]:
    lines = (_SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        yield Path(folder)


def main() -> None:
    with _folder() as data:
        print(json.dumps(measure(data, None, base64.b64encode(os.urandom(32)).decode()), indent=1))


if __name__ == "__main__":
    main()
