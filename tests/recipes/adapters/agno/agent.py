"""An agent of Agno over Anthropic's messages: each way to run it in turn. What its database keeps is looked into."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.anthropic import Claude
from anthropic import Anthropic, AsyncAnthropic
from asked import Answer, Asked, main

from tarimba.client.integrations.agno import with_notes


def agent(asked: Asked) -> Answer:
    model = Claude(
        client=Anthropic(base_url=asked.model_url),
        async_client=AsyncAnthropic(base_url=asked.model_url),
    )
    db = InMemoryDb()
    own = Agent(model=model, instructions=asked.instructions, db=db, telemetry=False)
    # Twice is as good as once.
    billing = with_notes(with_notes(own, asked.memory), asked.memory)
    assert own.model is model
    assert own.tools in (None, [])
    loop = asyncio.Runner()

    async def awaited(question: str) -> str:
        chunks = [one.content or "" async for one in billing.arun(question, stream=True)]
        said = (await billing.arun(question)).content
        assert "".join(chunks).endswith(said)
        return said

    def whole(question: str) -> str:
        chunks = [one.content or "" for one in billing.run(question, stream=True)]
        said = billing.run(question).content
        assert "".join(chunks).endswith(said)
        return said

    ways = cycle([whole, lambda question: loop.run(awaited(question), context=copy_context())])

    def answer(question: str) -> str:
        said = next(ways)(question)
        kept = str([session.to_dict() for session in db.get_sessions(session_type="agent", deserialize=True)])
        assert question in kept
        assert "<agent_notes>" not in kept
        return said

    return answer


main(agent)
