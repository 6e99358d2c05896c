"""An agent of `create_agent` over Anthropic's messages, in a graph that keeps its state: each way in turn."""

import asyncio
from contextvars import copy_context
from itertools import count

from asked import Answer, Asked, main
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.middleware import AnthropicPromptCachingMiddleware
from langgraph.checkpoint.memory import InMemorySaver

from tarimba.client.integrations.langgraph import AgentNotes


def agent(asked: Asked) -> Answer:
    model = ChatAnthropic(model="claude-sonnet-4-5", base_url=asked.model_url)
    graph = create_agent(
        model,
        tools=[],
        system_prompt=asked.instructions,
        middleware=[AgentNotes(asked.memory), AnthropicPromptCachingMiddleware()],
        checkpointer=InMemorySaver(),
    )
    loop, threads = asyncio.Runner(), count()

    async def streamed(given: dict[str, list[tuple[str, str]]], config: dict[str, dict[str, int]]) -> None:
        async for _ in graph.astream(given, config, stream_mode="messages"):
            pass

    def answer(question: str) -> str:
        thread = next(threads)
        config = {"configurable": {"thread_id": f"thread-{thread}"}}
        given = {"messages": [("human", question)]}
        if thread % 2:
            loop.run(streamed(given, config), context=copy_context())
        else:
            graph.invoke(given, config)
        kept = graph.get_state(config).values["messages"]
        assert "<agent_notes>" not in str(kept)
        return str(kept[-1].text)

    return answer


main(agent)
