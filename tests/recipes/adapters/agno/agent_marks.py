"""An agent of Agno whose system prompt has all the marks that Anthropic allows."""

from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.anthropic.claude import SystemPromptBlock
from anthropic import Anthropic
from asked import Answer, Asked, main

from tarimba.client.integrations.agno import with_notes


def agent(asked: Asked) -> Answer:
    model = Claude(
        client=Anthropic(base_url=asked.model_url),
        system_prompt_blocks=[
            SystemPromptBlock(text=text)
            for text in (asked.instructions, "Be kind.", "Be exact.", "Ask when in doubt.")
        ],
    )
    billing = with_notes(Agent(model=model, telemetry=False), asked.memory)
    return lambda question: str(billing.run(question).content)


main(agent)
