"""`/mcp`: notes, skills and one customer's history for agents that speak the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tarimba.errors import Refusal
from tarimba.http import problems
from tarimba.http.reply import Header, Reply
from tarimba.http.threads import Threads
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tarimba.mcp import history
from tarimba.mcp.calls import SUBJECT, SUBSCRIPTION, read_subscription
from tarimba.mcp.endpoint import Endpoint, Scope
from tarimba.mcp.skills import SkillResources
from tarimba.mcp.tools import NoteTools

if TYPE_CHECKING:
    from mcp.server import Server

PATH: Final = "/mcp"


class NotesMcp(Endpoint):
    """The server of notes and skills."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel, "tarimba-mcp", _Agents(), _server)


class _Agents:
    """Lets agents in by their keys."""

    def identify(self, kernel: Kernel, bearer: str) -> Principal:
        principal = authenticate(kernel, bearer, "mcp")
        if principal.kind != "agent":
            raise Refusal("scope_missing", "This server is for agents: send the key of one.")
        allow(principal, "read_notes")
        return principal

    def read(self, scope: Scope) -> None:
        scope[SUBSCRIPTION] = read_subscription(scope.get("query_string", b""))
        scope[SUBJECT] = history.read_token(scope)

    def refuse(self, refusal: Refusal, request_id: str, headers: list[Header]) -> Reply:
        return problems.reply(refusal, request_id, headers)


def _server(kernel: Kernel, threads: Threads) -> Server[Any]:
    server = NoteTools(kernel, threads).server()
    SkillResources(kernel, threads).attach(server)
    return server
