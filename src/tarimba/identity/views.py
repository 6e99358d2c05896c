"""The JSON of administration: entries as the API and the command line show them."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from tarimba.clock import rfc3339
from tarimba.identity.entries import Agent, Key, Person, Space, Subscription, Vendor
from tarimba.identity.fields import sorted_roles
from tarimba.identity.model import Principal
from tarimba.identity.setting_rules import SpaceSettings


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


class SkillsView(TypedDict):
    index_bytes: int


class WorkspacesView(TypedDict):
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
    skills: SkillsView
    workspaces: WorkspacesView


class VendorView(TypedDict):
    vendor_id: str
    slug: str
    name: str
    created_at: str


class AgentView(TypedDict):
    source_id: str
    slug: str
    name: str
    vendor: str
    vendor_id: str
    harness: str
    task_section: bool
    created_at: str


class KeyView(TypedDict):
    """`key` is only in the answer that made it, and null when that answer is asked for again."""

    key_id: str
    source_id: str | None
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    key: NotRequired[str | None]


class PersonView(TypedDict):
    person_id: str
    slug: str
    email: str
    name: str
    language: str
    roles: list[str]
    disabled: bool
    created_at: str


class SubscriptionView(TypedDict):
    subscription_id: str
    slug: str
    name: str
    members: list[str]
    created_at: str


class SourceView(TypedDict):
    """What a key or token authenticates as. The first eight are always strings."""

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


class VendorsView(TypedDict):
    items: list[VendorView]
    next_cursor: NotRequired[str]


class AgentsView(TypedDict):
    items: list[AgentView]
    next_cursor: NotRequired[str]


class KeysView(TypedDict):
    items: list[KeyView]
    next_cursor: NotRequired[str]


class PeopleView(TypedDict):
    items: list[PersonView]
    next_cursor: NotRequired[str]


class SubscriptionsView(TypedDict):
    items: list[SubscriptionView]
    next_cursor: NotRequired[str]


def settings_view(space: Space, settings: SpaceSettings) -> SettingsView:
    return {
        "space_id": space.space_id,
        "slug": space.slug,
        "name": space.name,
        "language": space.language,
        "environment": space.environment,
        "agent_memory": {
            "enabled": settings.enabled,
            "writes": settings.writes,
            "title_max": settings.title_max,
            "body_max": settings.body_max,
            "writes_per_hour": settings.writes_per_hour,
            "active_notes_max": settings.active_notes_max,
            "refusals_per_hour": settings.refusals_per_hour,
            "block_tokens_default": settings.block_tokens_default,
            "rejected_text_days": settings.rejected_text_days,
            "tasks": {name: {"object_types": list(settings.tasks[name])} for name in sorted(settings.tasks)},
        },
        "personal_data": {"allow": list(settings.allow)},
        "conversations": {
            "retention_days": settings.retention_days,
            "across_vendors": settings.across_vendors,
        },
        "evolution": {"mode": settings.evolution, "every_tasks": settings.evolution_every},
        "skills": {"index_bytes": settings.index_bytes},
        "workspaces": {"sessions_days": settings.sessions_days},
    }


def vendor_view(vendor: Vendor) -> VendorView:
    return {
        "vendor_id": vendor.vendor_id,
        "slug": vendor.slug,
        "name": vendor.name,
        "created_at": rfc3339(vendor.created_at),
    }


def agent_view(agent: Agent) -> AgentView:
    return {
        "source_id": agent.source_id,
        "slug": agent.slug,
        "name": agent.name,
        "vendor": agent.vendor,
        "vendor_id": agent.vendor_id,
        "harness": agent.harness,
        "task_section": agent.task_section,
        "created_at": rfc3339(agent.created_at),
    }


def key_view(key: Key) -> KeyView:
    return {
        "key_id": key.key_id,
        "source_id": key.source_id,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": rfc3339(key.created_at),
        "expires_at": _moment(key.expires_at),
        "revoked_at": _moment(key.revoked_at),
        "last_used_at": _moment(key.last_used_at),
    }


def person_view(person: Person) -> PersonView:
    return {
        "person_id": person.person_id,
        "slug": person.slug,
        "email": person.email,
        "name": person.name,
        "language": person.language,
        "roles": sorted_roles(person.roles),
        "disabled": person.disabled_at is not None,
        "created_at": rfc3339(person.created_at),
    }


def subscription_view(subscription: Subscription) -> SubscriptionView:
    return {
        "subscription_id": subscription.subscription_id,
        "slug": subscription.slug,
        "name": subscription.name,
        "members": list(subscription.members),
        "created_at": rfc3339(subscription.created_at),
    }


def space_view(space: Space) -> dict[str, Any]:
    return {
        "space_id": space.space_id,
        "slug": space.slug,
        "name": space.name,
        "language": space.language,
        "environment": space.environment,
        "created_at": rfc3339(space.created_at),
    }


def source_view(
    principal: Principal, agent: Agent | None, settings: SpaceSettings, region: str
) -> SourceView:
    """Audience and ceiling are fixed: notes have one audience, and no customer is verified here."""
    return {
        "space_id": principal.space_id,
        "tenant_id": principal.space_id,
        "region": region,
        "environment": principal.environment,
        "source_id": principal.source_id or "",
        "key_id": principal.key_id or "",
        "audience": "customer_agent",
        "verification_ceiling": "V0",
        "source_name": agent.name if agent else None,
        "vendor": agent.vendor if agent else None,
        "scopes": sorted(principal.scopes),
        "agent_memory": settings.enabled,
    }


def _moment(at: int | None) -> str | None:
    return None if at is None else rfc3339(at)
