"""What administration takes: the bodies and queries of its routes. Unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tarimba.harnesses.service import shipped
from tarimba.identity.setting_rules import ALLOW, task_setting

Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
# Described as a choice; the sentence of the refusal is that of the rule.
Harness = Annotated[str, Field(max_length=63, json_schema_extra={"enum": list(shipped())})]
Language = Literal["pt", "en", "es"]
Scope = Literal["agent_memory", "agent_memory:write", "context", "track"]
Text = Annotated[str, Field(max_length=1000)]
Moment = Annotated[str, Field(max_length=64, json_schema_extra={"format": "date-time"})]
Words = Annotated[list[Text], Field(max_length=1000)]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListQuery(Request):
    cursor: Annotated[str | None, Field(max_length=256)] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class TaskBody(Request):
    object_types: Words


class AgentMemoryBody(Request):
    """Settings to change; what is absent or null stays. A task given as null is taken away."""

    enabled: bool | None = None
    writes: Literal["agent", "human_only"] | None = None
    title_max: int | None = None
    body_max: int | None = None
    writes_per_hour: int | None = None
    active_notes_max: int | None = None
    refusals_per_hour: int | None = None
    block_tokens_default: int | None = None
    rejected_text_days: int | None = None
    tasks: Annotated[dict[str, TaskBody | None] | None, Field(max_length=200)] = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        plain = self.model_dump(exclude={"tasks"}, exclude_none=True)
        changes = {f"agent_memory.{name}": value for name, value in plain.items()}
        for task, body in (self.tasks or {}).items():
            changes[task_setting(task)] = body.object_types if body else None
        return changes


class PersonalDataBody(Request):
    """`allow` replaces the kinds that notes may name."""

    allow: Words | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        return {} if self.allow is None else {ALLOW: self.allow}


class ConversationsBody(Request):
    """`retention_days` keeps masked turns so long; `across_vendors` opens a customer's context to every vendor."""

    retention_days: int | None = None
    across_vendors: bool | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        return {f"conversations.{name}": value for name, value in self.model_dump(exclude_none=True).items()}


class EvolutionBody(Request):
    """`mode` says what becomes of tasks that went well; `every_tasks` makes a round after so many, 0 none."""

    mode: Literal["off", "observe", "draft", "apply"] | None = None
    every_tasks: int | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        return {f"evolution.{name}": value for name, value in self.model_dump(exclude_none=True).items()}


class SkillsBody(Request):
    """`index_bytes` limits the index of skills that goes into a prompt, in bytes of UTF-8."""

    index_bytes: int | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        return {f"skills.{name}": value for name, value in self.model_dump(exclude_none=True).items()}


class WorkspacesBody(Request):
    """`sessions_days` ends durable sessions so long after their last line, 0 never."""

    sessions_days: int | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        return {f"workspaces.{name}": value for name, value in self.model_dump(exclude_none=True).items()}


class SettingsBody(Request):
    """`PATCH settings`: what is absent or null stays."""

    name: Text | None = None
    language: Language | None = None
    agent_memory: AgentMemoryBody | None = None
    personal_data: PersonalDataBody | None = None
    conversations: ConversationsBody | None = None
    evolution: EvolutionBody | None = None
    skills: SkillsBody | None = None
    workspaces: WorkspacesBody | None = None

    def changes(self) -> dict[str, Any]:
        """The settings by their names."""
        own = self.model_dump(include={"name", "language"}, exclude_none=True)
        places = (self.skills, self.workspaces)
        parts = (self.agent_memory, self.personal_data, self.conversations, self.evolution, *places)
        return own | {name: value for part in parts if part for name, value in part.changes().items()}


class VendorBody(Request):
    slug: Slug
    name: Text | None = None


class AgentBody(Request):
    """`vendor` is a vendor's slug."""

    slug: Slug
    vendor: Slug
    name: Text | None = None
    harness: Harness | None = None
    task_section: bool | None = None


class AgentPatch(Request):
    name: Text | None = None
    harness: Harness | None = None
    task_section: bool | None = None


class AgentKeyBody(Request):
    name: Text
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=100)]
    expires_at: Moment | None = None


class SpaceKeyBody(Request):
    name: Text
    scopes: Annotated[list[Literal["admin"]], Field(min_length=1, max_length=1)]
    expires_at: Moment | None = None


class PersonBody(Request):
    slug: Slug
    email: Text
    name: Text | None = None
    language: Language | None = None
    roles: Words = Field(default_factory=list)


class PersonPatch(Request):
    """`roles` replaces all roles of the person."""

    email: Text | None = None
    name: Text | None = None
    language: Language | None = None
    roles: Words | None = None
    disabled: bool | None = None


class SubscriptionBody(Request):
    """`members` are slugs of people."""

    slug: Slug
    name: Text | None = None
    members: Annotated[list[Slug], Field(max_length=1000)] = Field(default_factory=list)
