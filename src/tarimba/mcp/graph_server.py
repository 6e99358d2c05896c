"""`/v1/mcp`: a member's memory graph for the agents that work for them, and what is published about this resource.

Whose graph it is stands in the token of the workspace and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import structlog

from tarimba.errors import Refusal, invalid
from tarimba.graph import service
from tarimba.http import problems
from tarimba.http.reading import refuse_query
from tarimba.http.reply import Header, Reply
from tarimba.http.threads import Threads
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.mcp.calls import CONVERSATION
from tarimba.mcp.endpoint import Endpoint, Scope
from tarimba.mcp.graph_tools import GraphTools
from tarimba.mcp.resource import Resource
from tarimba.text import GateError, caller_id

if TYPE_CHECKING:
    from mcp.server import Server

PATH: Final = "/v1/mcp"
REFUSED: Final = "workspace_token.refused"
_HEADER: Final = "X-Tarimba-Conversation"
_FAULT: Final = "must be there once, with 1 to 512 printable characters in UTF-8"

_log = structlog.get_logger("tarimba.mcp")


class GraphMcp(Endpoint):
    """The server of the memory graph."""

    def __init__(self, kernel: Kernel) -> None:
        resource = Resource(kernel.settings, PATH)
        super().__init__(kernel, "tarimba-graph", Workspaces(resource), _server)
        self.own: dict[str, Any] = {PATH: self, **dict.fromkeys(resource.paths, resource)}
        """Everything that is served for it, by path."""


class Workspaces:
    """Lets workspaces in by their tokens, and tells nobody else a word."""

    def __init__(self, resource: Resource) -> None:
        self._challenge = resource.challenge

    def identify(self, kernel: Kernel, bearer: str) -> Principal:
        return service.authenticate(kernel, bearer, "mcp")

    def read(self, scope: Scope) -> None:
        refuse_query(scope.get("query_string", b""))
        scope[CONVERSATION] = _conversation(scope)

    def refuse(self, refusal: Refusal, request_id: str, headers: list[Header]) -> Reply:
        if refusal.status != 401:
            return problems.reply(refusal, request_id, headers)
        _log.warning(REFUSED, request_id=request_id)
        return problems.wordless(refusal, request_id, self._challenge)


def _server(kernel: Kernel, threads: Threads) -> Server[Any]:
    return GraphTools(kernel, threads).server()


def _conversation(scope: Scope) -> str | None:
    """The conversation that the harness tells, in the one form by which it is found again. Raises 422."""
    values = [value for name, value in scope["headers"] if name == _HEADER.lower().encode()]
    if not values:
        return None
    try:
        (value,) = values
        return caller_id(value.decode(), field=_HEADER)
    except (ValueError, GateError):
        raise invalid(_HEADER, _FAULT) from None
