"""A company declared by a file in a database that servers and commands share, and its log read back."""

from __future__ import annotations

import base64
import json
import secrets
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.identity import hosting
from tarimba.kernel import Kernel
from tarimba.receipts.audit import verify_space
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.report import Report
from tarimba.settings import Settings

MASTER_KEY = base64.b64encode(b"m" * 32).decode()
SCOPES = ("agent_memory", "agent_memory:write", "context", "track")
# Two agents of one vendor, one of another.
AGENTS = {"billing": "north", "support": "north", "courier": "south"}
ROLES = ("owner", "reviewer", "manager", "operator", "auditor", "member")
MEMORY = "/v1/agent-memory"
NOTE = {"kind": "procedure", "title": "Void invoices in the ledger", "body": "Close the period first."}


@dataclass(frozen=True)
class Company:
    """One space. `bearers` has the secret of each agent by its slug, `admin`, and one of each role."""

    slug: str
    space_id: str
    sources: Mapping[str, str]
    bearers: Mapping[str, str]

    def headers(self, who: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.bearers.get(who, who)}"}


@dataclass(frozen=True)
class Place:
    """Where data lies: a folder, and a PostgreSQL URL or None for the SQLite file in the folder."""

    data: Path
    db: str | None

    @property
    def environment(self) -> dict[str, str]:
        return {"TARIMBA_MASTER_KEY": MASTER_KEY}

    def kernel(self, **options: Any) -> AbstractContextManager[Kernel]:
        """A kernel in this process, as any other process on the same data has one."""
        given = {"data": self.data, "db": self.db, "master_key": SecretStr(MASTER_KEY), **options}
        return open_kernel(Settings.model_validate(given))

    def command(self, *arguments: str) -> str:
        """What the command line, in a process of its own, prints on its standard output."""
        where = ["--data", str(self.data), *(("--db", self.db) if self.db else ())]
        done = subprocess.run(
            [sys.executable, "-m", "tarimba.cli", *arguments, *where],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def rows(self) -> Iterator[Any]:
        """A bare connection of the driver, which knows nothing of us. What is done through it is committed."""
        if self.db is not None:
            with psycopg.connect(self.db, autocommit=True) as connection:
                yield connection
            return
        file = sqlite3.connect(self.data / "tarimba.db", isolation_level=None, timeout=30)
        try:
            yield file
        finally:
            file.close()

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with self.rows() as connection:
            found: list[tuple[Any, ...]] = connection.execute(query).fetchall()
            return found

    def count(self, table: str, company: Company) -> int:
        """The rows of one space in a table."""
        return int(self.ask(f"SELECT count(*) FROM {table} WHERE space_id = '{company.space_id}'")[0][0])


def declaration(slug: str, language: str, settings: Mapping[str, Any]) -> str:
    """The TOML of the company."""
    lines = ["[space]", f'slug = "{slug}"', 'name = "Acme"', f'language = "{language}"', "[agent_memory]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in {"enabled": True, **settings}.items()]
    for vendor in dict.fromkeys(AGENTS.values()):
        lines += ["[[vendor]]", f'slug = "{vendor}"']
    for agent, vendor in AGENTS.items():
        lines += ["[[agent]]", f'slug = "{agent}"', f'vendor = "{vendor}"', 'harness = "generic"']
        lines += ["[[agent.key]]", 'name = "prod"', f"scopes = {json.dumps(SCOPES)}"]
    lines += ["[[key]]", 'name = "ops"', 'scopes = ["admin"]']
    for role in ROLES:
        lines += ["[[person]]", f'slug = "{role}"', f'email = "{role}@acme.example"', f'roles = ["{role}"]']
    return "\n".join(lines)


def found_in(kernel: Kernel, *, language: str = "en", **settings: Any) -> Company:
    """A new company beside those that are there; `settings` are those of the memory, which is on."""
    slug = f"acme-{secrets.token_hex(6)}"
    applied = hosting.apply_text(kernel, declaration(slug, language, settings))
    host = hosting.host_of(kernel, slug)
    bearers = {agent: str(applied.agent_keys[agent]["prod"]) for agent in AGENTS}
    bearers["admin"] = str(applied.keys["ops"])
    for role in ROLES:
        bearers[role] = str(hosting.issue_token(kernel, host, f"{role}@acme.example", None)["token"])
    return Company(slug, applied.space_id, applied.agents, bearers)


def found(place: Place, **settings: Any) -> Company:
    with place.kernel() as kernel:
        return found_in(kernel, **settings)


@dataclass(frozen=True)
class Kept:
    """What an answer said in its `Tarimba-Receipt`."""

    id: str
    seq: int
    leaf: str

    @classmethod
    def of(cls, response: httpx.Response) -> Kept:
        return cls.parsed(response.headers["tarimba-receipt"])

    @classmethod
    def parsed(cls, header: str) -> Kept:
        receipt_id, seq, leaf = header.split("; ")
        return cls(receipt_id, int(seq.removeprefix("seq=")), leaf.removeprefix("leaf="))


def log_of(kernel: Kernel, company: Company) -> list[Stored]:
    """Every receipt of the space, oldest first. Asserts that the places have no gap."""
    with kernel.database.read() as connection:
        query = "SELECT size FROM space_head WHERE space_id = "
        size = connection.exec_driver_sql(f"{query}'{company.space_id}'").scalar_one()
        receipts = list(LogReader(connection, company.space_id, kernel.cold).span(0, size))
    assert not [stored.seq for stored in receipts if "id" not in stored.document]
    return receipts


def require_kept(kernel: Kernel, company: Company, answers: list[Kept]) -> Report:
    """Asserts that each receipt is where its answer said, and that the log and the notes verify."""
    receipts = log_of(kernel, company)
    for kept in answers:
        stored = receipts[kept.seq]
        assert (stored.document["id"], stored.leaf.hex()) == (kept.id, kept.leaf)
    report = verify_space(kernel, company.space_id)
    assert report.ok, report.lines()
    return report
