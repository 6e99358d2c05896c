"""Run by the interpreter of the recipe: one agent of a framework, with the niadra SDK's own adapter for it.

Argument: the framework. Standard input: `{model_url, instructions, question, conversation, customer}`, where `customer`
is a handle. Address and key of the server come from the environment, as the SDK reads them. Prints the answer.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from niadra import AsyncNiadra, Niadra
from niadra.models.common import Handle
from niadra.options import CacheOptions, Timeouts, VoiceOptions

# On a busy machine a budget of 0.3 s says nothing about the server.
OPTIONS: dict[str, Any] = {
    "channel": "chat",
    "timeouts": Timeouts(context=60, navigation=60, write=60),
    "cache": CacheOptions(ttl=60),
    "voice": VoiceOptions(probe=False),
    "keep_warm": False,
}
MODEL = "gpt-5.6"


@dataclass(frozen=True)
class Asked:
    """What an agent is made with: `talk` is the SDK's conversation."""

    talk: Any
    model_url: str
    instructions: str
    question: str

    @property
    def api(self) -> str:
        return f"{self.model_url}/v1"

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [
            {"role": "system", "content": self.instructions},
            {"role": "user", "content": self.question},
        ]


def openai(asked: Asked) -> str:
    from niadra.integrations.openai import wrap
    from openai import OpenAI

    client = wrap(OpenAI(base_url=asked.api), conversation=asked.talk, agent_memory=True)
    return _loop(
        asked,
        lambda messages, tools: client.chat.completions.create(model=MODEL, messages=messages, tools=tools),
    )


def litellm(asked: Asked) -> str:
    from niadra.integrations.litellm import completion

    def complete(messages: list[Any], tools: list[Any]) -> Any:
        named = {"model": f"openai/{MODEL}", "api_base": asked.api, "api_key": "none"}
        return completion(messages=messages, tools=tools, conversation=asked.talk, agent_memory=True, **named)

    return _loop(asked, complete)


def anthropic(asked: Asked) -> str:
    from anthropic import Anthropic
    from niadra.integrations.anthropic import wrap

    client = wrap(Anthropic(base_url=asked.model_url), conversation=asked.talk, agent_memory=True)
    kit = asked.talk.tools(agent_memory=True)
    messages: list[dict[str, Any]] = [{"role": "user", "content": asked.question}]
    while True:
        said = client.messages.create(
            model="claude-sonnet-5",
            max_tokens=100,
            system=asked.instructions,
            messages=messages,
            tools=kit.anthropic_definitions(),
        )
        uses = [block for block in said.content if block.type == "tool_use"]
        if not uses:
            return said.content[0].text
        results = [
            {"type": "tool_result", "tool_use_id": use.id, "content": kit.call(use.name, use.input)}
            for use in uses
        ]
        messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": results}]


def google_genai(asked: Asked) -> str:
    from google import genai
    from niadra.integrations.google_genai import wrap

    client = genai.Client(api_key="none", http_options={"base_url": asked.model_url})
    wrapped = wrap(client, conversation=asked.talk, agent_memory=True)
    kit = asked.talk.tools(agent_memory=True)
    functions = [
        {"name": one["name"], "description": one["description"], "parameters_json_schema": one["parameters"]}
        for one in (definition["function"] for definition in kit.definitions)
    ]
    config = {"system_instruction": asked.instructions, "tools": [{"function_declarations": functions}]}
    contents: list[Any] = [{"role": "user", "parts": [{"text": asked.question}]}]
    while True:
        said = wrapped.models.generate_content(model="gemini-2.5-flash", contents=contents, config=config)
        if not said.function_calls:
            return said.text
        contents.append(said.candidates[0].content)
        contents += [
            {
                "role": "user",
                "parts": [
                    {
                        "function_response": {
                            "name": call.name,
                            "response": {"result": kit.call(call.name, call.args)},
                        }
                    }
                ],
            }
            for call in said.function_calls
        ]


def langchain(asked: Asked) -> str:
    from langchain_core.messages import HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI
    from niadra.integrations.langchain import context_runnable, history_tools

    tools = history_tools(asked.talk, agent_memory=True)
    model = ChatOpenAI(model=MODEL, base_url=asked.api).bind_tools(tools)
    chain = context_runnable(asked.talk, agent_memory=True) | model
    messages: list[Any] = [SystemMessage(asked.instructions), HumanMessage(asked.question)]
    while True:
        said = chain.invoke(messages)
        if not said.tool_calls:
            return said.content
        named = {tool.name: tool for tool in tools}
        messages += [said, *(named[call["name"]].invoke(call) for call in said.tool_calls)]


def langgraph(asked: Asked) -> str:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from niadra.integrations.langgraph import NiadraMiddleware

    model = ChatOpenAI(model=MODEL, base_url=asked.api)
    middleware = [NiadraMiddleware(asked.talk, agent_memory=True)]
    agent = create_agent(model, system_prompt=asked.instructions, middleware=middleware)
    return agent.invoke({"messages": asked.messages[1:]})["messages"][-1].content


