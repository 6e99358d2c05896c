"""One call of the protocol: who makes it, for which subscription, and what an error becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from tarimba.errors import Refusal, invalid
from tarimba.http.problems import failed
from tarimba.identity.model import Principal
from tarimba.ids import new_id

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

# Where the front leaves who asks, and for which subscription, in the scope of the request.
PRINCIPAL: Final = "tarimba.principal"
SUBSCRIPTION: Final = "tarimba.subscription"
# The token that stands for a customer, or None.
SUBJECT: Final = "tarimba.subject"
# And the conversation that a harness tells, or None.
CONVERSATION: Final = "tarimba.conversation"


def caller(context: ServerRequestContext[Any, Any]) -> Principal:
    assert context.request is not None
    found: Principal = context.request.scope[PRINCIPAL]
    return found


def subscription(context: ServerRequestContext[Any, Any]) -> str:
    """The slug or id of the subscription that the address names; empty for none."""
    assert context.request is not None
    return str(context.request.scope[SUBSCRIPTION])


def subject_token(context: ServerRequestContext[Any, Any]) -> str | None:
    """The token that binds the request to a customer."""
    assert context.request is not None
    found: str | None = context.request.scope[SUBJECT]
    return found


def read_subscription(query: bytes) -> str:
    """The subscription in the query of an address, as `?subscription=`.

    Raises 422 when it is there twice, and for anything else: a name that is misspelt would give another set.
    """
    told = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    found = [value for name, value in told if name == "subscription"]
    if len(found) < len(told):
        raise Refusal("invalid_input", "An unknown query parameter: the only one here is `subscription`.")
    if len(found) > 1:
        raise invalid("subscription", "must be there once at most")
    return found[0] if found else ""


def as_refusal(error: Exception) -> Refusal:
    if isinstance(error, Refusal):
        return error
    request_id = new_id()
    refusal = failed(error, request_id, "mcp")
    return Refusal(refusal.code, refusal.detail, extra={"request_id": request_id})
