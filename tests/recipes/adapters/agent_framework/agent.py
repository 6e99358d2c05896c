"""An agent of Microsoft Agent Framework over OpenAI: its runs whole, in a session, and streamed in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient
from asked import Answer, Asked, main

from tarimba.client.integrations.agent_framework import AgentNotes


def agent(asked: Asked) -> Answer:
    completions = OpenAIChatCompletionClient(model="gpt-5.6", base_url=f"{asked.model_url}/v1")
    responses = OpenAIChatClient(model="gpt-5.6", base_url=f"{asked.model_url}/v1")
    notes = [AgentNotes(asked.memory)]
    billing = Agent(completions, asked.instructions, context_providers=notes)
    answering = Agent(responses, asked.instructions, context_providers=notes)
    loop = asyncio.Runner()

    async def whole(question: str) -> str:
        session = billing.create_session()
        said = (await billing.run(question, session=session)).text
        assert "<agent_notes>" not in str(session.to_dict())
        assert (await answering.run(question)).text == said
        return said

    async def streamed(question: str) -> str:
        return "".join([one.text async for one in billing.run(question, stream=True)])

    ways = cycle([whole, streamed])
    return lambda question: loop.run(next(ways)(question), context=copy_context())


main(agent)
