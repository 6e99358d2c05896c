"""An agent of Microsoft Agent Framework whose instructions have all the marks that Anthropic allows."""

import asyncio
from contextvars import copy_context

from agent_framework import Agent
from agent_framework.anthropic import AnthropicClient
from anthropic import AsyncAnthropic
from asked import Answer, Asked, main

from tarimba.client.integrations.agent_framework import AgentNotes

MARK = {"cache_control": {"type": "ephemeral"}}


def agent(asked: Asked) -> Answer:
    texts = [asked.instructions, "Be kind.", "Be exact.", "Ask when in doubt."]
    instructions = [{"type": "text", "text": text, **MARK} for text in texts]
    client = AnthropicClient(
        model="claude-sonnet-4-5", anthropic_client=AsyncAnthropic(base_url=asked.model_url)
    )
    billing = Agent(
        client,
        default_options={"instructions": instructions},
        context_providers=[AgentNotes(asked.memory)],
    )
    loop = asyncio.Runner()

    async def ask(question: str) -> str:
        return (await billing.run(question)).text

    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
