"""An agent of `create_agent` whose system prompt has all the marks that Anthropic allows."""

from asked import Answer, Asked, main
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import SystemMessage

from tarimba.client.integrations.langgraph import AgentNotes

MARK = {"cache_control": {"type": "ephemeral"}}


def agent(asked: Asked) -> Answer:
    texts = [asked.instructions, "Be kind.", "Be exact.", "Ask when in doubt."]
    prompt = SystemMessage([{"type": "text", "text": text, **MARK} for text in texts])
    model = ChatAnthropic(model="claude-sonnet-4-5", base_url=asked.model_url)
    graph = create_agent(model, tools=[], system_prompt=prompt, middleware=[AgentNotes(asked.memory)])

    def answer(question: str) -> str:
        return str(graph.invoke({"messages": [("human", question)]})["messages"][-1].text)

    return answer


main(agent)
