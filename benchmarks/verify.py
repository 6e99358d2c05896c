"""Seconds to verify a log of a million receipts with its index, its tree and all else that is stored beside it.

The log is written in bulk, in the shape that a server leaves: blocks read by many agents in many conversations, sixteen
receipts to a commit. Run alone: python -m benchmarks.verify [--receipts N]
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import insert, select, update

from tarimba.app import open_kernel
from tarimba.clock import SECOND, rfc3339
from tarimba.identity import hosting
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.audit import verify_database
from tarimba.receipts.canonical import canonical
from tarimba.receipts.index import hour_ref, index, refs_of
from tarimba.receipts.merkle import Frontier, leaf_hash
from tarimba.receipts.nodes import grow
from tarimba.receipts.seal import seal
from tarimba.settings import Settings
from tarimba.storage import Database
from tarimba.storage.refs import add_refs
from tarimba.storage.tables import block_notes, receipt_bundle, space_head
from tests.fixtures.cluster import PostgresServer, throwaway_postgres

RECEIPTS = 1_000_000
LIMIT_S = 60
_A_COMMIT = 16
_A_PIECE = 20_000
_BLOCKS = 500
_AGENTS = 200
_FIRST_AT = 1_790_000_000 * SECOND
_SPACE = '[space]\nslug = "acme"\n[[person]]\nslug = "rita"\nemail = "rita@acme.example"\nroles = ["owner"]\n'


def run(postgres: PostgresServer, receipts: int = RECEIPTS) -> dict[str, Any]:
    """By the database: wall and CPU seconds of one verification, and whether nothing wrong was found."""
    found = {}
    for name in ("sqlite", "postgresql"):
        url = postgres.create_database() if name == "postgresql" else None
        with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
            found[name] = measure(Path(folder), url, receipts)
        if url is not None:
            postgres.drop_database(url)
    return found


def measure(data: Path, url: str | None, receipts: int) -> dict[str, Any]:
    """One verification in this process. CPU is that of this process, without PostgreSQL's own."""
    master = SecretStr(base64.b64encode(os.urandom(32)).decode())
    settings = Settings(data=data, db=url, master_key=master)
    with open_kernel(settings) as kernel:
        hosting.apply_text(kernel, _SPACE)
        space_id = hosting.host_of(kernel, "acme").space_id
        index(kernel, space_id)
        _fill(kernel, space_id, receipts)
        while grow(kernel):
            pass
        key = kernel.keys.of(space_id)
    database = Database(settings.url)
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        report = verify_database(database, space_id, key)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    finally:
        database.close()
    return {
        "receipts": report.receipts,
        "ok": report.ok,
        "findings": [one.sentence for one in report.findings[:3]],
        "wall_s": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "per_second": round(report.receipts / wall),
    }


def _fill(kernel: Kernel, space_id: str, receipts: int) -> None:
    agents = [new_id() for _ in range(_AGENTS)]
    notes = [[new_id() for _ in range(10)] for _ in range(_BLOCKS)]
    with kernel.database.write() as connection:
        rows = [
            {"space_id": space_id, "etag": f"am-{at:032x}", "notes": json.dumps(one)}
            for at, one in enumerate(notes)
        ]
        connection.execute(insert(block_notes), rows)
    written = _written(space_id, agents, notes, receipts)
    hour = ""
    for _ in range(0, receipts, _A_PIECE):
        hour = _piece(kernel, space_id, written, hour)


def _written(
    space_id: str, agents: list[str], notes: list[list[str]], receipts: int
) -> Iterator[tuple[bytes, bytes, dict[str, Any]]]:
    """(leaf, stored bytes, whole document) of each block read."""
    for at in range(receipts):
        agent = agents[at % _AGENTS]
        detail = {
            "conversation": leaf_hash(str(at // 3).encode()).hex(),
            "etag": f"am-{at % _BLOCKS:032x}",
            "left_out": 0,
            "max_tokens": 300,
            "not_modified": at % 5 == 0,
            "tokens": 240,
            "view": None,
        }
        document = {
            "v": 1, "id": new_id(), "space_id": space_id, "at": rfc3339(_FIRST_AT + at * SECOND // 5), "kind": "read",
            "action": "block.read", "via": "http", "agent": agent,
            "actor": {"type": "agent", "id": agent, "key_id": f"{at % _AGENTS:016x}"}, "detail": detail,
        }  # fmt: skip
        whole = {**document, "detail": {**detail, "notes": notes[at % _BLOCKS]}}
        yield leaf_hash(canonical(whole)), canonical(document), whole


def _piece(
    kernel: Kernel, space_id: str, written: Iterator[tuple[bytes, bytes, dict[str, Any]]], hour: str
) -> str:
    """Stores the next receipts with their index and a sealed head. Returns the hour of the last one."""
    mine = space_head.c.space_id == space_id
    with kernel.database.write() as connection:
        row = connection.execute(select(space_head.c.size, space_head.c.frontier).where(mine)).one()
        taken = [one for one, _ in zip(written, range(_A_PIECE), strict=False)]
        first = row.size
        bundles = [
            {
                "space_id": space_id, "first_seq": first + at, "count": len(part := taken[at : at + _A_COMMIT]),
                "hashes": b"".join(leaf for leaf, _, _ in part), "entries": b"\n".join(line for _, line, _ in part),
            }
            for at in range(0, len(taken), _A_COMMIT)
        ]  # fmt: skip
        connection.execute(insert(receipt_bundle), bundles)
        refs = []
        for seq, (_, _, whole) in enumerate(taken, first):
            refs += [(ref, seq) for ref in refs_of(whole)]
            if (now := hour_ref(whole["at"])) != hour:
                refs.append((now, seq))
                hour = now
        add_refs(connection, space_id, refs)
        frontier = Frontier.from_bytes(bytes(row.frontier)).extend(leaf for leaf, _, _ in taken)
        sealed = seal(kernel.keys.of(space_id), frontier.size, frontier.root())
        head = {"size": frontier.size, "frontier": frontier.to_bytes(), "seal": sealed}
        connection.execute(update(space_head).where(mine).values(**head, indexed_size=frontier.size))
    return hour


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verify", description=__doc__)
    parser.add_argument("--receipts", type=int, default=RECEIPTS)
    parser.add_argument("--sqlite", action="store_true", help="only SQLite")
    options = parser.parse_args()
    if options.sqlite:
        with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
            print(json.dumps(measure(Path(folder), None, options.receipts)))
        return
    with throwaway_postgres() as postgres:
        print(json.dumps(run(postgres, options.receipts), indent=1))


if __name__ == "__main__":
    main()
