"""Messages of the Anthropic SDK: each way to ask in turn. The caller keeps its own history."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from anthropic import Anthropic, AsyncAnthropic
from asked import Answer, Asked, main

from tarimba.client.integrations.anthropic_sdk import wrap


def agent(asked: Asked) -> Answer:
    client = wrap(Anthropic(base_url=asked.model_url), asked.memory)
    awaited = wrap(AsyncAnthropic(base_url=asked.model_url), asked.memory)
    loop = asyncio.Runner()

    async def streamed(request: dict) -> str:
        async with awaited.messages.stream(**request) as stream:
            told = "".join([text async for text in stream.text_stream])
        message = await awaited.messages.create(**request)
        raw = await awaited.messages.with_raw_response.create(**request)
        assert told == message.content[0].text == (await raw.parse()).content[0].text
        return told

    def whole(request: dict) -> str:
        message = client.messages.create(**request)
        with client.messages.stream(**request) as stream:
            assert stream.get_final_text() == message.content[0].text
        events = list(client.messages.create(**request, stream=True))
        assert [one.type for one in events].count("message_start") == 1
        return message.content[0].text

    ways = cycle([whole, lambda request: loop.run(streamed(request), context=copy_context())])

    def answer(question: str) -> str:
        messages = [{"role": "user", "content": question}]
        request = {"model": "claude", "max_tokens": 100, "system": asked.instructions, "messages": messages}
        said = next(ways)(request)
        assert messages == [{"role": "user", "content": question}]
        return said

    return answer


main(agent)
