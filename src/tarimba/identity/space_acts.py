"""The settings of a space under its lock: one receipt for each change, with the old and the new value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tarimba.errors import invalid
from tarimba.identity import space_store as store
from tarimba.identity.changes import leave
from tarimba.identity.model import Principal
from tarimba.identity.setting_rules import TASKS_MAX
from tarimba.identity.settings import load
from tarimba.receipts.model import Recorded
from tarimba.storage import Tx

_OF_THE_SPACE = frozenset({"name", "language"})


def change_settings(tx: Tx, by: Principal, changes: Mapping[str, Any]) -> Recorded | None:
    """Stores the checked values that differ. Returns the last receipt, None when nothing differs."""
    recorded = None
    for name, new in changes.items():
        old = _value(tx, name)
        if old != new:
            recorded = _put(tx, by, name, old, new)
    if len(load(tx.connection, tx.space_id).tasks) > TASKS_MAX:
        raise invalid("agent_memory.tasks", f"must not be more than {TASKS_MAX}")
    return recorded


def differing(tx: Tx, changes: Mapping[str, Any]) -> list[str]:
    """The names whose value in force is another one."""
    return [name for name, new in changes.items() if _value(tx, name) != new]


def _value(tx: Tx, name: str) -> Any:
    if name in _OF_THE_SPACE:
        return getattr(store.space_by_id(tx.connection, tx.space_id), name)
    return load(tx.connection, tx.space_id).value(name)


def _put(tx: Tx, by: Principal, name: str, old: Any, new: Any) -> Recorded:
    if name in _OF_THE_SPACE:
        store.update_space(tx, {name: new})
    else:
        store.put_setting(tx, name, new)
    # A receipt outlives every deletion, so it holds values of settings but never a name.
    values = {} if name == "name" else {"old": old, "new": new}
    return leave(tx, by, "settings.change", {}, {"setting": name, **values})
