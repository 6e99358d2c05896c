"""Who may do what: one table, pure.

Every act of a surface asks `allow` with its name. Agents act by scopes, people by roles, an admin key as a
manager of the whole space; the host's CLI acts on the data it can open and may do everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tarimba.errors import Refusal
from tarimba.identity.model import Principal

READ_SCOPES = frozenset({"agent_memory", "context"})
WRITE_SCOPES = frozenset({"agent_memory:write"})
_EVERYBODY = frozenset({"owner", "manager", "reviewer", "operator", "auditor"})


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may do one act: agents with one of `scopes`, admin keys if `admin`, people with one of `roles`.

    `managers`: who manages a subscription too, for that one alone, which the use case tells.
    """

    scopes: frozenset[str] = frozenset()
    admin: bool = False
    roles: frozenset[str] = frozenset()
    person_only: bool = False
    managers: bool = False


_MANAGER_OF = "manager@"
GRANTS: Mapping[str, Grant] = MappingProxyType(
    {
        "block": Grant(READ_SCOPES),
        "outcomes": Grant(READ_SCOPES),
        "read_notes": Grant(READ_SCOPES, True, _EVERYBODY),
        "write_notes": Grant(WRITE_SCOPES, True, frozenset({"owner", "reviewer"})),
        "decide": Grant(roles=frozenset({"owner", "reviewer"}), person_only=True),
        "export": Grant(admin=True, roles=frozenset({"owner"})),
        "erase": Grant(admin=True, roles=frozenset({"owner"})),
        "import": Grant(roles=frozenset({"owner"})),
        "settings": Grant(roles=frozenset({"owner"})),
        "people": Grant(roles=frozenset({"owner"})),
        "fleet": Grant(admin=True, roles=frozenset({"owner", "manager"})),
        "vocabulary": Grant(admin=True, roles=frozenset({"owner", "manager", "reviewer"})),
        "known_customers": Grant(admin=True, roles=frozenset({"owner", "manager"})),
        "known_customer_removal": Grant(admin=True, roles=frozenset({"owner", "manager", "reviewer"})),
        "track": Grant(frozenset({"track"})),
        "context": Grant(frozenset({"context"})),
        "ingest_status": Grant(frozenset({"context", "track"})),
        "forget": Grant(admin=True, roles=frozenset({"owner"})),
        "distill": Grant(WRITE_SCOPES, True, frozenset({"owner", "reviewer"})),
        "read_proposals": Grant(WRITE_SCOPES, True, frozenset({"owner", "reviewer", "auditor"})),
        "webhooks": Grant(admin=True, roles=frozenset({"owner", "manager"})),
        "notifications": Grant(admin=True, roles=_EVERYBODY),
        "evolution": Grant(admin=True, roles=frozenset({"owner", "reviewer", "operator", "auditor"})),
        "evolve": Grant(admin=True, roles=frozenset({"owner", "operator"})),
        "decide_skill": Grant(roles=frozenset({"owner", "operator"}), person_only=True),
        "jobs": Grant(admin=True, roles=frozenset({"owner", "manager"})),
        # Within its scope a manager of one subscription too: `skills.rules` tells which.
        "skills": Grant(admin=True, roles=frozenset({"owner", "manager"})),
        "read_skills": Grant(READ_SCOPES, True, _EVERYBODY),
        # What is published, and at which scope.
        "look_at_skills": Grant(admin=True, roles=_EVERYBODY, managers=True),
        "publish_skills": Grant(admin=True, roles=frozenset({"owner", "manager"}), managers=True),
        # Of the member who asks, in a subscription that has them.
        "member_skills": Grant(roles=frozenset({"member"}), person_only=True),
        # What is a member's alone: memory files, graph, files; nobody else reads it, not even the owner.
        "own_memory": Grant(roles=frozenset({"member"}), person_only=True),
        # The member themselves may too: the use case tells.
        "erase_member": Grant(roles=frozenset({"owner"}), person_only=True),
        # Where agents work: provisioning, projects, mounts, tokens of workspaces. Never what a member keeps there.
        "workspaces": Grant(roles=frozenset({"owner", "operator"})),
        "read_workspaces": Grant(roles=frozenset({"owner", "operator", "auditor"})),
        "secrets": Grant(roles=frozenset({"owner", "operator"})),
        "own_secrets": Grant(roles=frozenset({"member"}), person_only=True),
        "receipts": Grant(admin=True, roles=frozenset({"owner", "auditor"})),
        "checkpoints": Grant(READ_SCOPES | WRITE_SCOPES | frozenset({"track"}), True, _EVERYBODY),
        "tools": Grant(
            frozenset({"agent_memory", "agent_memory:write", "context", "track"}), True, _EVERYBODY
        ),
    }
)


def allow(principal: Principal, act: str) -> None:
    """Returns when the caller may do `act` (a key of `GRANTS`). Raises `scope_missing`, `person_required`."""
    if not may(principal, act):
        if GRANTS[act].person_only and principal.kind != "person":
            raise Refusal("person_required", "Only a person with the role may decide this, never a key.")
        raise Refusal("scope_missing", f"Your key's scopes or your roles do not include {_needs(act)}.")


def may(principal: Principal, act: str) -> bool:
    """Whether the caller may do `act`."""
    grant = GRANTS[act]
    if principal.kind == "host":
        return True
    if principal.kind == "agent":
        return not principal.scopes.isdisjoint(grant.scopes)
    if principal.kind == "admin":
        return grant.admin
    if grant.managers and any(role.startswith(_MANAGER_OF) for role in principal.roles):
        return True
    return not principal.roles.isdisjoint(grant.roles)


def _needs(act: str) -> str:
    grant = GRANTS[act]
    wanted = sorted(grant.scopes) + sorted(grant.roles) + (["admin"] if grant.admin else [])
    return f"what `{act}` needs (one of: {', '.join(wanted)})"
