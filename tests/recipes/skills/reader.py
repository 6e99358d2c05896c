"""Reads every skill of a folder with the reader named on the command line; prints what it got, as JSON.

Runs in an environment of its own: `python reader.py READER FOLDER`. By directory: name, description, complaints.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

Told = dict[str, object]


def skills_ref(root: Path) -> Iterator[tuple[str, Told]]:
    from skills_ref import read_properties, validate

    for folder in sorted(root.iterdir()):
        read = read_properties(folder)
        yield folder.name, told(read.name, read.description, validate(folder))


def agentskills_tools(root: Path) -> Iterator[tuple[str, Told]]:
    from agentskills_core import split_frontmatter
    from agentskills_tools.discovery import discover
    from agentskills_tools.validate import validate_locations

    where, locations = discover(root)
    reports = asyncio.run(validate_locations(where, locations))
    for location, report in zip(locations, reports, strict=True):
        read, _ = split_frontmatter((location.path / "SKILL.md").read_text(encoding="utf-8"))
        complaints = [finding.message for finding in report.findings]
        yield location.skill_id, told(read["name"], read["description"], complaints)


def fastmcp(root: Path) -> Iterator[tuple[str, Told]]:
    from fastmcp.server.providers.skills import SkillProvider

    for folder in sorted(root.iterdir()):
        read = SkillProvider(folder).skill_info
        yield folder.name, told(read.frontmatter["name"], read.description, [])


def nanobot_ai(root: Path) -> Iterator[tuple[str, Told]]:
    from nanobot.agent.skills import SkillsLoader

    loader = SkillsLoader(root.parent, builtin_skills_dir=root.parent / "none")
    for row in loader.list_skills():
        read = loader.get_skill_metadata(row["name"]) or {}
        yield row["name"], told(read.get("name"), read.get("description"), [])


def told(name: object, description: object, complaints: list[str]) -> Told:
    return {"name": name, "description": description, "complaints": complaints}


READERS: dict[str, Callable[[Path], Iterator[tuple[str, Told]]]] = {
    "skills-ref": skills_ref,
    "agentskills-tools": agentskills_tools,
    "fastmcp": fastmcp,
    "nanobot-ai": nanobot_ai,
}

if __name__ == "__main__":
    reader, folder = sys.argv[1:]
    answer = {"version": version(reader), "skills": dict(READERS[reader](Path(folder)))}
    sys.stdout.write(json.dumps(answer))
