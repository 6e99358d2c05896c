"""An agent of smolagents over a model of Anthropic's, by LiteLLM."""

from asked import Answer, Asked, main
from smolagents import LiteLLMModel, LogLevel, ToolCallingAgent

from tarimba.client.integrations.smolagents import notes_tools, with_notes


def agent(asked: Asked) -> Answer:
    own = LiteLLMModel("anthropic/claude-sonnet-4-5", api_base=asked.model_url, api_key="none")
    billing = ToolCallingAgent(
        notes_tools(asked.memory),
        with_notes(own, asked.memory),
        instructions=asked.instructions,
        verbosity_level=LogLevel.OFF,
    )
    return lambda question: str(billing.run(question))


main(agent)
