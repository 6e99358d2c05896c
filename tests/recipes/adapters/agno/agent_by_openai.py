"""An agent of Agno over OpenAI's chat completions, whose model another model of theirs stands in for."""

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from asked import Answer, Asked, main

from tarimba.client.integrations.agno import with_notes


def agent(asked: Asked) -> Answer:
    # Nothing is there, so each request goes to the model to fall back to.
    gone = OpenAIChat(id="gpt-5.6", base_url="http://127.0.0.1:9/v1", max_retries=0)
    other = OpenAIChat(id="gpt-5.6", base_url=f"{asked.model_url}/v1")
    own = Agent(model=gone, fallback_models=[other], instructions=asked.instructions, telemetry=False)
    billing = with_notes(own, asked.memory)
    assert "prompt_cache_key" in billing.model.request_params
    assert own.model.request_params is None
    return lambda question: str(billing.run(question).content)


main(agent)
