"""The tools of a customer's history over the protocol, for the one customer whom the request's token stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from tarimba.conversations import bound
from tarimba.errors import Refusal
from tarimba.http.reading import BodyShape
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.mcp import arguments
from tarimba.mcp.endpoint import Scope
from tarimba.mcp.results import STRING, STRING_OR_NULL, list_of, object_of

HEADERS: Final = ("Tarimba-Subject-Token", "Niadra-Subject-Token")
"""Either binds a customer: the second is what clients of the niadra SDK send."""
M = TypeVar("M", bound=BaseModel)
Use = Callable[[Kernel, Principal, str | None, Mapping[str, Any]], dict[str, Any]]


def read_token(scope: Scope) -> str | None:
    """The token that a request carries; None without one, or with an empty one. Raises 400 for two different ones."""
    names = {name.lower().encode() for name in HEADERS}
    told = {value.decode("latin-1").strip() for name, value in scope["headers"] if name in names}
    if len(told) > 1:
        detail = f"{' and '.join(HEADERS)}: name different customers. Send one of them, once."
        raise Refusal("invalid_input", detail, status=400)
    return (told.pop() or None) if told else None


def _use(shape: BodyShape[M], read: Callable[[Kernel, Principal, str | None, M], dict[str, Any]]) -> Use:
    def use(
        kernel: Kernel, principal: Principal, token: str | None, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        return read(kernel, principal, token, arguments.read(shape, given))

    return use


USES: Final[Mapping[str, Use]] = MappingProxyType(
    {
        "search_customer_history": _use(BodyShape(bound.SearchArguments), bound.search),
        "get_customer_timeline": _use(BodyShape(bound.TimelineArguments), bound.timeline),
        "open_history_item": _use(BodyShape(bound.OpenArguments), bound.opened),
    }
)
_ITEMS: Final = list_of(object_of(dict.fromkeys(("id", "kind", "text", "at"), STRING)))
SCHEMAS: Final[Mapping[str, dict[str, Any]]] = MappingProxyType(
    {
        "search_customer_history": object_of({"items": _ITEMS, "receipt_id": STRING}),
        "get_customer_timeline": object_of(
            {"items": _ITEMS, "next_cursor": STRING_OR_NULL, "receipt_id": STRING}
        ),
        "open_history_item": object_of(dict.fromkeys(("id", "kind", "summary", "receipt_id"), STRING)),
    }
)
"""The JSON Schema of what each answers."""
