"""What requests about workspaces, projects and personas may hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.identity.seats import Called
from tarimba.workspaces.projects import NewProject
from tarimba.workspaces.rules import PROJECT

Named = Annotated[str, Field(max_length=64)]
Wanted = Annotated[str, Field(min_length=1, max_length=64)]
ProjectId = Annotated[str, Field(pattern=PROJECT)]
Title = Annotated[str, Field(max_length=200)]
Cursor = Annotated[str | None, Field(max_length=256)]
Limit = Annotated[int, Field(ge=1, le=100)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListQuery(_Request):
    """Subscription, agent and member by slug or id; without one of them it is of any."""

    subscription: Named = ""
    agent: Named = ""
    member: Named = ""
    cursor: Cursor = None
    limit: Limit = 20

    def called(self) -> Called:
        return Called(self.subscription, self.agent, self.member)


class OwnQuery(_Request):
    cursor: Cursor = None
    limit: Limit = 20


class CreateBody(_Request):
    """Whose workspace it is: subscription, agent and member by slug or id."""

    subscription: Wanted
    agent: Wanted
    member: Wanted

    def called(self) -> Called:
        return Called(self.subscription, self.agent, self.member)


class ProjectBody(_Request):
    """`project` names its folder, `name` is for people."""

    project: ProjectId
    name: Title = ""

    def new(self) -> NewProject:
        return NewProject(self.project, self.name)


class OwnProjectBody(ProjectBody):
    """The subscription, of which the caller is a member, and the agent: by slug or id."""

    subscription: Wanted
    agent: Wanted

    def called(self) -> Called:
        return Called(self.subscription, self.agent)


class PersonaBody(_Request):
    """Texts by document; an empty one takes the document away, one that is not named stays."""

    documents: dict[Literal["AGENT.md", "SOUL.md"], str]
