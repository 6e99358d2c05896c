"""A caller whose context leads with a system message, and has all the marks that OpenAI takes."""

import asyncio
from contextvars import copy_context

from agent_calls import call
from asked import Answer, Asked, main
from pipecat.services.openai.llm import OpenAILLMService

from tarimba.client.integrations.pipecat import with_notes


def agent(asked: Asked) -> Answer:
    def marked(role: str, text: str) -> dict:
        part = {"type": "text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}
        return {"role": role, "content": [part]}

    async def ask(question: str) -> str:
        llm = OpenAILLMService(
            base_url=f"{asked.model_url}/v1", settings=OpenAILLMService.Settings(model="gpt-5.6")
        )
        before = [marked("system", asked.instructions), *(marked("user", "Hello.") for _ in range(3))]
        return await call(with_notes(llm, asked.memory), question, before)

    loop = asyncio.Runner()
    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
