"""An agent of Strands whose system prompt has all the marks that Anthropic allows."""

from asked import Answer, Asked, main
from strands import Agent
from strands.models.anthropic import AnthropicModel

from tarimba.client.integrations.strands import AgentNotes

POINT = {"cachePoint": {"type": "default"}}


def agent(asked: Asked) -> Answer:
    texts = [asked.instructions, "Be kind.", "Be exact.", "Ask when in doubt."]
    prompt = [block for text in texts for block in ({"text": text}, POINT)]
    model = AnthropicModel(
        client_args={"base_url": asked.model_url}, model_id="claude-sonnet-4-5", max_tokens=100
    )
    billing = Agent(model, system_prompt=prompt, plugins=[AgentNotes(asked.memory)], callback_handler=None)
    return lambda question: str(billing(question))


main(agent)
