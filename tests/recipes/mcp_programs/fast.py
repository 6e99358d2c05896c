"""Run by the interpreter of the recipe: an agent of fast-agent asks its model one question.

Its configuration is the file in the working directory. Argument: the question.
"""

import asyncio
import sys

from mcp_agent.core.fastagent import FastAgent

question = sys.argv.pop()
fast = FastAgent("recipe", parse_cli_args=False)


@fast.agent(instruction="You answer questions about invoices.", servers=["tarimba"])
async def main() -> None:
    """Asks and prints."""
    async with fast.run() as agent:
        print(await agent(question))  # noqa: T201 - this is how it answers


asyncio.run(main())
