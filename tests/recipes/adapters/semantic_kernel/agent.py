"""An agent of Semantic Kernel over chat completions: runs whole and streamed in turn, and its service asked."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.contents import ChatHistory

from tarimba.client.integrations.semantic_kernel import with_notes


def agent(asked: Asked) -> Answer:
    own = OpenAIChatCompletion("gpt-5.6", async_client=AsyncOpenAI(base_url=f"{asked.model_url}/v1"))
    service = with_notes(own, asked.memory)
    billing = ChatCompletionAgent(service=service, instructions=asked.instructions)
    loop = asyncio.Runner()

    async def by_itself(question: str) -> str:
        history = ChatHistory(system_message=asked.instructions)
        history.add_user_message(question)
        settings = service.instantiate_prompt_execution_settings(
            function_choice_behavior=FunctionChoiceBehavior.Auto()
        )
        said = await service.get_chat_message_content(history, settings, kernel=Kernel())
        assert "<agent_notes>" not in str(history.model_dump())
        return said.content

    async def whole(question: str) -> str:
        run = await billing.get_response(question)
        assert "<agent_notes>" not in str([one async for one in run.thread.get_messages()])
        assert await by_itself(question) == run.content.content
        return run.content.content

    async def streamed(question: str) -> str:
        return "".join([one.content.content async for one in billing.invoke_stream(question)])

    ways = cycle([whole, streamed])
    return lambda question: loop.run(next(ways)(question), context=copy_context())


main(agent)
