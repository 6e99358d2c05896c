"""A company declared by a file, its callers, and the API of administration over it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

import httpx
from fastapi.testclient import TestClient
from sqlalchemy import select

from tarimba.http.skin import make_app
from tarimba.identity import hosting
from tarimba.identity.declare import Applied
from tarimba.identity.routes import ROUTES
from tarimba.kernel import Kernel
from tarimba.receipts.audit import verify_space
from tarimba.storage.tables import metadata, receipt_bundle

ROLES = ("owner", "manager", "reviewer", "operator", "auditor", "member")
FILE = """
[space]
slug = "acme"
name = "Acme Ltda"
language = "pt"
[[vendor]]
slug = "norte"
[[agent]]
slug = "cobranca"
name = "Agente de cobrança"
vendor = "norte"
[[agent.key]]
name = "prod"
scopes = ["agent_memory", "agent_memory:write"]
[[key]]
name = "ops"
scopes = ["admin"]
""" + "".join(
    f"""
[[person]]
slug = "p-{role}"
email = "{role}@acme.example"
roles = ["{role}"]
"""
    for role in ROLES
)
ADMIN = "/v1/admin"


@dataclass
class Company:
    """Callers are named by their role, or `agent`, or `admin` (the key of the space)."""

    kernel: Kernel
    client: TestClient
    applied: Applied
    bearers: dict[str, str]

    @property
    def space_id(self) -> str:
        return self.applied.space_id

    @property
    def source_id(self) -> str:
        return self.applied.agents["cobranca"]

    def person_id(self, role: str) -> str:
        return self.applied.people[f"p-{role}"]

    def ask(self, who: str, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """One request; `headers` with `_` for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Authorization"] = f"Bearer {self.bearers[who]}"
        url = path if path.startswith("/v1/") else f"{ADMIN}/{path}"
        answer = self.client.request(method, url, json=body, headers=sent)
        # The test client's responses are of a fork of httpx, of the same shape.
        return cast("httpx.Response", answer)

    def receipts(self) -> list[dict[str, Any]]:
        """Every receipt of the space, oldest first."""
        query = select(receipt_bundle.c.entries).where(receipt_bundle.c.space_id == self.space_id)
        with self.kernel.database.read() as connection:
            bundles = connection.scalars(query.order_by(receipt_bundle.c.first_seq)).all()
        return [json.loads(line) for entries in bundles for line in bytes(entries).split(b"\n")]

    def receipt_of(self, answer: httpx.Response) -> dict[str, Any]:
        """The receipt that the answer's header names."""
        receipt_id = answer.headers["tarimba-receipt"].split(";")[0]
        (found,) = [receipt for receipt in self.receipts() if receipt["id"] == receipt_id]
        return found

    def is_sound(self) -> bool:
        return verify_space(self.kernel, self.space_id).ok

    def dump(self) -> str:
        """Everything that the database holds, as text."""
        with self.kernel.database.read() as connection:
            rows = [
                tuple(row) for table in metadata.sorted_tables for row in connection.execute(table.select())
            ]
        return repr(rows)


def found(kernel: Kernel) -> Company:
    """The company of `FILE` with a token for each person."""
    applied = hosting.apply_text(kernel, FILE)
    host = hosting.host_of(kernel, "acme")
    bearers = {
        role: hosting.issue_token(kernel, host, f"{role}@acme.example", None)["token"] for role in ROLES
    }
    bearers["agent"] = str(applied.agent_keys["cobranca"]["prod"])
    bearers["admin"] = str(applied.keys["ops"])
    return Company(kernel, TestClient(make_app(kernel, ROUTES)), applied, bearers)
