"""An agent of AG2 over chat completions: its model whole and streamed in turn."""

import asyncio
from collections.abc import Sequence
from contextvars import copy_context
from itertools import cycle

from ag2 import Agent, Context
from ag2.config import OpenAIConfig
from ag2.events import BaseEvent, ModelResponse
from ag2.middleware import BaseMiddleware, LLMCall, Middleware
from asked import Answer, Asked, main

from tarimba.client.integrations.ag2 import AgentNotes

OF_A_TURN = "The month closes today."


class Reader(BaseMiddleware):
    """Reads what the model is sent: what a function gave for the turn stands behind the notes."""

    async def on_llm_call(
        self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context
    ) -> ModelResponse:
        shared, differing, customer = context.prompt
        assert OF_A_TURN not in shared
        assert differing == OF_A_TURN
        assert customer.startswith("<customer_context>")
        return await call_next(events, context)


def agent(asked: Asked) -> Answer:
    config = OpenAIConfig("gpt-5.6", base_url=f"{asked.model_url}/v1", prompt_cache_key="billing")
    prompts = [asked.instructions, lambda: OF_A_TURN]
    billing = Agent("billing", prompts, plugins=[AgentNotes(asked.memory)])
    configs = cycle([config, config.copy(streaming=True)])
    loop = asyncio.Runner()

    async def ask(question: str) -> str:
        reply = await billing.ask(question, config=next(configs), middleware=[Middleware(Reader)])
        assert "<agent_notes>" not in str(await reply.history.get_events())
        return str(reply.body)

    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
