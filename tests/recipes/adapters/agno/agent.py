"""An agent of Agno over Anthropic's messages: each way to run it in turn. What its database keeps is looked into."""

import asyncio
from contextvars import copy_context
from itertools import count, cycle

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
    own = Agent(
        model=model,
        instructions=asked.instructions,
        # Differs between the runs, so the notes must come first.
        add_session_state_to_context=True,
        db=db,
        telemetry=False,
    )
    # Twice is as good as once.
    billing = with_notes(with_notes(own, asked.memory), asked.memory)
    assert own.model is model
    assert own.tools in (None, [])
    loop, runs = asyncio.Runner(), count()

    async def awaited(question: str) -> str:
        state = {"run": next(runs)}
        stream = billing.arun(question, session_state=state, stream=True)
        chunks = [one.content or "" async for one in stream]
        said = (await billing.arun(question, session_state=state)).content
        assert "".join(chunks).endswith(said)
        return said

    def whole(question: str) -> str:
        state = {"run": next(runs)}
        stream = billing.run(question, session_state=state, stream=True)
        chunks = [one.content or "" for one in stream]
        # So does Agno's own server with an agent, for each request.
        said = billing.deep_copy().run(question, session_state=state).content
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
