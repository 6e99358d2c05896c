"""A function agent of LlamaIndex over chat completions: steps streamed and whole in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.llms.openai_like import OpenAILike

from tarimba.client.integrations.llamaindex import with_notes


def agent(asked: Asked) -> Answer:
    model = OpenAILike(
        model="gpt-5.6",
        api_base=f"{asked.model_url}/v1",
        api_key="none",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    agents = [
        with_notes(
            FunctionAgent(llm=model, tools=[], system_prompt=asked.instructions, streaming=streaming),
            asked.memory,
        )
        for streaming in (True, False)
    ]
    loop, turns = asyncio.Runner(), cycle(agents)

    async def ask(question: str) -> str:
        memory = Memory.from_defaults()
        said = await next(turns).run(question, memory=memory)
        assert "<agent_notes>" not in str(await memory.aget_all())
        return str(said)

    return lambda question: loop.run(ask(question), context=copy_context())


main(agent)
