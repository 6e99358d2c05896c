"""A member with a workspace, and the agent that writes into it past the server."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import insert

from tarimba.ids import new_id
from tarimba.storage.tables import workspace, workspace_project
from tests.contract.api.served import Api
from tests.contract.member_skills.desk import Desk
from tests.e2e.company import Company

MEMORY = "/v1/memory"
FILES = "/v1/files"


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def lay(api: Api, company: Company, subscription_id: str, person_id: str) -> str:
    """The rows of a workspace with `billing`, and of its project `roof`: nothing on the disk."""
    key = {"space_id": company.space_id, "workspace_id": new_id()}
    row = key | {
        "subscription_id": subscription_id,
        "source_id": company.sources["billing"],
        "person_id": person_id,
        "provisioned": "",
        "provisioned_at": 0,
        "created_at": 0,
        "ordinal": 0,
    }
    project = key | {"project": "roof", "name": "", "created_at": 0, "ordinal": 0}
    with api.kernel.database.write() as connection:
        connection.execute(insert(workspace).values(**row))
        connection.execute(insert(workspace_project).values(**project))
    return key["workspace_id"]


class Room(Desk):
    """Requests about the memory and the files of the member's workspace, which has a project `roof`."""

    def __init__(self, api: Api, company: Company) -> None:
        super().__init__(api, company)
        self.workspace_id = lay(api, company, self.team, self.member)

    def ask_for(
        self, path: str, method: str = "GET", /, who: str = "member", **options: Any
    ) -> httpx.Response:
        """A request about the seat; what is given besides `json` and `headers` goes into the query."""
        sent = {name: options.pop(name) for name in ("json", "headers") if name in options}
        params = {"subscription": "team", "agent": "billing"} | options
        return self.call(who, method, path, params=params, **sent)

    def memory(self, suffix: str = "", /, **options: Any) -> httpx.Response:
        return self.ask_for(MEMORY + suffix, **options)

    def note(self, text: str, seen: str | None = None, **options: Any) -> httpx.Response:
        """Writes the standing notes; `seen` is the text whose ETag is named."""
        headers: Mapping[str, str] = options.pop("headers", {})
        if seen is not None:
            headers = {**headers, "if-match": f'"{sha(seen)}"'}
        return self.ask_for(MEMORY, "PUT", json={"text": text}, headers=headers, **options)

    def files(self, path: str = "", **options: Any) -> httpx.Response:
        return self.ask_for(FILES, **options, **({"path": path} if path else {}))

    def versions(self, **options: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.memory("/versions", **options).json()["items"]
        return found

    @property
    def folder(self) -> Path:
        return self.workspace / "memory"

    @property
    def custom(self) -> Path:
        return self.folder / "MEMORY_CUSTOM.md"

    def agent_writes(self, path: str, content: str | bytes, tree: Path | None = None) -> Path:
        """What the agent itself writes, past the server; `path` is relative to its workspace."""
        target = (tree or self.workspace) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target
