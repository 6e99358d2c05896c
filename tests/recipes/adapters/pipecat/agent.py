"""A pipeline of Pipecat for each question, as for each call, over OpenAI's chat completions."""

import asyncio
from contextvars import copy_context

from agent_calls import call
from asked import Answer, Asked, main
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.openai.llm import OpenAILLMService

from tarimba.client.integrations.pipecat import with_notes


def agent(asked: Asked) -> Answer:
    def service() -> OpenAILLMService:
        settings = OpenAILLMService.Settings(model="gpt-5.6", system_instruction=asked.instructions)
        return OpenAILLMService(base_url=f"{asked.model_url}/v1", settings=settings)

    async def ask(question: str) -> str:
        llm = with_notes(service(), asked.memory)
        said = await call(llm, question)
        assert "<agent_notes>" not in await beside_the_call(llm)
        return said

    loop = asyncio.Runner()
    return lambda question: loop.run(ask(question), context=copy_context())


async def beside_the_call(llm: OpenAILLMService) -> str:
    """What the model would be sent for a summary."""
    context = LLMContext([{"role": "user", "content": "What was said?"}])
    params = await llm.get_llm_adapter().get_llm_invocation_params(
        context, system_instruction="Sum up.", convert_developer_to_user=False
    )
    return str(params)


main(agent)
