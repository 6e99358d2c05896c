"""Amazon Bedrock's Converse with boto3: each question whole and streamed."""

import boto3
from asked import Answer, Asked, main

from tarimba.client.integrations.bedrock import wrap


def agent(asked: Asked) -> Answer:
    client = wrap(boto3.client("bedrock-runtime", endpoint_url=asked.model_url), asked.memory)

    def answer(question: str) -> str:
        request = {
            "modelId": "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "system": [{"text": asked.instructions}],
            "messages": [{"role": "user", "content": [{"text": question}]}],
        }
        streamed = list(client.converse_stream(**request)["stream"])
        assert [next(iter(one)) for one in streamed if "messageStop" in one] == ["messageStop"]
        deltas = (one["contentBlockDelta"]["delta"] for one in streamed if "contentBlockDelta" in one)
        said = client.converse(**request)["output"]["message"]["content"][0]["text"]
        assert said == "".join(delta["text"] for delta in deltas)
        return said

    return answer


main(agent)
