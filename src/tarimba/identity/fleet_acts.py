"""Vendors, agents and keys under the lock of their space: look, change, leave a receipt."""

from __future__ import annotations

from typing import Any

from tarimba.errors import invalid, not_found
from tarimba.identity import fleet_store as store
from tarimba.identity.changes import leave, taken
from tarimba.identity.drafts import AgentChange, NewAgent, NewKey, NewVendor
from tarimba.identity.entries import Agent, Key, Vendor
from tarimba.identity.model import Principal
from tarimba.identity.tokens import Bearer
from tarimba.ids import new_id
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx


def make_vendor(tx: Tx, by: Principal, new: NewVendor) -> tuple[Vendor, Recorded]:
    """Raises 409 when the slug is taken."""
    if store.vendor_by_slug(tx.connection, tx.space_id, new.slug):
        raise taken("a vendor", "slug")
    made = Vendor(new_id(), new.slug, new.name, tx.now, tx.next_ordinal())
    store.add_vendor(tx, made)
    return made, leave(tx, by, "agent.change", {"vendor_id": made.vendor_id}, {"change": "create"})


def rename_vendor(tx: Tx, by: Principal, vendor: Vendor, name: str) -> Recorded:
    store.update_vendor(tx, vendor.vendor_id, {"name": name})
    detail = {"change": "update", "fields": ["name"]}
    return leave(tx, by, "agent.change", {"vendor_id": vendor.vendor_id}, detail)


def make_agent(tx: Tx, by: Principal, new: NewAgent, where: str = "") -> tuple[Agent, Recorded]:
    """Raises 422 for an unknown vendor and 409 when the slug is taken."""
    vendor = store.vendor_by_slug(tx.connection, tx.space_id, new.vendor)
    if vendor is None:
        raise invalid(f"{where}vendor", "must be the slug of a vendor of this space")
    if store.agent_by_slug(tx.connection, tx.space_id, new.slug):
        raise taken("an agent", f"{where}slug")
    made = Agent(
        new_id(),
        new.slug,
        new.name,
        vendor.vendor_id,
        vendor.slug,
        new.harness,
        new.task_section,
        tx.now,
        tx.next_ordinal(),
    )
    store.add_agent(tx, made)
    objects = {"source_id": made.source_id, "vendor_id": made.vendor_id}
    recorded = leave(tx, by, "agent.change", objects, {"change": "create"}, agent=made.source_id)
    if new.task_section:
        recorded = _leave_task_section(tx, by, made.source_id, old=False, new=True)
    return made, recorded


def change_agent(tx: Tx, by: Principal, source_id: str, change: AgentChange) -> Recorded | None:
    """Changes what differs. None when nothing does. Raises 404."""
    before = store.agent_by_id(tx.connection, tx.space_id, source_id)
    if before is None:
        raise not_found("agent")
    values: dict[str, Any] = _differing(before, {"name": change.name, "harness": change.harness})
    recorded = None
    if values:
        detail = {"change": "update", "fields": sorted(values)}
        recorded = leave(tx, by, "agent.change", {"source_id": source_id}, detail, agent=source_id)
    if change.task_section is not None and change.task_section != before.task_section:
        values["task_section"] = int(change.task_section)
        old, new = before.task_section, change.task_section
        recorded = _leave_task_section(tx, by, source_id, old=old, new=new)
    if values:
        store.update_agent(tx, source_id, values)
    return recorded


def make_key(
    tx: Tx, by: Principal, new: NewKey, minted: Bearer, source_id: str | None, where: str = ""
) -> tuple[Key, Recorded]:
    """Stores a key by its digest. Raises 404 for an unknown agent and 422 for an end that has passed."""
    if source_id is not None and store.agent_by_id(tx.connection, tx.space_id, source_id) is None:
        raise not_found("agent")
    if new.expires_at is not None and new.expires_at <= tx.now:
        raise invalid(f"{where}expires_at", "must lie in the future")
    ordinal = tx.next_ordinal()
    made = Key(minted.id, source_id, new.name, new.scopes, tx.now, new.expires_at, None, None, ordinal)
    store.add_key(tx, made, minted.digest)
    detail = {"scopes": list(new.scopes), "expires": new.expires_at is not None}
    return made, leave(tx, by, "key.create", _key_objects(made), detail, agent=source_id)


def revoke_key(tx: Tx, by: Principal, key_id: str) -> Recorded | None:
    """None when it was revoked before. Raises 404."""
    key = store.key_by_id(tx.connection, tx.space_id, key_id)
    if key is None:
        raise not_found("key")
    if key.revoked_at is not None:
        return None
    store.mark_key_revoked(tx, key_id)
    return leave(tx, by, "key.revoke", _key_objects(key), {}, agent=key.source_id)


def _leave_task_section(tx: Tx, by: Principal, source_id: str, *, old: bool, new: bool) -> Recorded:
    detail = {"setting": "agent_memory.task_section", "old": old, "new": new}
    return leave(tx, by, "settings.change", {"source_id": source_id}, detail, agent=source_id)


def _differing(before: Agent, wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in wanted.items() if value is not None and value != getattr(before, name)
    }


def _key_objects(key: Key) -> dict[str, str]:
    objects = {"key_id": key.key_id}
    return objects | {"source_id": key.source_id} if key.source_id else objects
