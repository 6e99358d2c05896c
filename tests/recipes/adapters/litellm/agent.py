"""LiteLLM before Anthropic's messages: each way to ask in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

import litellm
from asked import Answer, Asked, main

from tarimba.client.integrations.litellm import wrap


def agent(asked: Asked) -> Answer:
    complete, acomplete = wrap(litellm.completion, asked.memory), wrap(litellm.acompletion, asked.memory)
    loop = asyncio.Runner()

    def whole(request: dict) -> str:
        said = complete(**request).choices[0].message.content
        assert said == "".join(one.choices[0].delta.content or "" for one in complete(**request, stream=True))
        return said

    async def awaited(request: dict) -> str:
        said = (await acomplete(**request)).choices[0].message.content
        stream = await acomplete(**request, stream=True)
        assert said == "".join([one.choices[0].delta.content or "" async for one in stream])
        return said

    ways = cycle([whole, lambda request: loop.run(awaited(request), context=copy_context())])

    def answer(question: str) -> str:
        messages = [
            {"role": "system", "content": asked.instructions},
            {"role": "user", "content": question},
        ]
        model = {"model": "anthropic/claude-sonnet-4-5", "api_base": asked.model_url, "max_tokens": 100}
        return next(ways)({**model, "messages": messages})

    return answer


main(agent)
