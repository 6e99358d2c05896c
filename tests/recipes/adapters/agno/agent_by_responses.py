"""An agent of Agno over OpenAI's responses, awaited whole and streamed."""

import asyncio
from contextvars import copy_context

from agno.agent import Agent
from agno.models.openai import OpenAIResponses
from asked import Answer, Asked, main

from tarimba.client.integrations.agno import with_notes


def agent(asked: Asked) -> Answer:
    model = OpenAIResponses(id="gpt-5.6", base_url=f"{asked.model_url}/v1")
    billing = with_notes(Agent(model=model, instructions=asked.instructions, telemetry=False), asked.memory)
    loop = asyncio.Runner()

    async def ask(question: str) -> str:
        chunks = [one.content or "" async for one in billing.arun(question, stream=True)]
        said = str((await billing.arun(question)).content)
        assert "".join(chunks).endswith(said)
        return said

    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
