"""The filters of LangGraph's stores: equality by field, or `{"$gt": 3}` and its like. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

_EQUAL: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"$eq": operator.eq, "$ne": operator.ne}
)
_ORDERED: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
)


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether every field is as wanted. Raises ValueError for what can't be compared, as LangGraph's stores do."""
    return all(_matches(value.get(name), one) for name, one in (wanted or {}).items())


def _matches(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted):
        return all(_compared(value, str(name), other) for name, other in wanted.items())
    if isinstance(wanted, Mapping):
        return isinstance(value, Mapping) and matches(value, wanted)
    if isinstance(wanted, list | tuple):
        return isinstance(value, list | tuple) and list(value) == list(wanted)
    return bool(value == wanted)


def _compared(value: Any, name: str, other: Any) -> bool:
    if name in _EQUAL:
        return _EQUAL[name](value, other)
    if name in _ORDERED:
        try:
            return _ORDERED[name](float(value), float(other))
        except (TypeError, ValueError):
            # The cause is left out: it repeats the value.
            raise ValueError("A filter by order compares numbers only.") from None
    raise ValueError(f"A filter compares with {', '.join((*_EQUAL, *_ORDERED))} only.")
