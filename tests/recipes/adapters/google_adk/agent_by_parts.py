"""An agent of Google ADK whose instruction is in two parts, one for all sessions and one that state is put into."""

import asyncio
from contextvars import copy_context
from itertools import count

from asked import Answer, Asked, main
from google.adk.agents import Agent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner

from tarimba.client.integrations.google_adk import AgentNotes


def agent(asked: Asked) -> Answer:
    billing = Agent(
        name="billing",
        model=Gemini(model="gemini-3.5-flash", base_url=asked.model_url),
        static_instruction=asked.instructions,
        instruction=lambda _context: f"This is session {next(sessions)}.",
        tools=[AgentNotes(asked.memory)],
    )
    sessions, loop, runner = count(), asyncio.Runner(), InMemoryRunner(billing)

    def answer(question: str) -> str:
        asking = runner.run_debug(question, session_id=f"session-{next(sessions)}", quiet=True)
        events = loop.run(asking, context=copy_context())
        return "".join(part.text or "" for part in events[-1].content.parts)

    return answer


main(agent)
