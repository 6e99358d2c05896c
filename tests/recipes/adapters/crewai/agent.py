"""An agent of CrewAI over Anthropic's messages: alone and in a crew, each way to run it in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from crewai import LLM, Agent, Crew, Task

from tarimba.client.integrations.crewai import with_notes


def agent(asked: Asked) -> Answer:
    model = LLM("anthropic/claude-sonnet-4-5", base_url=asked.model_url)
    own = Agent(role="billing", goal="Be paid.", backstory=asked.instructions, llm=model)
    # Twice is as good as once.
    billing = with_notes(with_notes(own, asked.memory), asked.memory)
    assert own.llm is model
    assert not own.tools
    assert _marks(billing.llm, users=1) == 3
    assert _marks(billing.llm, users=3) == 4
    loop = asyncio.Runner()

    def alone(question: str) -> str:
        said = billing.kickoff(question)
        assert "<agent_notes>" not in str(said.messages)
        return said.raw

    def crew(question: str) -> Crew:
        task = Task(description=question, expected_output="An answer.", agent=billing)
        return Crew(agents=[billing], tasks=[task])

    async def awaited(question: str) -> str:
        said = await billing.kickoff_async(question)
        assert said.raw == (await crew(question).akickoff()).raw
        return said.raw

    def whole(question: str) -> str:
        said = alone(question)
        assert said == crew(question).kickoff().raw
        assert "<agent_notes>" not in str(billing.last_messages)
        return said

    ways = cycle([whole, lambda question: loop.run(awaited(question), context=copy_context())])
    return lambda question: next(ways)(question)  # noqa: PLW0108 - another way each time


def _marks(model: LLM, users: int) -> int:
    """How many marks a request has of whose messages CrewAI marks each: ours is no fifth."""
    texts = ["Be kind.\n\n<agent_notes>\nNone.\n</agent_notes>\n\nThe customer.", *map(str, range(users))]
    roles = ["system", *["user"] * users]
    asked = [
        {"role": role, "content": text, "cache_breakpoint": True}
        for role, text in zip(roles, texts, strict=True)
    ]
    return str(model._format_messages_for_anthropic(asked)).count("cache_control")


main(agent)
