"""An agent of smolagents that writes code, over a model of the program's own that can't stream."""

from typing import Any

from asked import Answer, Asked, main
from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model

from tarimba.client.integrations.smolagents import notes_tools, with_notes


class Writer(Model):
    """A model that looks into the notes with what it asks by place, and keeps the system prompt that it read."""

    def generate(self, messages: Any, *_given: Any, **_named: Any) -> ChatMessage:
        self.read = "".join(one["text"] for one in messages[0].content)
        code = "final_answer(search_agent_memory('credit an invoice'))"
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n</code>")


def agent(asked: Asked) -> Answer:
    own = Writer()
    model = with_notes(own, asked.memory)
    assert type(own) is Writer
    assert not hasattr(model, "generate_stream")
    billing = CodeAgent(
        notes_tools(asked.memory), model, instructions=asked.instructions, verbosity_level=LogLevel.OFF
    )
    return lambda question: f"{billing.run(question)}\n{model.read}"


main(agent)
