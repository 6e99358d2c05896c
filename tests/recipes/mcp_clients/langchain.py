"""Run by the interpreter of the recipe: LangChain's adapter lists the tools and makes and reads an entity.

Arguments: the URL and the token. The answer is JSON: the names, and what the two calls gave.
"""

import asyncio
import json
import sys
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient


async def talk(url: str, token: str) -> dict[str, Any]:
    """What LangChain saw."""
    headers = {"Authorization": f"Bearer {token}"}
    client = MultiServerMCPClient(
        {"memory": {"transport": "streamable_http", "url": url, "headers": headers}}
    )
    tools = {tool.name: tool for tool in await client.get_tools()}
    entity = {"name": "Ledger", "entityType": "system", "observations": ["Closes at noon."]}
    made = await tools["mcp_memory_create_entities"].ainvoke({"entities": [entity]})
    opened = await tools["mcp_memory_open_nodes"].ainvoke({"names": ["Ledger"]})
    return {"names": list(tools), "made": str(made), "opened": str(opened)}


print(json.dumps(asyncio.run(talk(*sys.argv[1:]))))  # noqa: T201 - this is how it answers
