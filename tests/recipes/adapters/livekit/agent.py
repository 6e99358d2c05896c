"""Agents of LiveKit in sessions of text over OpenAI's chat completions: one as it comes, one with its own node."""

import asyncio
from collections.abc import AsyncIterator
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from livekit.agents import Agent, AgentSession, ModelSettings
from livekit.agents.llm import ChatContext, Tool
from livekit.agents.llm.chat_context import Instructions
from livekit.plugins import openai

from tarimba.client.integrations.livekit import with_notes

TODAY = "It is Friday."


class OwnNode(Agent):
    async def llm_node(
        self, chat_ctx: ChatContext, tools: list[Tool], model_settings: ModelSettings
    ) -> AsyncIterator[object]:
        shared, differing = (item.raw_text_content for item in chat_ctx.items[:2])
        assert TODAY not in shared
        assert differing.startswith(TODAY)
        async for chunk in Agent.default.llm_node(self, chat_ctx, tools, model_settings):
            yield chunk


def agent(asked: Asked) -> Answer:
    # By default the plugin sends marks to OpenAI's own address alone.
    model = openai.LLM(model="gpt-5.6", base_url=f"{asked.model_url}/v1", prompt_cache_breakpoints=True)
    plain = with_notes(Agent(instructions=asked.instructions), asked.memory)
    own = with_notes(OwnNode(instructions=Instructions(asked.instructions, dynamic=TODAY)), asked.memory)
    # Adapted twice is adapted once.
    loop, turns = asyncio.Runner(), cycle([plain, with_notes(own, asked.memory)])

    async def ask(question: str) -> str:
        async with AgentSession(llm=model) as session:
            await session.start(next(turns))
            said = await session.run(user_input=question)
            assert "<agent_notes>" not in str(session.history.to_dict())
            return said.events[-1].item.text_content

    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
