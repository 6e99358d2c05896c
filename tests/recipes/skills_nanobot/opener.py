"""Run by nanobot's own interpreter: opens a skill by name, over and over, as nanobot's agent does.

Arguments: the workspace, its configuration, the name. A line on the standard input asks for one more look; the answer
is one line of JSON: the text, and the path and source that nanobot lists for the name.
"""

import json
import sys
from pathlib import Path

from nanobot.agent.plugins import discover_agent_plugins, set_agent_plugin_enabled
from nanobot.agent.skills import SkillsLoader
from nanobot.config.loader import set_config_path


def main() -> None:
    """Answers until the input ends."""
    workspace, name = Path(sys.argv[1]), sys.argv[3]
    set_config_path(Path(sys.argv[2]))
    for line in sys.stdin:
        if line.strip() == "enable":
            set_agent_plugin_enabled(workspace, "own", enabled=True)
        loader = SkillsLoader(workspace)
        listed = {entry["name"]: entry for entry in loader.list_skills(filter_unavailable=False)}
        told = {
            "text": loader.load_skill(name),
            "source": listed.get(name, {}).get("source"),
            "own": loader.load_skill("letters"),
            "plugins": [plugin.name for plugin in discover_agent_plugins(workspace)],
        }
        print(json.dumps(told), flush=True)  # noqa: T201 - this is how it answers


main()
