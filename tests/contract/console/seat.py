"""A member at work with `billing` in the subscription `team`, and what the agent writes past the server."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import httpx

from tarimba.graph.model import By, NewEntity, NewRelation, Scope
from tarimba.graph.service import create_entities, create_relations
from tarimba.harnesses.service import profile
from tarimba.identity.seats import Seat
from tarimba.receipts.model import Actor
from tests.contract.console.visitor import Office, Visitor

SEAT = {"seat": "team~billing"}


def shown_text(one: Visitor) -> str:
    """The words of the page, without its tags."""
    return unescape(re.sub(r"<[^>]+>", " ", one.page))


def hidden(one: Visitor, name: str) -> str:
    """The value of a hidden field of the page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', one.page)
    assert found is not None
    return unescape(found[1])


def query(**said: str) -> str:
    return str(httpx.QueryParams(SEAT | said))


class Own:
    """The member's seat, with a workspace as an operator makes it."""

    def __init__(self, office: Office) -> None:
        self.office = office
        team = self.call(
            "owner", "POST", "/v1/admin/subscriptions", json={"slug": "team", "members": ["member"]}
        )
        whose = {"subscription": "team", "agent": "billing", "member": "member"}
        made = self.call("owner", "POST", "/v1/admin/workspaces", json=whose)
        assert made.status_code == 201, made.text
        ids = made.json()
        self.seat = Seat(
            office.company.space_id,
            team.json()["subscription_id"],
            ids["source_id"],
            "billing",
            profile("generic"),
            ids["person_id"],
        )

    def call(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        return self.office.api.call(self.office.company, who, method, path, **options)

    def get(self, path: str, **params: str) -> Any:
        """What the API tells the member."""
        answer = self.call(
            "member", "GET", path, params={"subscription": "team", "agent": "billing"} | params
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    def agent_writes(self, path: str, content: str | bytes) -> Path:
        target = self.office.api.kernel.settings.data / self.seat.home / "workspace" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def learn(self, conversation: str | None, *learned: NewEntity | NewRelation) -> None:
        """What the agent learns in a conversation."""
        ids = self.seat.space_id, self.seat.subscription_id, self.seat.source_id, self.seat.person_id
        by = By(Actor("agent", self.seat.source_id), "mcp", conversation)
        kernel = self.office.api.kernel
        create_entities(kernel, Scope(*ids), by, [one for one in learned if isinstance(one, NewEntity)])
        relations = [one for one in learned if isinstance(one, NewRelation)]
        if relations:
            create_relations(kernel, Scope(*ids), by, relations)
