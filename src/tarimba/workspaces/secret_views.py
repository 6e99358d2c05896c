"""How secrets are told of: whom each is for and when it was changed, never its value."""

from __future__ import annotations

from tarimba.clock import rfc3339
from tarimba.storage.once import Done
from tarimba.workspaces.secret_changes import Own
from tarimba.workspaces.secret_model import Secret
from tarimba.workspaces.secret_requests import ChangedView, GivenView, OwnView


def given_view(one: Secret) -> GivenView:
    return {
        "secret_id": one.secret_id,
        "name": one.name,
        "subscription_id": one.subscription_id or None,
        "source_id": one.source_id or None,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
    }


def own_views(own: Own) -> list[OwnView]:
    return [
        {
            "name": name,
            "origin": "own" if one.person_id else "given",
            "hides": name in own.hiding,
            "changed_at": rfc3339(one.changed_at),
        }
        for name, one in own.secrets.items()
    ]


def changed_view(name: str, change: Done) -> ChangedView:
    return {
        "secret_id": change.ids["secret_id"],
        "name": name,
        "created_at": rfc3339(int(change.ids["created_at"])),
        "changed_at": rfc3339(int(change.ids["changed_at"])),
    }
