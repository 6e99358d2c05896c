"""Google ADK: `Agent(..., tools=[AgentNotes()])`, and each request of the agent to its model has the agent's notes.

    from google.adk.agents import Agent
    from google.adk.runners import InMemoryRunner
    from tarimba.client.integrations.google_adk import AgentNotes

    agent = Agent(name="billing", instruction="You collect what is due.", tools=[post_credit, AgentNotes()])
    runner = InMemoryRunner(agent)
    with customer_context(context):
        events = await runner.run_debug(question)

A toolset, because those see a request before it is sent: the notes follow the system instruction of each one and never
enter a session. Give it to each agent of a tree that shall have them, last in `tools`: what a tool adds to the
instruction after that stands behind the customer's context. Where an agent has a `static_instruction`, its
`instruction` follows as ADK has it, in the contents. `search_agent_memory` is among the tools for as long as the server
lists it for the key. The instruction is one text, so there is no place for a mark: Gemini caches by itself what
requests have in common.
"""

from __future__ import annotations

from typing import Any

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.tool_context import ToolContext
from google.genai.types import FunctionDeclaration

from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


class AgentNotes(BaseToolset):
    """The notes of an agent of ADK, and the tools beside them."""

    def __init__(self, agent_memory: AgentMemoryLike = True, *, write: bool = False) -> None:
        super().__init__()
        self._notes = Notes.of(agent_memory, write=write)

    async def get_tools(
        self,
        readonly_context: ReadonlyContext | None = None,  # noqa: ARG002 - the framework names its arguments
    ) -> list[BaseTool]:
        return [_NotesTool(tool) for tool in await self._notes.atools()] if self._notes else []

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:  # noqa: ARG002
        own = llm_request.config.system_instruction or ""
        # ADK, too, adds to an instruction only while it is text.
        if self._notes is not None and isinstance(own, str):
            llm_request.config.system_instruction = (await self._notes.acompose(own)).text or None


class _NotesTool(BaseTool):
    """A tool of ours as one of ADK's."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> FunctionDeclaration:
        return FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=dict(self._tool.parameters),
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:  # noqa: ARG002
        return await self._tool.arun(args)

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        # A tool of the caller's, or of another of these toolsets, keeps its name.
        if self.name not in llm_request.tools_dict:
            await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
