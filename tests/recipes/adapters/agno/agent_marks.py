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
    _last_as_long(asked)
    return lambda question: str(billing.run(question).content)


def _last_as_long(asked: Asked) -> None:
    """Of blocks that a function gives, those without a mark differ between runs; no longer mark follows a shorter."""
    blocks = [SystemPromptBlock(text="Policy.", ttl="1h"), SystemPromptBlock(text="Today.", cache=False)]
    model = Claude(client=Anthropic(), system_prompt_blocks=lambda: blocks)
    noted = with_notes(Agent(model=model, telemetry=False), asked.memory).model
    system = noted._build_system("Be kind.\n\n<agent_notes>\nNone.\n</agent_notes>\n\nA user.")
    long = {"type": "ephemeral", "ttl": "1h"}
    assert [(one["text"].split()[0], one.get("cache_control")) for one in system] == [
        ("Be", None),
        ("Policy.", long),
        ("<agent_notes>", long),
        ("A", None),
        ("Today.", None),
    ]


main(agent)