async def pydantic_ai(asked: Asked) -> str:
    from niadra.integrations.pydantic_ai import NiadraCapability
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=asked.api))
    capability = NiadraCapability(asked.talk, agent_memory=True)
    agent = Agent(model, instructions=asked.instructions, capabilities=[capability])
    return (await agent.run(asked.question)).output


async def llamaindex(asked: Asked) -> str:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike
    from niadra.integrations.llamaindex import NiadraMemory, history_tools

    model = OpenAILike(
        model=MODEL, api_base=asked.api, api_key="none", is_chat_model=True, is_function_calling_model=True
    )
    tools = history_tools(asked.talk, agent_memory=True)
    agent = FunctionAgent(llm=model, system_prompt=asked.instructions, tools=tools)
    return str(await agent.run(asked.question, memory=NiadraMemory(asked.talk, agent_memory=True)))


async def openai_agents(asked: Asked) -> str:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
    from niadra.integrations.openai_agents import NiadraAgentsMemory
    from openai import AsyncOpenAI

    set_tracing_disabled(disabled=True)
    memory = NiadraAgentsMemory(asked.talk, agent_memory=True)
    model = OpenAIChatCompletionsModel(MODEL, AsyncOpenAI(base_url=asked.api))
    agent = Agent(name="billing", instructions=asked.instructions, tools=memory.tools, model=model)
    done = await Runner.run(agent, asked.question, hooks=memory.hooks, run_config=memory.run_config())
    return done.final_output


async def agno(asked: Asked) -> str:
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat
    from niadra.integrations.agno import NiadraAgno

    memory = NiadraAgno(asked.talk, instructions=asked.instructions, agent_memory=True)
    agent = Agent(
        model=OpenAIChat(id=MODEL, base_url=asked.api),
        instructions=memory.instructions,
        tools=memory.tools,
        pre_hooks=[memory.pre_hook],
        post_hooks=[memory.post_hook],
        telemetry=False,
    )
    return (await agent.arun(asked.question)).content


def haystack(asked: Asked) -> str:
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from niadra.integrations.haystack import NiadraAgentHooks, history_tools

    agent = Agent(
        chat_generator=OpenAIChatGenerator(model=MODEL, api_base_url=asked.api),
        system_prompt=asked.instructions,
        tools=history_tools(asked.talk, agent_memory=True),
        hooks=NiadraAgentHooks(asked.talk, agent_memory=True).hooks,
    )
    return agent.run(messages=[ChatMessage.from_user(asked.question)])["last_message"].text


async def strands(asked: Asked) -> str:
    from niadra.integrations.strands import NiadraHooks
    from strands import Agent
    from strands.models.openai import OpenAIModel

    memory = NiadraHooks(asked.talk, agent_memory=True)
    model = OpenAIModel(client_args={"base_url": asked.api, "api_key": "none"}, model_id=MODEL)
    agent = Agent(
        model=model,
        system_prompt=asked.instructions,
        tools=memory.tools,
        hooks=[memory],
        callback_handler=None,
    )
    return str(await agent.invoke_async(asked.question))


def _loop(asked: Asked, complete: Callable[[list[Any], list[Any]], Any]) -> str:
    """The tool loop that raw chat completions leave to the caller, with the SDK's kit."""
    kit = asked.talk.tools(agent_memory=True)
    messages: list[Any] = list(asked.messages)
    while True:
        said = complete(messages, kit.definitions).choices[0].message
        if not said.tool_calls:
            return said.content
        results = [
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": kit.call(call.function.name, call.function.arguments),
            }
            for call in said.tool_calls
        ]
        messages += [said, *results]


async def _awaited(agent: Callable[[Asked], Awaitable[str]], given: dict[str, Any]) -> str:
    async with AsyncNiadra(**OPTIONS) as client:
        handle = Handle(**given["customer"])
        async with client.conversation(given["conversation"], subject=handle) as talk:
            return await agent(Asked(talk, given["model_url"], given["instructions"], given["question"]))


def _called(agent: Callable[[Asked], str], given: dict[str, Any]) -> str:
    with Niadra(**OPTIONS) as client:
        handle = Handle(**given["customer"])
        with client.conversation(given["conversation"], subject=handle) as talk:
            return agent(Asked(talk, given["model_url"], given["instructions"], given["question"]))


SYNC = (openai, litellm, anthropic, google_genai, langchain, langgraph, haystack)
ASYNC = (pydantic_ai, llamaindex, openai_agents, agno, strands)

if __name__ == "__main__":
    wanted, document = sys.argv[1], json.load(sys.stdin)
    if wanted in {one.__name__ for one in SYNC}:
        said = _called(globals()[wanted], document)
    else:
        said = asyncio.run(_awaited(globals()[wanted], document))
    sys.stdout.write(f"\n{said}\n")
