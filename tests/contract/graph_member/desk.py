"""A member at work with one agent in one subscription, whose graph it is, and others who must not see it."""

from __future__ import annotations

from typing import Any

import httpx

from tarimba.graph.model import Addition, By, NewEntity, NewObservation, NewRelation, Scope
from tarimba.graph.service import add_observations, create_entities, create_relations
from tarimba.receipts.model import Actor
from tests.contract.api.served import Api
from tests.e2e.company import Company, log_of

GRAPH = "/v1/memory-graph"


class Desk:
    """Requests about the graph of `member` with the agent `billing` in the subscription `team`."""

    def __init__(self, api: Api, company: Company) -> None:
        self.api, self.company = api, company
        team = self.call(
            "owner", "POST", "/v1/admin/subscriptions", json={"slug": "team", "members": ["member"]}
        )
        people = self.call("owner", "GET", "/v1/admin/people").json()["items"]
        (self.member,) = [one["person_id"] for one in people if one["slug"] == "member"]
        self.team = team.json()["subscription_id"]

    @property
    def scope(self) -> Scope:
        return Scope(self.company.space_id, self.team, self.company.sources["billing"], self.member)

    @property
    def by(self) -> By:
        return By(Actor("person", self.member), "http")

    def call(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(self.company, who, method, path, **options)

    def ask(self, method: str, path: str, /, who: str = "member", **options: Any) -> httpx.Response:
        """A request about the member's graph; what is given besides the body and headers is the query."""
        sent = {name: options.pop(name) for name in ("json", "content", "headers") if name in options}
        params = {"subscription": "team", "agent": "billing"} | options
        return self.call(who, method, f"{GRAPH}/{path}", params=params, **sent)

    def get(self, path: str, /, **options: Any) -> dict[str, Any]:
        answer = self.ask("GET", path, **options)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def post(self, path: str, body: dict[str, Any], **options: Any) -> dict[str, Any]:
        answer = self.ask("POST", path, json=body, **options)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def tag(self, name: str) -> dict[str, str]:
        """The header by which an edit says that it has seen the entity as it is."""
        return {"if-match": self.ask("GET", "entity", name=name).headers["etag"]}

    def make(self, name: str, *texts: str, type_: str = "machine") -> None:
        observations = [{"text": text} for text in texts]
        made = self.post("entities", {"name": name, "entity_type": type_, "observations": observations})
        assert made["changed"] == 1

    def take_in(self, text: str | bytes, **options: Any) -> dict[str, Any]:
        """Imports a file."""
        headers = {"content-type": "application/json"} | options.pop("headers", {})
        content = text if isinstance(text, bytes) else text.encode()
        answer = self.ask("POST", "import", content=content, headers=headers, **options)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def export(self, format_: str = "json") -> str:
        answer = self.ask("GET", "export", format=format_)
        assert answer.status_code == 200, answer.text
        return answer.text

    def learn(self, conversation: str | None, entity: NewEntity, *relations: NewRelation) -> None:
        """What the agent writes in a conversation."""
        by = By(Actor("agent", self.company.sources["billing"]), "mcp", conversation)
        create_entities(self.api.kernel, self.scope, by, [entity])
        if relations:
            create_relations(self.api.kernel, self.scope, by, relations)

    def observe(self, conversation: str, name: str, text: str) -> None:
        by = By(Actor("agent", self.company.sources["billing"]), "mcp", conversation)
        add_observations(self.api.kernel, self.scope, by, [Addition(name, (NewObservation(text),))])

    def latest(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get("changes")["items"][0]
        return found

    def log(self) -> list[dict[str, Any]]:
        return [dict(stored.document) for stored in log_of(self.api.kernel, self.company)]
