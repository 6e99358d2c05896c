"""Asking the URLs of conversations over the skin, and looking at what is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx
from sqlalchemy import Table, insert, select

from tarimba.app import all_routes
from tarimba.conversations import service
from tarimba.conversations.model import Kind, Record
from tarimba.http.skin import make_app
from tarimba.ids import new_id
from tarimba.storage.tables import space_setting
from tests.contract.notes.world import World

WHATSAPP = {"type": "wa_id", "value": "5511912345678"}
PHONE = {"type": "phone_e164", "value": "+5511912345678"}
EMAIL = {"type": "email", "value": "somebody@example.com"}
VISITOR = {"type": "anon_id", "value": "visitor-1"}


def event(text: str | None = "Oi", **fields: Any) -> dict[str, Any]:
    """A message of a customer in the conversation `c-1`, with a key of its own."""
    whole = {
        "type": "event",
        "kind": "message",
        "idempotency_key": new_id(),
        "channel": "whatsapp",
        "conversation_id": "c-1",
        "speaker": {"role": "customer"},
        "content": {"type": "text", "text": text},
    }
    return {name: value for name, value in (whole | fields).items() if value is not None}


def action(operation: str = "reschedule", **fields: Any) -> dict[str, Any]:
    acted = {"operation": operation} | fields.pop("action", {})
    return event(kind="action", content=None, speaker={"role": "ai_agent"}, action=acted, **fields)


def item(item_type: str, **fields: Any) -> dict[str, Any]:
    """An item of another type."""
    return {"type": item_type, "idempotency_key": new_id()} | fields


class Talks:
    """Sends as agents of the world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._app = make_app(world.kernel, all_routes())

    def ask(self, method: str, path: str, who: str = "billing", **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.world.bearers[who]}", **options.pop("headers", {})}
        return asyncio.run(self._ask(method, path, headers, options))

    def send(self, *items: Any, who: str = "billing") -> httpx.Response:
        # Escaped, so that what no UTF-8 can carry arrives too.
        headers = {"content-type": "application/json"}
        return self.ask("POST", "/v1/batch", who, content=json.dumps({"items": list(items)}), headers=headers)

    def sent(self, *items: Any, who: str = "billing") -> dict[str, Any]:
        """The answer to items that are all taken."""
        answer = self.send(*items, who=who)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def setting(self, name: str, *, value: Any) -> None:
        """Sets one setting of the space, by its full name."""
        row = {"space_id": self.world.space_id, "name": name, "value": json.dumps(value)}
        with self.world.kernel.database.write() as connection:
            connection.execute(insert(space_setting).values(**row))

    def rows(self, table: Table) -> Sequence[Any]:
        """What a table holds of the space."""
        query = select(table).where(table.c.space_id == self.world.space_id)
        ordered = query.order_by(table.c.ordinal) if "ordinal" in table.c else query
        with self.world.kernel.database.read() as connection:
            return connection.execute(ordered).all()

    def record(
        self, caller_id: str = "c-1", who: str = "billing", kind: Kind = "conversation", since: int = 0
    ) -> Record | None:
        """What an agent may distil of a conversation."""
        vendor_id = self.world.caller(who).vendor_id
        assert vendor_id is not None
        return service.record_of(
            self.world.kernel,
            self.world.space_id,
            kind=kind,
            caller_id=caller_id,
            vendor_id=vendor_id,
            since=since,
        )

    def texts(self, *arguments: Any, **options: Any) -> list[str | None]:
        found = self.record(*arguments, **options)
        return [turn.text for turn in found.turns] if found else []

    async def _ask(
        self, method: str, path: str, headers: dict[str, str], options: dict[str, Any]
    ) -> httpx.Response:
        transport = httpx.ASGITransport(self._app)
        async with httpx.AsyncClient(transport=transport, base_url="http://local") as client:
            return await client.request(method, path, headers=headers, **options)
