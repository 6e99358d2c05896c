"""A team of two members, whose agents reach the graphs over the protocol."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tarimba.graph import service
from tarimba.graph.model import Scope
from tarimba.identity import hosting
from tarimba.identity.seats import Called
from tests.contract.api.served import Api
from tests.e2e.company import Company

T = TypeVar("T")
SECRET = "a secret that signs tokens in tests"
ERAS = ("legacy", "2026-07-28")
MEMBERS = ("member", "auditor")


@dataclass(frozen=True)
class Team:
    """A subscription of a company."""

    api: Api
    company: Company
    slug: str
    subscription_id: str
    people: dict[str, str]

    @property
    def url(self) -> str:
        return f"{self.api.http.base_url}/v1/mcp"

    def token(self, member: str = "member", agent: str = "billing") -> str:
        host = hosting.host_of(self.api.kernel, self.company.slug)
        return service.show_token(self.api.kernel, host, Called(self.slug, agent, member)).token

    def scope(self, member: str = "member", agent: str = "billing") -> Scope:
        ids = (self.company.sources[agent], self.people[member])
        return Scope(self.company.space_id, self.subscription_id, *ids)

    def post(self, token: str | None, message: Any, **headers: str | bytes) -> httpx.Response:
        """One bare message; underscores in names of headers stand for hyphens."""
        sent: dict[bytes, bytes] = {
            b"content-type": b"application/json",
            b"accept": b"application/json, text/event-stream",
        }
        if token is not None:
            sent[b"authorization"] = f"Bearer {token}".encode()
        for name, value in headers.items():
            sent[name.replace("_", "-").encode()] = value.encode() if isinstance(value, str) else value
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.api.http.post("/v1/mcp", content=content, headers=httpx.Headers(sent))

    def call(self, tool: str, token: str | None = None, told: str | None = None, **arguments: Any) -> Any:
        """What a tool answers to a bare request, structured. `told` is the conversation."""
        headers = {} if told is None else {"x-tarimba-conversation": told.encode()}
        response = self.post(token or self.token(), calling(tool, **arguments), **headers)
        result = response.json()["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, tool: str, token: str | None = None, **arguments: Any) -> str:
        """The sentence of a tool that fails."""
        result = self.post(token or self.token(), calling(tool, **arguments)).json()["result"]
        assert result["isError"]
        assert "structuredContent" not in result
        (content,) = result["content"]
        return str(content["text"])

    def turn(self, what: str, token: str | None = None, **body: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token or self.token()}"}
        return self.api.http.post(f"/v1/turns/{what}", json=body, headers=headers)

    def ask(self, era: str, talk: Callable[[Client], Awaitable[T]], token: str | None = None) -> T:
        """What `talk` gives with the SDK's client, which speaks that era of the protocol."""
        return asyncio.run(self.talk(era, talk, token or self.token()))

    async def talk(self, era: str, talk: Callable[[Client], Awaitable[T]], token: str) -> T:
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=era) as client:
                return await talk(client)


def calling(tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def text(result: CallToolResult) -> str:
    """What the model reads."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def entity(name: str, *observations: str, kind: str = "system") -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def found_team(api: Api, company: Company) -> Team:
    slug = f"team-{secrets.token_hex(6)}"
    body = {"slug": slug, "members": list(MEMBERS)}
    made = api.call(company, "owner", "POST", "/v1/admin/subscriptions", json=body).json()
    listed = api.call(company, "owner", "GET", "/v1/admin/people").json()["items"]
    people = {person["slug"]: person["person_id"] for person in listed}
    return Team(api, company, slug, made["subscription_id"], people)
