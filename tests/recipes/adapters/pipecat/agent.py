"""A pipeline of Pipecat for each question, as for each call, over OpenAI's chat completions."""

import asyncio
from contextvars import copy_context

from agent_calls import call
from asked import Answer, Asked, main
from pipecat.services.openai.llm import OpenAILLMService

from tarimba.client.integrations.pipecat import with_notes


def agent(asked: Asked) -> Answer:
    def service() -> OpenAILLMService:
        settings = OpenAILLMService.Settings(model="gpt-5.6", system_instruction=asked.instructions)
        return OpenAILLMService(base_url=f"{asked.model_url}/v1", settings=settings)

    async def ask(question: str) -> str:
        return await call(with_notes(service(), asked.memory), question)

    loop = asyncio.Runner()
    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
