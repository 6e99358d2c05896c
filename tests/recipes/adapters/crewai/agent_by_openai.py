"""An agent of CrewAI over OpenAI's chat completions, streamed."""

from asked import Answer, Asked, main
from crewai import LLM, Agent

from tarimba.client.integrations.crewai import with_notes


def agent(asked: Asked) -> Answer:
    model = LLM("openai/gpt-5.6", base_url=f"{asked.model_url}/v1", stream=True)
    own = Agent(role="billing", goal="Be paid.", backstory=asked.instructions, llm=model)
    billing = with_notes(own, asked.memory)
    assert "prompt_cache_key" in billing.llm.additional_params
    assert not model.additional_params
    return lambda question: billing.kickoff(question).raw


main(agent)
