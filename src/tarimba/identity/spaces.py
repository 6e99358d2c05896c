"""Spaces: their settings, and the host that may open them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarimba.errors import Refusal, not_found
from tarimba.identity import fleet_store, space_acts
from tarimba.identity import space_store as store
from tarimba.identity.changes import commit_change, done
from tarimba.identity.entries import Agent, Space
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.setting_rules import checked
from tarimba.identity.settings import SpaceSettings, load
from tarimba.kernel import Kernel
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey


def read_settings(kernel: Kernel, principal: Principal) -> tuple[Space, SpaceSettings]:
    """The space and its settings in force. Raises 403."""
    allow(principal, "settings")
    with kernel.database.read() as connection:
        found = store.space_by_id(connection, principal.space_id)
        settings = load(connection, principal.space_id)
    assert found is not None
    return found, settings


def change_settings(
    kernel: Kernel, principal: Principal, changes: Mapping[str, Any], once_key: OnceKey | None = None
) -> Done:
    """Changes settings by name (`agent_memory.enabled`, `language` ...). None takes a task's setting away.

    One receipt for each that differs; the answer names the last. Raises 403, and 422 naming the setting.
    """
    values = {name: checked(name, value) for name, value in changes.items()}

    def work(tx: Tx) -> Done:
        return done(200, space_acts.change_settings(tx, principal, values))

    return commit_change(kernel, principal, "settings", once_key, work)


def read_source(kernel: Kernel, principal: Principal) -> tuple[Agent | None, SpaceSettings]:
    """What a caller may know of itself: its agent, if it is one, and the settings in force."""
    with kernel.database.read() as connection:
        settings = load(connection, principal.space_id)
        if principal.source_id is None:
            return None, settings
        return fleet_store.agent_by_id(connection, principal.space_id, principal.source_id), settings


def list_spaces(kernel: Kernel) -> list[Space]:
    """Every space of the installation, by slug: for the host alone."""
    with kernel.database.read() as connection:
        return store.spaces(connection)


def host_of(kernel: Kernel, slug: str | None) -> Principal:
    """The host's command line acting in one space; `slug` None means the only one there is.

    Raises 404 for an unknown space and 422 when there are several to choose from.
    """
    found = [space for space in list_spaces(kernel) if slug in (None, space.slug)]
    if not found and slug is None:
        raise Refusal("not_found", "There is no space here yet: `tarimba apply` a file first.")
    if not found:
        raise not_found("space")
    if len(found) > 1:
        raise Refusal("invalid_input", "Several spaces share this database: name one with --space SLUG.")
    return host_principal(found[0])


def host_principal(space: Space) -> Principal:
    """The host acts on the data that it can open, and its acts name it as `{system, cli}`."""
    return Principal(
        kind="host",
        space_id=space.space_id,
        space_no=space.space_no,
        id="cli",
        via="cli",
        language=space.language,
        environment=space.environment,
        generation=0,
    )
