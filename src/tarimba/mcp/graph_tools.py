"""The memory graph's tools over the protocol: under which names an agent sees them, and how a call is answered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tarimba import __version__
from tarimba.graph import service, wire
from tarimba.harnesses.service import Profile
from tarimba.http.threads import Threads
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, seat_named
from tarimba.kernel import Kernel
from tarimba.mcp import graph_names, refusals
from tarimba.mcp.calls import CONVERSATION, as_refusal, caller
from tarimba.mcp.graph_inputs import INPUTS, declared
from tarimba.mcp.graph_outputs import OUTPUTS
from tarimba.mcp.graph_uses import TOOLS, Given, Tool
from tarimba.mcp.tools import unquoted

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
    from mcp.types import Tool as Listed

INSTRUCTIONS: Final = (
    "The member's memory graph: entities, facts about them and relations between them, across conversations. The "
    "member reads and corrects it. Search before you create."
)


class GraphTools:
    """The handlers of one server; everything they do takes one hop to a thread."""

    def __init__(self, kernel: Kernel, threads: Threads) -> None:
        self._kernel = kernel
        self._threads = threads

    def server(self) -> Server[Any]:
        """A protocol server with these tools."""
        from mcp.server import Server

        server: Server[Any] = Server(
            "tarimba-memory",
            version=__version__,
            title="Memory",
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
            profile = await self._threads.run(partial(_profile, self._kernel, caller(context)))
        except Exception as error:  # noqa: BLE001 - the library would log what the error quotes
            raise MCPError(INTERNAL_ERROR, refusals.words(as_refusal(error))) from None
        return ListToolsResult(
            tools=[_listed(graph_names.listed(profile, name), name, tool) for name, tool in TOOLS.items()]
        )

    async def call_tool(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        from mcp.shared.exceptions import MCPError
        from mcp.types import INVALID_PARAMS

        name = graph_names.bare(params.name)
        if name not in TOOLS:
            raise MCPError(INVALID_PARAMS, "There is no such tool.")
        assert context.request is not None
        told: str | None = context.request.scope[CONVERSATION]
        work = partial(_use, self._kernel, name, caller(context), told, params.arguments or {})
        try:
            content = await self._threads.run(work)
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(refusals.words(as_refusal(error)))
        return _answered(content)


def _profile(kernel: Kernel, workspace: Principal) -> Profile:
    with kernel.database.read() as connection:
        return seat_named(connection, workspace.space_id, Called(agent=workspace.id)).profile


def _use(
    kernel: Kernel, name: str, workspace: Principal, told: str | None, arguments: Given
) -> dict[str, Any]:
    """What the tool answers. The conversation is the one that the harness tells, else that of its one open turn."""
    tool = TOOLS[name]
    given, ignored = declared(name, arguments)
    conversation_id = told
    if told is None and not tool.reads:
        conversation_id = service.open_conversation(kernel, workspace)
    by = service.by_of(workspace, conversation_id)
    answer = tool.use(kernel, service.scope_of(workspace), by, given)
    return answer | {"ignored": ignored} if ignored else answer


def _listed(name: str, bare: str, tool: Tool) -> Listed:
    from mcp.types import Tool, ToolAnnotations

    return Tool(
        name=name,
        description=tool.words,
        input_schema=INPUTS[bare],
        output_schema=OUTPUTS[bare],
        annotations=ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )


def _answered(content: dict[str, Any]) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    text = TextContent(type="text", text=wire.text(content))
    return CallToolResult(content=[text], structured_content=content)


def _failed(words: str) -> CallToolResult:
    """Without anything structured: clients hold that against the schema of answers that went well."""
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(type="text", text=words)], is_error=True)
