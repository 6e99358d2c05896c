"""Published skills, and the methods of the extension through the official client."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any, Literal

import pytest
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, Request
from pydantic import BaseModel, ConfigDict
from sqlalchemy import insert

from tarimba.ids import new_id
from tarimba.skills import publishing
from tarimba.skills.access import Asked
from tarimba.skills.drafting import Offer
from tarimba.storage.tables import subscription
from tests.contract.mcp.served import Served
from tests.contract.notes.world import World

SCOPE = Literal["tenant", "subscription"]


class Whole(BaseModel):
    """A result as it came, whatever the SDK knows of it."""

    model_config = ConfigDict(extra="allow")


def subscribe(world: World, slug: str) -> str:
    """A new subscription's id."""
    subscription_id = new_id()
    row = {"space_id": world.space_id, "subscription_id": subscription_id, "slug": slug, "name": slug}
    with world.kernel.database.write() as connection:
        connection.execute(insert(subscription).values(created_at=0, ordinal=len(slug), **row))
    return subscription_id


def publish(
    world: World,
    name: str,
    description: str = "Use when something is to be done.",
    files: Mapping[str, bytes] | None = None,
    *,
    where: SCOPE = "tenant",
    within: str = "",
    agent: str = "",
) -> str:
    """Publishes a skill; its id."""
    text = f"---\nname: {name}\ndescription: {description}\nlicense: MIT\n---\n# {name}\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, data in {"SKILL.md": text.encode(), **(files or {})}.items():
            archive.writestr(path, data)
    made = publishing.publish(
        world.kernel, world.caller("admin"), Asked(where, within, agent), Offer(archive=packed.getvalue())
    )
    return made.done.ids["skill_id"]


def request(served: Served, era: str, method: str, *, key: str = "billing", **params: Any) -> dict[str, Any]:
    """The result of one method."""

    async def talk(client: Client) -> dict[str, Any]:
        return await _send(client, method, params)

    return served.ask(key, era, talk)


def refused(
    served: Served, era: str, method: str, *asked: Mapping[str, Any], key: str = "billing"
) -> list[str]:
    """What is said to each of these calls, which must all be refused as the caller's fault."""

    async def talk(client: Client) -> list[str]:
        told = []
        for params in asked:
            with pytest.raises(MCPError) as caught:
                await _send(client, method, params)
            assert (caught.value.error.code, caught.value.error.data) == (INVALID_PARAMS, None)
            told.append(caught.value.error.message)
        return told

    return served.ask(key, era, talk)


async def _send(client: Client, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    asked = Request[dict[str, Any], str](method=method, params=dict(params))
    return (await client.session.send_request(asked, Whole)).model_extra or {}
