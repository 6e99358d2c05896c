"""Agents of CAMEL over chat completions: steps, whole and streamed, called and awaited, all by clones."""

import asyncio
from contextvars import copy_context
from typing import Any

from asked import Answer, Asked, main
from camel.agents import ChatAgent
from camel.models import OpenAIModel
from camel.utils import BaseTokenCounter

from tarimba.client.integrations.camel import with_notes


class Counter(BaseTokenCounter):
    """Counts without a vocabulary, which the framework would fetch."""

    def count_tokens_from_messages(self, messages: list[Any]) -> int:
        return len(str(messages)) // 4

    def encode(self, text: str) -> list[int]:
        return [0] * (len(text) // 4)

    def decode(self, token_ids: list[int]) -> str:
        return "?" * len(token_ids)


def agent(asked: Asked) -> Answer:
    def made(*, streamed: bool) -> ChatAgent:
        settings = {"stream": True, "stream_options": {"include_usage": True}} if streamed else {}
        url = f"{asked.model_url}/v1"
        model = OpenAIModel("gpt-5.6", settings, api_key="none", url=url, token_counter=Counter())
        return with_notes(ChatAgent(asked.instructions, model, stream_accumulate=True), asked.memory)

    whole, streaming = made(streamed=False), made(streamed=True)
    loop = asyncio.Runner()

    async def awaited(question: str) -> str:
        said = (await whole.clone().astep(question)).msg.content
        parts = [part async for part in await streaming.clone().astep(question)]
        assert parts[-1].msg.content == said
        return said

    def called(question: str) -> str:
        one = whole.clone()
        said = one.step(question).msg.content
        assert "<agent_notes>" not in str(one.chat_history)
        assert list(streaming.clone().step(question))[-1].msg.content == said
        return said

    def answer(question: str) -> str:
        said = called(question)
        assert loop.run(awaited(question), context=copy_context()) == said
        return said

    return answer


main(agent)
