"""Agents of smolagents over chat completions: one that calls tools, whole and streamed, in turn."""

from itertools import cycle

from asked import Answer, Asked, main
from smolagents import LogLevel, OpenAIModel, ToolCallingAgent

from tarimba.client.integrations.smolagents import notes_tools, with_notes


def agent(asked: Asked) -> Answer:
    model = with_notes(OpenAIModel("gpt-5.6", api_base=f"{asked.model_url}/v1", api_key="none"), asked.memory)
    agents = [
        ToolCallingAgent(
            notes_tools(asked.memory),
            model,
            instructions=asked.instructions,
            stream_outputs=streamed,
            verbosity_level=LogLevel.OFF,
        )
        for streamed in (False, True)
    ]
    turns = cycle(agents)

    def answer(question: str) -> str:
        billing = next(turns)
        said = billing.run(question)
        assert "<agent_notes>" not in str(billing.memory.get_full_steps())
        return str(said)

    return answer


main(agent)
