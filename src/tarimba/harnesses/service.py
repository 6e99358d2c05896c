"""The shipped profiles, one file each in `profiles/`: a file more is a harness more."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from tarimba.errors import Refusal, invalid
from tarimba.harnesses.configuring import ConfigurationError, McpServer, configured, masked
from tarimba.harnesses.model import FEATURES, Profile

__all__ = [
    "ConfigurationError", "McpServer", "Profile", "checked_harness", "configured", "masked", "profile", "read",
    "require", "shipped",
]  # fmt: skip

_SUFFIX: Final = ".toml"
_MAPS: Final = ("environment", "scaffold", "mcp_server")
_LISTS: Final = ("persona", "mcp_servers", "mcp_switches")


def read(name: str, text: str) -> Profile:
    """The profile that a file holds. Raises `ValueError` and its like for what is none."""
    table = tomllib.loads(text)
    first, second = table.pop("order")
    maps: dict[str, Any] = {key: MappingProxyType(table.pop(key, {})) for key in _MAPS}
    lists: dict[str, Any] = {key: tuple(table.pop(key, ())) for key in _LISTS}
    features = frozenset(table.pop("features"))
    if not features <= set(FEATURES):
        raise ValueError(f"the profile {name} names a feature that there is not")
    return Profile(name=name, order=(first, second), features=features, **maps, **lists, **table)


def _shipped() -> Mapping[str, Profile]:
    found = {
        entry.name.removesuffix(_SUFFIX): entry.read_text(encoding="utf-8")
        for entry in files("tarimba.harnesses").joinpath("profiles").iterdir()
        if entry.name.endswith(_SUFFIX)
    }
    return MappingProxyType({name: read(name, found[name]) for name in sorted(found)})


_PROFILES: Final = _shipped()


def shipped() -> tuple[str, ...]:
    """The names of the harnesses that this package knows, sorted."""
    return tuple(_PROFILES)


def profile(name: str) -> Profile:
    """What is known of this harness. Raises 422 naming those that there are."""
    return _PROFILES[checked_harness("harness", name)]


def checked_harness(field: str, name: str) -> str:
    """The name of a shipped harness. Raises 422 naming those that there are."""
    if name not in _PROFILES:
        raise invalid(field, f"must be one of {', '.join(_PROFILES)}")
    return name


def require(of: Profile, feature: str, agent: str) -> None:
    """Returns when the harness can serve `feature` (a key of `FEATURES`) for the agent with this slug. Raises 501."""
    if feature not in of.features:
        raise Refusal("not_implemented", f"The harness {of.name} of the agent {agent} can't serve {feature}.")
