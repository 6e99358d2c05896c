"""DSPy: `dspy.configure(adapter=with_notes())`, and each call of a model has the agent's notes.

    import dspy
    from tarimba.client.integrations.dspy import notes_tools, with_notes

    dspy.configure(lm=dspy.LM("openai/gpt-5.6"), adapter=with_notes(dspy.ChatAdapter()))
    program = dspy.ReAct("question -> answer", tools=[post_credit, *notes_tools()])
    with customer_context(context):
        answer = program(question=question).answer

Takes any adapter of messages (`ChatAdapter`, `JSONAdapter`, `XMLAdapter`). The notes follow the system message, which
is what a signature and its optimised instructions become, and precede demonstrations and inputs; they are in no program
that is saved. In DSPy the program has the tools, so give it those of `notes_tools()`.
"""

from __future__ import annotations

from contextvars import ContextVar
from copy import copy
from types import new_class
from typing import Any, Final

import dspy

from tarimba.client.composing import Composed, compose
from tarimba.client.integrations.notes import AgentMemoryLike, Notes
from tarimba.client.tools import Tool

# What was read for the call that runs now: messages are formatted in between, where nothing can be awaited.
_READ: Final[ContextVar[Composed | None]] = ContextVar("tarimba_dspy_notes", default=None)


def with_notes(adapter: Any = None, agent_memory: AgentMemoryLike = True) -> Any:
    """An adapter like `adapter` (a `ChatAdapter` when there is none) with the notes."""
    own = adapter or dspy.ChatAdapter()
    notes = Notes.of(agent_memory)
    if notes is None:
        return own
    noted = copy(own)
    if not isinstance(own, _Noted):
        noted.__class__ = new_class(type(own).__name__, (_Noted, type(own)))
    noted.agent_notes = notes
    return noted


def notes_tools(agent_memory: AgentMemoryLike = True, *, write: bool = False) -> list[Any]:
    """The tools of the notes that the server lists for the key, for a program such as `dspy.ReAct`."""
    notes = Notes.of(agent_memory, write=write)
    return [_tool(tool) for tool in notes.tools()] if notes is not None else []


class _Noted:
    """What every adapter does for a call: it reads the notes first, and places them when it formats the messages."""

    agent_notes: Notes

    def __call__(self, *given: Any, **named: Any) -> Any:
        token = _READ.set(self.agent_notes.compose(""))
        try:
            return super().__call__(*given, **named)  # type: ignore[misc]
        finally:
            _READ.reset(token)

    async def acall(self, *given: Any, **named: Any) -> Any:
        token = _READ.set(await self.agent_notes.acompose(""))
        try:
            return await super().acall(*given, **named)  # type: ignore[misc]
        finally:
            _READ.reset(token)

    def format(self, *given: Any, **named: Any) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = super().format(*given, **named)  # type: ignore[misc]
        return _placed(messages, _READ.get())

    def _make_json_adapter_fallback(self) -> Any:
        """The adapter that is tried when an answer can't be read has the notes too."""
        return with_notes(super()._make_json_adapter_fallback(), self.agent_notes)  # type: ignore[misc]


def _placed(messages: list[dict[str, Any]], read: Composed | None) -> list[dict[str, Any]]:
    """Outside of a call, as when data for training is made, there are no notes."""
    if read is None or not read.text:
        return messages
    leads = bool(messages) and messages[0].get("role") == "system" and isinstance(messages[0]["content"], str)
    own = messages[0] if leads else {"role": "system", "content": ""}
    text = compose(own["content"], read.shared, read.customer.strip("\n")).text
    return [{**own, "content": text}, *(messages[1:] if leads else messages)]


def _tool(tool: Tool) -> Any:
    def call(**given: Any) -> str:
        return tool.run(given)

    properties = dict(tool.parameters.get("properties", {}))
    return dspy.Tool(
        call, name=tool.name, desc=tool.description, args=properties, arg_types=dict.fromkeys(properties, Any)
    )
