"""Chat completions of the OpenAI SDK."""

from asked import Answer, Asked, main
from openai import OpenAI

from tarimba.client.integrations.openai_sdk import wrap


def agent(asked: Asked) -> Answer:
    client = wrap(OpenAI(base_url=f"{asked.model_url}/v1"), asked.memory)

    def answer(question: str) -> str:
        messages = [
            {"role": "system", "content": asked.instructions},
            {"role": "user", "content": question},
        ]
        return client.chat.completions.create(model="gpt-5.6", messages=messages).choices[0].message.content

    return answer


main(agent)
