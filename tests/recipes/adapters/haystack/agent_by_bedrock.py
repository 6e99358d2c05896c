"""An agent of Haystack over Bedrock's Converse: runs whole and awaited."""

import asyncio
import os
from contextvars import copy_context

from asked import Answer, Asked, main
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack_integrations.components.generators.amazon_bedrock import AmazonBedrockChatGenerator

from tarimba.client.integrations.haystack import with_notes


def agent(asked: Asked) -> Answer:
    os.environ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = asked.model_url
    model = AmazonBedrockChatGenerator("anthropic.claude-sonnet-4-5")
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
