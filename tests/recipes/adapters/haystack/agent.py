"""An agent of Haystack over Anthropic's messages: runs whole, streamed and awaited, each question in all ways."""

import asyncio
import os
from contextvars import copy_context
from typing import Any

from asked import Answer, Asked, main
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

from tarimba.client.integrations.haystack import with_notes


def agent(asked: Asked) -> Answer:
    os.environ["ANTHROPIC_BASE_URL"] = asked.model_url
    model = AnthropicChatGenerator(model="claude-sonnet-4-5")
    billing = with_notes(Agent(chat_generator=model, system_prompt=asked.instructions), asked.memory)
    loop = asyncio.Runner()

    async def take(chunk: Any) -> None:
        taken.append(chunk.content)

    taken: list[str] = []

    def answer(question: str) -> str:
        messages = [ChatMessage.from_user(question)]
        run = billing.run(messages)
        assert "<agent_notes>" not in str(run["messages"])
        said = run["last_message"].text
        assert billing.run(messages, lambda chunk: taken.append(chunk.content))["last_message"].text == said
        awaited = loop.run(billing.run_async(messages, take), context=copy_context())
        assert awaited["last_message"].text == said
        assert "".join(taken).endswith(said + said)
        return said

    return answer


main(agent)
