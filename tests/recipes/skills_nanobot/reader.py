"""Run by nanobot's own interpreter: reads a configuration and a workspace as nanobot's agent does.

Arguments: the workspace and its configuration. Prints one line of JSON: the servers of MCP and the prompt.
"""

import json
import sys
from pathlib import Path

from nanobot.agent.context import ContextBuilder
from nanobot.config.loader import load_config

workspace, config = map(Path, sys.argv[1:])
servers = {name: one.model_dump() for name, one in load_config(config).tools.mcp_servers.items()}
print(json.dumps({"servers": servers, "prompt": ContextBuilder(workspace).build_system_prompt()}))  # noqa: T201
