"""An agent of OpenAI Agents over responses: the first run whole, the later ones streamed."""

import asyncio
from contextvars import copy_context

from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, set_tracing_disabled
from asked import Answer, Asked, main
from openai import AsyncOpenAI

from tarimba.client.integrations.openai_agents import with_notes


def agent(asked: Asked) -> Answer:
    set_tracing_disabled(disabled=True)
    model = OpenAIResponsesModel("gpt-5.6", AsyncOpenAI(base_url=f"{asked.model_url}/v1"))
    billing = with_notes(Agent("billing", instructions=asked.instructions, model=model), asked.memory)
    whole = True

    async def ask(question: str) -> str:
        nonlocal whole
        session = SQLiteSession("one")
        if whole:
            whole = False
            run = await Runner.run(billing, question, session=session)
        else:
            run = Runner.run_streamed(billing, question, session=session)
            async for _ in run.stream_events():
                pass
        assert "<agent_notes>" not in str(await session.get_items())
        return str(run.final_output)

    loop = asyncio.Runner()
    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
