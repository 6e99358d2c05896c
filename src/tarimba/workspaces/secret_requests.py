"""What requests about secrets may hold, and what answers do: names, never a value."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from tarimba.identity.seats import Called

Named = Annotated[str, Field(max_length=64)]
SecretName = Annotated[str, Field(min_length=1, max_length=64)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PlaceQuery(_Request):
    """Whom it is for, by slug or id: without `agent` every agent, without `subscription` in all of them."""

    name: SecretName
    subscription: Named = ""
    agent: Named = ""

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class GivenQuery(_Request):
    """Without `subscription` and `agent` those at all scopes."""

    subscription: Named | None = None
    agent: Named | None = None
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100

    def called(self) -> Called | None:
        if self.subscription is None and self.agent is None:
            return None
        return Called(self.subscription or "", self.agent or "")


class SeatQuery(_Request):
    """The subscription, of which the caller is a member, and the agent: by slug or id."""

    subscription: Named
    agent: Named

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class OwnQuery(SeatQuery):
    name: SecretName


class ValueBody(_Request):
    """The value: 1 to 65,536 bytes of UTF-8 without a NUL. No answer ever holds it."""

    value: Annotated[str, Field(max_length=65_536, repr=False)]


class GivenView(TypedDict):
    """Without `subscription_id` it is for all subscriptions, without `source_id` for all agents."""

    secret_id: str
    name: str
    subscription_id: str | None
    source_id: str | None
    created_at: str
    changed_at: str


class GivenListView(TypedDict):
    items: list[GivenView]
    next_cursor: NotRequired[str]


class OwnView(TypedDict):
    """`hides` tells that administrators give one under the name too, in whose place the member's own comes."""

    name: str
    origin: Literal["own", "given"]
    hides: bool
    changed_at: str


class OwnListView(TypedDict):
    items: list[OwnView]


class ChangedView(TypedDict):
    secret_id: str
    name: str
    created_at: str
    changed_at: str


class RemovedView(TypedDict):
    secret_id: str
    name: str
