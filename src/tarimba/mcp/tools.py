"""The tools over the protocol: which ones a caller sees, and what a call does.

Built on the SDK's `Server`, one level below its `MCPServer`: that one derives a single list of tools from
Python signatures, while ours depends on the key and on the limits of its space, and it repeats rejected
arguments in its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tarimba import __version__
from tarimba.conversations import bound
from tarimba.errors import Refusal
from tarimba.http.reply import encode
from tarimba.http.threads import Threads
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.mcp import arguments, history, refusals, results
from tarimba.mcp.calls import as_refusal, caller, subject_token
from tarimba.notes import service

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.server.context import CallNext, HandlerResult
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

INSTRUCTIONS: Final = (
    "Working notes of this agent: procedures, how tools and processes behave, pitfalls. Nothing about customers "
    "is in them and nothing about customers goes into them. Where the history of a customer can be read, it is the one "
    "whom you are talking to: no tool takes a customer. The skills that administrators publish for this agent "
    "are resources: read one's SKILL.md before you do what its description says."
)
REFUSAL: Final = "tarimba/refusal"
"""The member of a result's `_meta` that tells programs what was refused."""
Use = Callable[[Kernel, Principal, Mapping[str, Any]], dict[str, Any]]


def _search(kernel: Kernel, principal: Principal, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = arguments.read(arguments.SEARCH, given)
    return results.found(service.search(kernel, principal, asked.question()))


def _remember(kernel: Kernel, principal: Principal, given: Mapping[str, Any]) -> dict[str, Any]:
    asked = arguments.read(arguments.REMEMBER, given)
    return results.kept(service.create(kernel, principal, asked.draft()))


_SCHEMAS: Final = {**history.SCHEMAS, **results.SCHEMAS}
_USES: Final[Mapping[str, Use]] = MappingProxyType({"search_agent_memory": _search, "remember": _remember})


class NoteTools:
    """The handlers of one server; everything they do takes one hop to a thread."""

    def __init__(self, kernel: Kernel, threads: Threads) -> None:
        self._kernel = kernel
        self._threads = threads

    def server(self) -> Server[Any]:
        """A protocol server with these tools."""
        from mcp.server import Server

        server: Server[Any] = Server(
            "tarimba",
            version=__version__,
            title="Tarimba",
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            # No argument of ours is mirrored into a header, so there is nothing to look up.
            get_tool_input_schema=lambda _name: None,
        )
        # In the place of the library's own tracing, which names spans after whatever a caller asked for.
        server.middleware[:] = [unquoted]
        return server

    async def list_tools(
        self, context: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        from mcp.shared.exceptions import MCPError
        from mcp.types import INTERNAL_ERROR, ListToolsResult

        try:
            offered = await self._threads.run(self._listing(context))
        except Exception as error:  # noqa: BLE001 - the library would log what the error quotes
            raise MCPError(INTERNAL_ERROR, refusals.words(as_refusal(error))) from None
        return ListToolsResult(tools=[_tool(definition["function"]) for definition in offered])

    async def call_tool(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        from mcp.shared.exceptions import MCPError
        from mcp.types import INVALID_PARAMS, CallToolResult, TextContent

        work = self._work(context, params)
        if work is None:
            raise MCPError(INVALID_PARAMS, "There is no such tool.")
        try:
            content = await self._threads.run(work, caller(context).space_id)
        except Exception as error:  # noqa: BLE001 - as above
            return _refused(as_refusal(error))
        text = TextContent(type="text", text=encode(content).decode())
        return CallToolResult(content=[text], structured_content=content)

    def _listing(self, context: ServerRequestContext[Any, Any]) -> Callable[[], list[dict[str, Any]]]:
        return partial(bound.tools, self._kernel, caller(context), subject_token(context))

    def _work(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> Callable[[], dict[str, Any]] | None:
        """What a call does; None for a tool that does not exist."""
        given = params.arguments or {}
        if use := _USES.get(params.name):
            return partial(use, self._kernel, caller(context), given)
        if reads := history.USES.get(params.name):
            return partial(reads, self._kernel, caller(context), subject_token(context), given)
        return None


async def unquoted(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Errors of the library without their `data`, which repeats the name of a method that does not exist."""
    from mcp.shared.exceptions import MCPError

    try:
        return await call_next(ctx)
    except MCPError as error:
        raise MCPError(error.error.code, error.error.message) from None


def _tool(function: Mapping[str, Any]) -> Tool:
    from mcp.types import Tool, ToolAnnotations

    name = function["name"]
    reads = name != "remember"
    return Tool(
        name=name,
        description=function["description"],
        input_schema=function["parameters"],
        output_schema=_SCHEMAS[name],
        annotations=ToolAnnotations(
            read_only_hint=reads, destructive_hint=False, idempotent_hint=reads, open_world_hint=False
        ),
    )


def _refused(refusal: Refusal) -> CallToolResult:
    """Without anything structured: clients hold that against the schema of answers. Programs find it in `_meta`."""
    from mcp.types import CallToolResult, TextContent

    words = TextContent(type="text", text=refusals.words(refusal))
    return CallToolResult(content=[words], is_error=True, _meta={REFUSAL: refusals.fields(refusal)})
