"""smolagents: `model=with_notes(model)` and `tools=[*notes_tools()]`, and each call of the model has the agent's notes.

    from smolagents import OpenAIModel, ToolCallingAgent
    from tarimba.client.integrations.smolagents import notes_tools, with_notes

    model = with_notes(OpenAIModel("gpt-5.6"))
    agent = ToolCallingAgent([post_credit, *notes_tools()], model, instructions="You collect what is due.")
    with customer_context(context):
        answer = agent.run(question)

Takes any model, for a `ToolCallingAgent` and a `CodeAgent`, whole and streamed. The notes follow the system prompt,
also in steps that plan, and never enter the agent's memory. OpenAI's models from gpt-5.6 on, and those that LiteLLM
knows to take a mark, are told to cache everything up to them. In smolagents the agent has the tools, so give it those
of `notes_tools()`; they run in the agent's own process, not in a remote sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import new_class
from typing import Any

from smolagents import ChatMessage, LiteLLMModel, LiteLLMRouterModel, MessageRole, Model, OpenAIModel
from smolagents import Tool as AgentTool

from tarimba.client.composing import Composed
from tarimba.client.integrations.blocks import ANTHROPIC, MOST_MARKS, Mark, counted, openai_mark, part, placed
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool


def with_notes(model: Any, agent_memory: AgentMemoryLike = True) -> Any:
    """A model like `model` whose calls have the notes; `model` itself stays as it was. Raises TypeError for another."""
    if not isinstance(model, Model):
        raise TypeError(
            "Notes go to a Model of smolagents: make one of what calls yours, or use one of its own."
        )
    notes = Notes.of(agent_memory)
    if notes is None:
        return model
    own, noted = type(model), copy(model)
    if not isinstance(model, _Noted):
        # An agent streams where its model can, so one that can't must not seem to.
        kind = _NotedStream if hasattr(own, "generate_stream") else _Noted
        noted.__class__ = new_class(own.__name__, (kind, own))
    noted.agent_notes = notes
    return noted


def notes_tools(agent_memory: AgentMemoryLike = True, *, write: bool = False) -> list[AgentTool]:
    """The tools of the notes that the server lists for the key, for an agent's `tools`.

    Asks the server, at most for the budget of a block (300 ms).
    """
    notes = Notes.of(agent_memory, write=write)
    return [_NotesTool(tool) for tool in notes.tools()] if notes is not None else []


class _Noted:
    """What every model does for a call: it reads the notes, and places them in what it was given."""

    agent_notes: Notes

    def generate(self, messages: Sequence[Any], *given: Any, **named: Any) -> Any:
        return super().generate(self._asked(messages), *given, **named)  # type: ignore[misc]

    def _asked(self, messages: Sequence[Any]) -> list[Any]:
        composed = self.agent_notes.compose("")
        if not composed.text:
            return list(messages)
        first = messages[0] if messages and part(messages[0], "role") == MessageRole.SYSTEM else None
        own = part(first, "content") if first is not None else None
        return [
            ChatMessage(role=MessageRole.SYSTEM, content=self._content(own, composed, messages)),
            *(messages if first is None else messages[1:]),
        ]

    def _content(self, own: Any, composed: Composed, messages: Sequence[Any]) -> list[dict[str, Any]]:
        mark = self._mark(messages) if composed.shared else {}
        if mark:
            blocks: list[dict[str, Any]] = placed(own, composed, mark)
            return blocks
        # Some models read the first block alone.
        text = (
            own if own is None or isinstance(own, str) else "\n".join(str(one.get("text", "")) for one in own)
        )
        return [{"type": "text", "text": placed(text, composed, {})}]

    def _mark(self, messages: Sequence[Any]) -> Mark:
        mark = {} if getattr(self, "flatten_messages_as_text", False) else _mark_of(self)
        contents = [part(one, "content") for one in messages]
        return mark if counted(contents, mark) < MOST_MARKS else {}


class _NotedStream(_Noted):
    """The same, streamed."""

    def generate_stream(self, messages: Sequence[Any], *given: Any, **named: Any) -> Any:
        return super().generate_stream(self._asked(messages), *given, **named)  # type: ignore[misc]


def _mark_of(model: Any) -> Mark:
    """The mark that a model takes; empty for one that takes none."""
    if isinstance(model, OpenAIModel):
        return openai_mark(str(model.model_id))
    if isinstance(model, LiteLLMModel) and not isinstance(model, LiteLLMRouterModel):
        # The model's client is the package itself, which says the mark in each provider's own way.
        return ANTHROPIC if model.client.utils.supports_prompt_caching(str(model.model_id)) else {}
    return {}


class _NotesTool(AgentTool):
    """A tool of ours as one of smolagents'; arguments may go by place, as a `CodeAgent` writes them."""

    output_type = "string"
    # It takes what the server says that it takes.
    skip_forward_signature_validation = True

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self.name = tool.name
        self.description = tool.description
        self.inputs = _inputs(tool.parameters)
        self._tool = tool

    def forward(self, *placed: Any, **given: Any) -> str:
        return self._tool.run(dict(zip(self.inputs, placed, strict=False)) | given)


def _inputs(parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """JSON Schema of an object, as the framework has it: what may be left out is nullable."""
    required = set(parameters.get("required", ()))
    return {
        name: {"type": "any", "description": "", **field} | ({} if name in required else {"nullable": True})
        for name, field in parameters.get("properties", {}).items()
    }
