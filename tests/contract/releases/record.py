"""Makes the fixture of a release: a company with a past in every table, as that release wrote it, on both databases.

`python -m tests.contract.releases.record DIR`, in the checkout of the release (or with its `src` first on PYTHONPATH),
writes DIR/release.toml, DIR/{sqlite,postgres}.sql.gz and, beside each dump, a .json with the keys of this made-up
installation and what the release answered last.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from html import unescape
from pathlib import Path
from typing import Any, Final

import httpx
import pyotp

import tarimba
from tarimba.cli.demo_past import Past, live
from tarimba.cli.demo_served import receiver
from tarimba.storage import migrate
from tests.contract.console.visitor import PASSWORD, Visitor
from tests.fixtures.cluster import PostgresServer, throwaway_postgres
from tests.fixtures.server import running_server

MASTER_KEY: Final = base64.b64encode(b"a key of a made-up installation.").decode()
TOKEN_SECRET: Final = "a secret that signs tokens of a made-up company"
_ENVIRONMENT: Final = {
    "TARIMBA_MASTER_KEY": MASTER_KEY,
    "TARIMBA_MCP_TOKEN_SECRET": TOKEN_SECRET,
    "TARIMBA_WEBHOOK_HOSTS": "127.0.0.1",
    "TARIMBA_EMBEDDER": "e5-small-pt",
}
_AGENTS: Final = ("cobranca", "atendimento", "logistica", "compras")
_SEAT: Final = {"subscription": "financeiro", "agent": "cobranca"}
_TALK: Final = "conversa-0007"
_SKILL: Final = """---
name: abrir-chamado
description: Use quando um sistema não responde e alguém precisa abrir um chamado.
---
Diga o sistema, desde quando, e o que já foi tentado.
"""
# What the server does beside requests, told by the table that it fills.
_UPKEEP: Final = ("receipt_ref", "log_count", "log_node", "log_checkpoint", "graph_vector")
_POLL_SECONDS: Final = 0.2
_POLLS: Final = 600


class _Release:
    """One installation of the release, on one kind of database."""

    def __init__(self, data: Path, db: str | None) -> None:
        self.data = data
        self.db = db
        self.past = Past({}, {})

    def make(self) -> dict[str, Any]:
        """Lives its past. Returns what is kept beside the dump."""
        # A first start without a space leaves the link of the first owner behind.
        with running_server(self.data, self.db, env=_ENVIRONMENT):
            pass
        with receiver() as address:
            self._live(address)
        with running_server(self.data, self.db, env=_ENVIRONMENT) as server:
            self._go_on(server.base_url)
            self._wait_for_upkeep()
            # Whatever was under way is done: what is answered now is what the dump must answer.
            told = self._tell(server.base_url)
        # A job that nobody has done yet.
        (self.data / "SKILL.md").write_text(_SKILL, encoding="utf-8")
        self._command("skills", "publish", str(self.data / "SKILL.md"))
        told["checkpoint"] = self._command("receipts", "checkpoint")
        told["public_key"] = self._command("receipts", "keys").split()[0]
        return told | {
            "version": tarimba.__version__,
            "revision": migrate.HEAD,
            "master_key": MASTER_KEY,
            "mcp_token_secret": TOKEN_SECRET,
            "at": time.time_ns() // 1000,
        }

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        if self.db is None:
            with contextlib.closing(sqlite3.connect(self.data / "tarimba.db")) as file:
                return file.execute(query).fetchall()
        import psycopg

        with psycopg.connect(self.db) as connection:
            return connection.execute(query.encode()).fetchall()

    def _live(self, address: str) -> None:
        self.past = live(
            {
                "data": self.data,
                "db": self.db,
                "master_key": MASTER_KEY,
                "mcp_token_secret": TOKEN_SECRET,
                "webhook_hosts": "127.0.0.1",
                "log_level": "error",
            },
            address,
        )

    def _go_on(self, url: str) -> None:
        """What the demo's past leaves out."""
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as http:
            self._track(http)
            self._administer(http)
            self._visit(http)
            note = self._call(http, "cobranca", "GET", "/v1/agent-memory/notes")["items"][0]["note_id"]
            path, outcome = f"/v1/agent-memory/notes/{note}/outcomes", {"helped": True}
            headers = {"idempotency-key": "outcome-1"}
            self._call(http, "cobranca", "POST", path, json=outcome, headers=headers)
            token = self._command("workspace", "token", *_named(_SEAT | {"member": "lia"})).strip()
            seat = {"authorization": f"Bearer {token}"}
            http.post("/v1/turns/start", json={"conversation_id": _TALK}, headers=seat).raise_for_status()

    def _track(self, http: httpx.Client) -> None:
        """A customer who is proven, who is read of, and another who is forgotten."""
        scopes = [f"--scope={scope}" for scope in ("agent_memory", "context", "track")]
        key = self._command("keys", "mint", "--agent", "cobranca", "--name", "clientes", *scopes).strip()
        self.past = Past({**self.past.bearers, "clientes": key}, self.past.links)
        one, two, other = _handle("5511900000000"), _handle("5511900000001"), _handle("5511900000002")
        items = [
            _said(_TALK, "wamid-1", "A fatura veio errada.", one) | {"conversation_aliases": ["bilhete-7"]},
            {"type": "identify", "idempotency_key": "id-1", "conversation_id": _TALK, "method": "otp"}
            | {"handles": [one, two]},
            {"type": "verify", "idempotency_key": "v-1", "conversation_id": _TALK, "level": "V3"}
            | {"handle": one, "method": "otp"},
            # What would be an id is a person's number: a surrogate stands in its place.
            _said("529.982.247-25", "wamid-2", "Quero outra via.", other),
        ]
        self._call(http, "clientes", "POST", "/v1/batch", json={"items": items})
        asked = {"conversation_id": _TALK, "subject": one}
        self._call(http, "clientes", "POST", "/v1/context", json=asked)
        gone = _handle("5511900000003")
        said = {"items": [_said("conversa-x", "wamid-3", "Até logo.", gone)]}
        self._call(http, "clientes", "POST", "/v1/batch", json=said)
        self._call(http, "rita", "POST", "/v1/forget", json={"target": "handle", "handle": gone})

    def _administer(self, http: httpx.Client) -> None:
        known = {
            "items": [
                {"name": "Zuleide Quixabeira", "handles": [{"type": "whatsapp", "value": "5511900000009"}]}
            ]
        }
        self._call(http, "rita", "POST", "/v1/admin/known-customers", json=known)
        agent = self.rows("SELECT source_id FROM agent WHERE slug = 'cobranca'")[0][0]
        path = f"/v1/admin/agents/{agent}/persona"
        headers = {"if-match": self._call(http, "rita", "GET", path)["etag"]}
        documents = {"documents": {"SOUL.md": "Seja breve e gentil.\n"}}
        self._call(http, "rita", "PUT", path, json=documents, headers=headers)

    def _visit(self, http: httpx.Client) -> None:
        """The owner comes into the Console, turns a second factor on and has the log verified; somebody guesses."""
        owner = Visitor(http)
        path = self.past.links["rita"].partition("/console")[2]
        owner.open(path)
        owner.send(path, password=PASSWORD)
        owner.open("/account")
        owner.send("/account/second-factor/start")
        owner.open("/account/second-factor")
        seed = re.search(r"<code>([A-Z2-7]{32})</code>", owner.page)
        assert seed is not None
        owner.send("/account/second-factor", code=pyotp.TOTP(unescape(seed[1])).now())
        owner.open("/receipts/verify")
        owner.send("/receipts/verify")
        with httpx.Client(base_url=http.base_url, timeout=60, trust_env=False) as client:
            other = Visitor(client)
            other.open("/sign-in")
            other.send("/sign-in", email="bento@acme.example", password="not his at all", space="acme")

    def _wait_for_upkeep(self) -> None:
        for _ in range(_POLLS):
            if all(self.rows(f"SELECT count(*) FROM {table}")[0][0] for table in _UPKEEP):
                return
            time.sleep(_POLL_SECONDS)
        raise SystemExit("The work beside requests was not done in time.")

    def _tell(self, url: str) -> dict[str, Any]:
        """What the release answers to agents and people."""
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as http:
            blocks = {
                agent: self._call(
                    http, agent, "GET", "/v1/agent-memory/block", params={"conversation_id": _TALK}
                )
                for agent in _AGENTS
            }
            notes = {
                agent: self._call(http, agent, "GET", "/v1/agent-memory/notes", params={"limit": 100})[
                    "items"
                ]
                for agent in _AGENTS
            }
            asked = {"conversation_id": "conversa-0003"}
            return {
                "bearers": dict(self.past.bearers),
                "blocks": {
                    agent: {name: one[name] for name in ("text", "etag")} for agent, one in blocks.items()
                },
                "notes": notes,
                "graph": self._call(http, "lia", "GET", "/v1/memory-graph/export", params=_SEAT),
                "bundle": self._call(http, "otto", "POST", "/v1/receipts/bundle", json=asked),
            }

    def _call(self, http: httpx.Client, who: str, method: str, path: str, **request: Any) -> Any:
        headers = {"authorization": f"Bearer {self.past.bearers[who]}"} | request.pop("headers", {})
        answer = http.request(method, path, headers=headers, **request)
        if not answer.is_success or answer.status_code == httpx.codes.MULTI_STATUS:
            raise SystemExit(f"{method} {path} was answered with {answer.status_code}: {answer.text[:400]}")
        return answer.json()

    def _command(self, *arguments: str) -> str:
        where = ["--data", str(self.data), *(("--db", self.db) if self.db else ())]
        command = [sys.executable, "-m", "tarimba.cli", *arguments, *where]
        environment = {**os.environ, **_ENVIRONMENT}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def _said(talk: str, key: str, text: str, handle: dict[str, str]) -> dict[str, Any]:
    return {
        "type": "event",
        "kind": "message",
        "idempotency_key": key,
        "channel": "whatsapp",
        "conversation_id": talk,
        "handles": [handle],
        "speaker": {"role": "customer"},
        "content": {"type": "text", "text": text},
    }


