"""An agent of Haystack over chat completions, where a message has no place for a mark."""

import asyncio
from contextvars import copy_context

from asked import Answer, Asked, main
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage

from tarimba.client.integrations.haystack import with_notes


def agent(asked: Asked) -> Answer:
    model = OpenAIChatGenerator(model="gpt-5.6", api_base_url=f"{asked.model_url}/v1")
    billing = with_notes(Agent(chat_generator=model, system_prompt=asked.instructions), asked.memory)
    loop = asyncio.Runner()

    def answer(question: str) -> str:
        messages = [ChatMessage.from_user(question)]
        said = billing.run(messages)["last_message"].text
        awaited = loop.run(billing.run_async(messages), context=copy_context())
        assert awaited["last_message"].text == said
        return said

    return answer


main(agent)
