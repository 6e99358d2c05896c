"""The Google GenAI SDK: each way to ask in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

from asked import Answer, Asked, main
from google import genai

from tarimba.client.integrations.google_genai import wrap


def agent(asked: Asked) -> Answer:
    client = wrap(genai.Client(api_key="none", http_options={"base_url": asked.model_url}), asked.memory)
    loop = asyncio.Runner()

    def whole(request: dict) -> str:
        said = client.models.generate_content(**request).text
        assert said == "".join(one.text or "" for one in client.models.generate_content_stream(**request))
        chat = client.chats.create(model=request["model"], config=request["config"])
        assert said == chat.send_message(request["contents"]).text
        assert "<agent_notes>" not in str(chat.get_history())
        return said

    async def awaited(request: dict) -> str:
        said = (await client.aio.models.generate_content(**request)).text
        stream = await client.aio.models.generate_content_stream(**request)
        assert said == "".join([one.text or "" async for one in stream])
        return said

    ways = cycle([whole, lambda request: loop.run(awaited(request), context=copy_context())])

    def answer(question: str) -> str:
        config = {"system_instruction": asked.instructions}
        return next(ways)({"model": "gemini-3.8-flash", "contents": question, "config": config})

    return answer


main(agent)
