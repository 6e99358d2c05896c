"""The OpenAI SDK: chat completions first, each way to ask in turn, and each question asked of responses too."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from openai import AsyncOpenAI, OpenAI

from tarimba.client.integrations.openai_sdk import wrap


def agent(asked: Asked) -> Answer:
    client = wrap(OpenAI(base_url=f"{asked.model_url}/v1"), asked.memory)
    awaited = wrap(AsyncOpenAI(base_url=f"{asked.model_url}/v1"), asked.memory)
    loop = asyncio.Runner()

    def whole(chat: dict, response: dict) -> str:
        said = client.chat.completions.create(**chat).choices[0].message.content
        chunks = list(client.chat.completions.create(**chat, stream=True))
        with client.chat.completions.stream(**chat) as stream:
            assert stream.get_final_completion().choices[0].message.content == said
        raw = client.chat.completions.with_raw_response.create(**chat)
        assert raw.parse().choices[0].message.content == said
        assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == said
        with client.responses.stream(**response) as stream:
            assert stream.get_final_response().output_text == said
        assert client.responses.create(**response).output_text == said
        return said

    async def waited(chat: dict, response: dict) -> str:
        async with awaited.chat.completions.stream(**chat) as stream:
            said = (await stream.get_final_completion()).choices[0].message.content
        raw = await awaited.chat.completions.with_raw_response.create(**chat)
        assert raw.parse().choices[0].message.content == said
        assert (await awaited.responses.create(**response)).output_text == said
        events = [one async for one in await awaited.responses.create(**response, stream=True)]
        assert [one.sequence_number for one in events] == list(range(len(events)))
        assert events[-1].response.output_text == said
        return said

    ways = cycle([whole, lambda *requests: loop.run(waited(*requests), context=copy_context())])

    def answer(question: str) -> str:
        messages = [
            {"role": "system", "content": asked.instructions},
            {"role": "user", "content": question},
        ]
        response = {"model": "gpt-5.6", "instructions": asked.instructions, "input": question}
        return next(ways)({"model": "gpt-5.6", "messages": messages}, response)

    return answer


main(agent)
