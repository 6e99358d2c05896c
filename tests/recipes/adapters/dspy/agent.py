"""A program of DSPy over chat completions, called and awaited in turn."""

import asyncio
from contextvars import copy_context
from itertools import cycle

import dspy
from asked import Answer, Asked, main

from tarimba.client.integrations.dspy import notes_tools, with_notes


def agent(asked: Asked) -> Answer:
    model = dspy.LM("openai/gpt-5.6", api_base=f"{asked.model_url}/v1", api_key="none", cache=False)
    adapter = with_notes(dspy.ChatAdapter(use_native_function_calling=True), asked.memory)
    dspy.configure(lm=model, adapter=adapter)
    signature = dspy.Signature("question -> answer", asked.instructions)
    program = dspy.ReActV2(signature, tools=notes_tools(asked.memory))
    loop = asyncio.Runner()

    def awaited(question: str) -> str:
        return loop.run(program.acall(question=question), context=copy_context()).answer

    ways = cycle([lambda question: program(question=question).answer, awaited])
    return lambda question: next(ways)(question)  # noqa: PLW0108 - another way each time


main(agent)
