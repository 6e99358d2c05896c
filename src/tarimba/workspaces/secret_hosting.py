"""What the host's command line asks of secrets: words in, JSON out, never a value.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

from typing import Any, Final

from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.workspaces import secret_changes as changes
from tarimba.workspaces.secret_views import changed_view, given_view, own_views

__all__ = ["Called", "give", "names", "take"]

_PAGE: Final = 500


def give(kernel: Kernel, host: Principal, called: Called, name: str, value: str) -> dict[str, Any]:
    """For whom it is named: with a member, that member's own."""
    put = changes.put_own if called.member else changes.put_given
    return {**changed_view(name, put(kernel, host, called, name, value))}


def take(kernel: Kernel, host: Principal, called: Called, name: str) -> dict[str, Any]:
    remove = changes.remove_own if called.member else changes.remove_given
    return {"secret_id": remove(kernel, host, called, name).ids["secret_id"], "name": name}


def names(kernel: Kernel, host: Principal, called: Called) -> list[dict[str, Any]]:
    """All that administrators give, at the scope that is named if one is; with a member what their agent gets."""
    if called.member:
        return [{**one} for one in own_views(changes.list_own(kernel, host, called))]
    asked = called if called.subscription or called.agent else None
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = changes.list_given(kernel, host, asked, Window(_PAGE, after))
        found += [{**given_view(one)} for one in page.items]
        after = page.ends_at
    return found
