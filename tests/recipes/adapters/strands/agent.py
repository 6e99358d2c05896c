"""An agent of Strands over Anthropic's messages: called, then awaited and streamed, in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from strands import Agent
from strands.models.anthropic import AnthropicModel

from tarimba.client.integrations.strands import AgentNotes


def agent(asked: Asked) -> Answer:
    model = AnthropicModel(
        client_args={"base_url": asked.model_url}, model_id="claude-sonnet-4-5", max_tokens=100
    )
    notes = AgentNotes(asked.memory)
    loop = asyncio.Runner()

    def made() -> Agent:
        return Agent(model, system_prompt=asked.instructions, plugins=[notes], callback_handler=None)

    def called(question: str) -> str:
        billing = made()
        said = str(billing(question))
        assert "<agent_notes>" not in str(billing.messages)
        assert billing.system_prompt == asked.instructions
        return said

    async def awaited(question: str) -> str:
        said = str(await made().invoke_async(question))
        events = [one async for one in made().stream_async(question)]
        assert said.strip() == "".join(one.get("data", "") for one in events)
        return said

    ways = cycle([called, lambda question: loop.run(awaited(question), context=copy_context())])

    def answer(question: str) -> str:
        return next(ways)(question)

    return answer


main(agent)
