"""What requests about published skills and shared files may hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.errors import invalid
from tarimba.skills.access import Asked
from tarimba.skills.paths import PATH_BYTES_MAX

Named = Annotated[str, Field(max_length=64)]
Path = Annotated[str, Field(min_length=1, max_length=PATH_BYTES_MAX)]
SkillName = Annotated[str, Field(min_length=1, max_length=64)]
Version = Annotated[int | None, Field(ge=1)]
Cursor = Annotated[str | None, Field(max_length=256)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScopeFields(_Request):
    """One of the four scopes; `subscription` and `agent` by slug or id. Without `scope` it is `tenant`."""

    scope: Literal["tenant", "subscription"] | None = None
    subscription: Named = ""
    agent: Named = ""

    @property
    def is_given(self) -> bool:
        return bool(self.scope or self.subscription or self.agent)

    def asked(self) -> Asked:
        return Asked(self.scope or "tenant", self.subscription, self.agent)


class ListQuery(ScopeFields):
    """Without a scope everything that the caller sees."""

    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class OneQuery(ScopeFields):
    """`version`: else the one in force."""

    name: SkillName
    version: Version = None


class VersionsQuery(ScopeFields):
    name: SkillName
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class RemoveQuery(ScopeFields):
    """`erase` deletes every version too."""

    name: SkillName
    erase: bool = False


class EffectiveQuery(_Request):
    """What an agent gets in a subscription; empty is none of them. `name` asks for one, with the lines that differ."""

    subscription: Named = ""
    agent: Named = ""
    name: SkillName | None = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class PathQuery(ScopeFields):
    path: Path


class PublishForm(ScopeFields):
    """A zip archive as `file`, or the text of SKILL.md as `body`, which keeps the other files.

    `name` confirms the one to publish under. The scope may stand here or in the query.
    """

    file: bytes | None = None
    body: bytes | None = None
    name: Annotated[str, Field(max_length=64)] = ""


class ShareForm(ScopeFields):
    """The scope and the path may stand here or in the query."""

    file: bytes
    path: Annotated[str, Field(max_length=PATH_BYTES_MAX)] = ""


class ShareQuery(ScopeFields):
    path: Annotated[str, Field(max_length=PATH_BYTES_MAX)] = ""


class RollbackBody(ScopeFields):
    """`version`: else the one before that in force. The scope may stand here or in the query."""

    name: SkillName
    version: Version = None


def scope_of(query: ScopeFields, body: ScopeFields) -> Asked:
    """The scope of a request that may name it in the query or in the body. Raises 422 when they differ."""
    if query.is_given and body.is_given and query.asked() != body.asked():
        raise invalid("scope", "is not the same in the query and in the body")
    return body.asked() if body.is_given else query.asked()
