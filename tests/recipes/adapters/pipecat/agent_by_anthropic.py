"""The same over Anthropic's messages, with the framework's own caching on."""

import asyncio
from contextvars import copy_context

from agent_calls import call
from anthropic import AsyncAnthropic
from asked import Answer, Asked, main
from pipecat.services.anthropic.llm import AnthropicLLMService

from tarimba.client.integrations.pipecat import with_notes


def agent(asked: Asked) -> Answer:
    def service() -> AnthropicLLMService:
        settings = AnthropicLLMService.Settings(
            model="claude-sonnet-4-5", system_instruction=asked.instructions, enable_prompt_caching=True
        )
        client = AsyncAnthropic(base_url=asked.model_url)
        return AnthropicLLMService(api_key="none", client=client, settings=settings)

    async def ask(question: str) -> str:
        # Adapted twice is adapted once.
        return await call(with_notes(with_notes(service(), asked.memory), asked.memory), question)

    loop = asyncio.Runner()
    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
