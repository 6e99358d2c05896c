"""An agent of Google ADK over Gemini: each way to run it in turn. Its sessions are kept and looked into."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part

from tarimba.client.integrations.google_adk import AgentNotes


def agent(asked: Asked) -> Answer:
    billing = Agent(
        name="billing",
        model=Gemini(model="gemini-3.5-flash", base_url=asked.model_url),
        instruction=asked.instructions,
        # Twice is as good as once.
        tools=[AgentNotes(asked.memory), AgentNotes(asked.memory)],
    )
    runner = InMemoryRunner(billing, app_name="billing")
    loop = asyncio.Runner()

    async def streamed(request: dict) -> list:
        config = RunConfig(streaming_mode=StreamingMode.SSE)
        return [event async for event in runner.run_async(**request, run_config=config)]

    ways = cycle(
        [
            lambda request: list(runner.run(**request)),
            lambda request: loop.run(streamed(request), context=copy_context()),
        ]
    )

    def answer(question: str) -> str:
        session = loop.run(runner.session_service.create_session(app_name="billing", user_id="one"))
        kept = {"user_id": "one", "session_id": session.id}
        events = next(ways)({**kept, "new_message": Content(role="user", parts=[Part(text=question)])})
        session = loop.run(runner.session_service.get_session(app_name="billing", **kept))
        assert "<agent_notes>" not in str(session.events)
        return "".join(part.text or "" for part in events[-1].content.parts)

    return answer


main(agent)
