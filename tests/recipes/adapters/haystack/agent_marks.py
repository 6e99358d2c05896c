"""An agent of Haystack whose caller sends all the marks that Anthropic allows."""

import os

from asked import Answer, Asked, main
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

from tarimba.client.integrations.haystack import with_notes

MARK = {"cache_control": {"type": "ephemeral"}}


def agent(asked: Asked) -> Answer:
    os.environ["ANTHROPIC_BASE_URL"] = asked.model_url
    texts = [asked.instructions, "Be kind.", "Be exact.", "Ask when in doubt."]
    system = [ChatMessage.from_system(text, meta=MARK) for text in texts]
    billing = with_notes(
        Agent(chat_generator=AnthropicChatGenerator(model="claude-sonnet-4-5")), asked.memory
    )

    def answer(question: str) -> str:
        return billing.run([*system, ChatMessage.from_user(question)])["last_message"].text

    return answer


main(agent)
