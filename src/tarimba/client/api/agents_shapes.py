"""What these calls take and give, as JSON has it."""
# Made by scripts/generate_client.py from the routes: change them, or it.

from __future__ import annotations

from typing import NotRequired, TypedDict


class AgentView(TypedDict):
    source_id: str
    slug: str
    name: str
    vendor: str
    vendor_id: str
    harness: str
    task_section: bool
    created_at: str


class AgentsView(TypedDict):
    items: list[AgentView]
    next_cursor: NotRequired[str]


class KeyView(TypedDict):
    key_id: str
    source_id: str | None
    name: str
    scopes: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    key: NotRequired[str | None]


class KeysView(TypedDict):
    items: list[KeyView]
    next_cursor: NotRequired[str]


class PersonaDocumentView(TypedDict):
    text: str
    hash: str
    size: int
    changed_at: str


class PersonaView(TypedDict):
    source_id: str
    etag: str
    documents: dict[str, PersonaDocumentView]


class VendorView(TypedDict):
    vendor_id: str
    slug: str
    name: str
    created_at: str


class VendorsView(TypedDict):
    items: list[VendorView]
    next_cursor: NotRequired[str]