def _handle(number: str) -> dict[str, str]:
    return {"type": "wa_id", "value": number}


def _named(options: dict[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


def _sqlite_dump(file: Path) -> str:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return "".join(f"{line}\n" for line in connection.iterdump())


def _postgres_dump(cluster: PostgresServer, url: str) -> str:
    command = [str(cluster.binaries / "pg_dump"), "--inserts", "--no-owner", "--no-privileges", url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Commands of psql itself: a driver reads the dump.
    return "".join(line for line in said.splitlines(keepends=True) if not line.startswith("\\"))


def _write(folder: Path, kind: str, told: dict[str, Any], dump: str) -> None:
    # Without a time in its head, the same dump is the same file.
    (folder / f"{kind}.sql.gz").write_bytes(gzip.compress(dump.encode(), mtime=0))
    text = json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True)
    (folder / f"{kind}.json").write_text(f"{text}\n", encoding="utf-8")


def _describe(folder: Path) -> None:
    """The commit that is checked out, and the schema with the hash of each of its migrations."""
    command = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    versions = Path(migrate.__file__).parent / "migrations" / "versions"
    lines = [f'commit = "{commit}"', f'revision = "{migrate.HEAD}"', "", "[migrations]"]
    lines += [
        f'{path.stem} = "{hashlib.sha256(path.read_bytes()).hexdigest()}"'
        for path in sorted(versions.glob("r*.py"))
    ]
    (folder / "release.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _describe(folder)
    with tempfile.TemporaryDirectory(prefix="tarimba-release-") as scratch:
        made = _Release(Path(scratch) / "sqlite", None)
        _write(folder, "sqlite", made.make(), _sqlite_dump(made.data / "tarimba.db"))
        with throwaway_postgres() as cluster:
            url = cluster.create_database()
            made = _Release(Path(scratch) / "postgres", url)
            _write(folder, "postgres", made.make(), _postgres_dump(cluster, url))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
