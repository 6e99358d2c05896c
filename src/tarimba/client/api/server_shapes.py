"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Health(TypedDict):
    status: str


class Check(TypedDict):
    name: str
    ok: bool
    detail: str


class Readiness(TypedDict):
    status: str
    checks: list[Check]


class SourceView(TypedDict):
    space_id: str
    tenant_id: str
    region: str
    environment: str
    source_id: str
    key_id: str
    audience: str
    verification_ceiling: str
    source_name: str | None
    vendor: str | None
    scopes: list[str]
    agent_memory: bool


class ProfileView(TypedDict):
    features: list[str]
    valid_for_s: int


class TaskView(TypedDict):
    object_types: list[str]


class AgentMemoryView(TypedDict):
    enabled: bool
    writes: str
    title_max: int
    body_max: int
    writes_per_hour: int
    active_notes_max: int
    refusals_per_hour: int
    block_tokens_default: int
    rejected_text_days: int
    tasks: dict[str, TaskView]


class PersonalDataView(TypedDict):
    allow: list[str]


class ConversationsView(TypedDict):
    retention_days: int
    across_vendors: bool


class EvolutionView(TypedDict):
    mode: str
    every_tasks: int


class IdentityViewsSkillsView(TypedDict):
    index_bytes: int


class IdentityViewsWorkspacesView(TypedDict):
    sessions_days: int


class SettingsView(TypedDict):
    space_id: str
    slug: str
    name: str
    language: str
    environment: str
    agent_memory: AgentMemoryView
    personal_data: PersonalDataView
    conversations: ConversationsView
    evolution: EvolutionView
    skills: IdentityViewsSkillsView
    workspaces: IdentityViewsWorkspacesView


class TaskBody(TypedDict):
    object_types: list[str]


class AgentMemoryBody(TypedDict):
    enabled: NotRequired[bool | None]
    writes: NotRequired[Literal["agent", "human_only"] | None]
    title_max: NotRequired[int | None]
    body_max: NotRequired[int | None]
    writes_per_hour: NotRequired[int | None]
    active_notes_max: NotRequired[int | None]
    refusals_per_hour: NotRequired[int | None]
    block_tokens_default: NotRequired[int | None]
    rejected_text_days: NotRequired[int | None]
    tasks: NotRequired[dict[str, TaskBody | None] | None]


class PersonalDataBody(TypedDict):
    allow: NotRequired[list[str] | None]


class ConversationsBody(TypedDict):
    retention_days: NotRequired[int | None]
    across_vendors: NotRequired[bool | None]


class EvolutionBody(TypedDict):
    mode: NotRequired[Literal["off", "observe", "draft", "apply"] | None]
    every_tasks: NotRequired[int | None]


class SkillsBody(TypedDict):
    index_bytes: NotRequired[int | None]


class WorkspacesBody(TypedDict):
    sessions_days: NotRequired[int | None]


class JobView(TypedDict):
    job_id: str
    kind: str
    state: Literal["running", "waiting"]
    attempts: int
    problem: str | None
    created_at: str
    next_at: str
    progress: dict[str, int]


class JobsView(TypedDict):
    items: list[JobView]
    next_cursor: NotRequired[str]
