"""A chain of LangChain: each way to run it in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

from tarimba.client.integrations.langchain import with_notes


def agent(asked: Asked) -> Answer:
    prompt = ChatPromptTemplate([("system", "{instructions}"), ("human", "{question}")])
    model = ChatOpenAI(model="gpt-5.6", base_url=f"{asked.model_url}/v1")
    chain = prompt.partial(instructions=asked.instructions) | with_notes(model, asked.memory)
    loop = asyncio.Runner()

    async def awaited(given: dict[str, str]) -> str:
        return "".join([one.text async for one in chain.astream(given)])

    def streamed(given: dict[str, str]) -> str:
        # Both ways of asyncio must work too, on the same request.
        said = loop.run(chain.ainvoke(given), context=copy_context()).text
        assert said == "".join(one.text for one in chain.stream(given))
        return loop.run(awaited(given), context=copy_context())

    ways = cycle([lambda given: chain.invoke(given).text, streamed])
    return lambda question: next(ways)({"question": question})


main(agent)
