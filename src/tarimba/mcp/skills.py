"""Published skills over the protocol: the methods of the extension for skills, and resources for their files.

An agent gets those that reach it, as they are on its disk. `?subscription=` in the address adds those of a
subscription. Source: SEP-2640 (`io.modelcontextprotocol/skills`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tarimba.errors import not_found
from tarimba.http.threads import Threads
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.mcp import refusals, skill_shapes
from tarimba.mcp.calls import as_refusal, caller, subscription
from tarimba.mcp.skill_uris import Address, read_uri
from tarimba.skills import service
from tarimba.skills.model import FILE_NAME

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext

EXTENSION: Final = "io.modelcontextprotocol/skills"
Shown = dict[str, Any]
# (kernel, caller, subscription, params)
Use = Callable[[Kernel, Principal, str, Any], Shown]
_CALLERS_FAULT: Final = frozenset({"invalid_input", "not_found"})


class SkillResources:
    """The handlers of one server; everything they do takes one hop to a thread."""

    def __init__(self, kernel: Kernel, threads: Threads) -> None:
        self._kernel = kernel
        self._threads = threads

    def attach(self, server: Server[Any]) -> None:
        """Adds the methods to the server, and declares them."""
        from mcp.types import PaginatedRequestParams, ReadResourceRequestParams

        from tarimba.mcp.skill_params import DirectoryParams, SkillParams

        server.add_request_handler("skills/list", PaginatedRequestParams, self._handler(_list))
        server.add_request_handler("skills/get", SkillParams, self._handler(_get))
        server.add_request_handler("resources/list", PaginatedRequestParams, self._handler(_resources))
        server.add_request_handler(
            "resources/templates/list", PaginatedRequestParams, self._handler(_templates)
        )
        server.add_request_handler("resources/read", ReadResourceRequestParams, self._handler(_read))
        server.add_request_handler("resources/directory/read", DirectoryParams, self._handler(_directory))
        server.extensions[EXTENSION] = {"directoryRead": True}

    def _handler(self, use: Use) -> Callable[[ServerRequestContext[Any, Any], Any], Awaitable[Shown]]:
        async def handle(context: ServerRequestContext[Any, Any], params: Any) -> Shown:
            from mcp.shared.exceptions import MCPError
            from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

            work = partial(use, self._kernel, caller(context), subscription(context), params)
            try:
                return await self._threads.run(work)
            except Exception as error:  # noqa: BLE001 - the library would log what the error quotes
                refusal = as_refusal(error)
                code = INVALID_PARAMS if refusal.code in _CALLERS_FAULT else INTERNAL_ERROR
                raise MCPError(code, refusals.words(refusal)) from None

        return handle


def _list(kernel: Kernel, by: Principal, within: str, params: Any) -> Shown:
    found = service.list_offered(kernel, by, within, cursor=params.cursor)
    return skill_shapes.listing(found.skills, found.next_cursor)


def _get(kernel: Kernel, by: Principal, within: str, params: Any) -> Shown:
    address = _address(params.uri, "skill")
    if address.path != FILE_NAME:
        raise not_found("skill")
    (found,) = service.read_offered(kernel, by, within, address.scope, address.name).skills
    return skill_shapes.single(found)


def _resources(kernel: Kernel, by: Principal, within: str, params: Any) -> Shown:
    found = service.list_offered(kernel, by, within, cursor=params.cursor)
    return skill_shapes.resources(found.skills, found.next_cursor)


def _templates(_kernel: Kernel, _by: Principal, _within: str, _params: Any) -> Shown:
    """None: every address is in a list."""
    return {"resultType": "complete", "resourceTemplates": [], "ttlMs": 0, "cacheScope": "private"}


def _read(kernel: Kernel, by: Principal, within: str, params: Any) -> Shown:
    address = _address(params.uri, "file")
    found = service.read_file(kernel, by, within, address.scope, address.name, address.path)
    return skill_shapes.contents(found)


def _directory(kernel: Kernel, by: Principal, within: str, params: Any) -> Shown:
    address = _address(params.uri, "directory")
    if not address.name:
        page = service.list_offered(kernel, by, within, cursor=params.cursor)
        return skill_shapes.roots(page.skills, address.scope, page.next_cursor)
    (found,) = service.read_offered(kernel, by, within, address.scope, address.name).skills
    shown = skill_shapes.children(found, address.path)
    if shown is None:
        raise not_found("directory")
    return shown


def _address(uri: str, what: str) -> Address:
    found = read_uri(uri)
    if found is None:
        raise not_found(what)
    return found
