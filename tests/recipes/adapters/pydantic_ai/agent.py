"""An agent of Pydantic AI over Anthropic's messages: runs whole and streamed in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from anthropic import AsyncAnthropic
from asked import Answer, Asked, main
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from tarimba.client.integrations.pydantic_ai import AgentNotes


def agent(asked: Asked) -> Answer:
    provider = AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=asked.model_url))
    model = AnthropicModel("claude-sonnet-4-5", provider=provider)
    billing = Agent(model, instructions=asked.instructions, capabilities=[AgentNotes(asked.memory)])
    loop = asyncio.Runner()

    async def whole(question: str) -> str:
        run = await billing.run(question)
        assert "<agent_notes>" not in str(run.all_messages())
        return run.output

    async def streamed(question: str) -> str:
        async with billing.run_stream(question) as run:
            return await run.get_output()

    ways = cycle([whole, streamed])
    return lambda question: loop.run(next(ways)(question), context=copy_context())


main(agent)
