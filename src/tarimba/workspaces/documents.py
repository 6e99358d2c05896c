"""The files that a workspace has read-only: rules that come with the package, and who its agent is. Pure.

They are single files in folders of the agent's, so a container sees them as they were when it was started.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tarimba.harnesses.service import Profile
from tarimba.skills.model import Language
from tarimba.skills.shipped import documents as shipped
from tarimba.skills.shipped import standing_rules
from tarimba.workspaces.words import NOTES

PERSONA: Final = ("AGENT.md", "SOUL.md")
"""The documents of an agent's persona, in the order in which they are read."""
CUSTOM: Final = "memory/MEMORY_CUSTOM.md"
# Those of the graph's tools that the rules speak of.
_TOOLS: Final = ("add_observations", "create_entities", "create_relations", "search_nodes")


@dataclass(frozen=True, slots=True)
class Ground:
    """What the documents are made of. `persona` holds texts by the names of `PERSONA`."""

    profile: Profile
    language: Language
    persona: Mapping[str, str]
    has_graph: bool


def documents(ground: Ground, project: str = "") -> dict[str, bytes]:
    """The files by their path in the main workspace, or in that of a project, where paths in them lead."""
    # Documents name paths as they are seen from where they lie.
    here = replace(ground.profile, mount=str(ground.profile.seen_at(project or None)))
    tools = tuple(here.tool_name(name) for name in _TOOLS)
    found = {name: ground.persona.get(name, "").encode() for name in PERSONA}
    for one in shipped(here, ground.language, has_graph=ground.has_graph, tools=tools):
        if not one.path.startswith(f"{here.shared_root}/"):
            found[one.path] = one.data
    rules = standing_rules(here, ground.language, has_graph=ground.has_graph, tools=tools)
    text = "\n".join(_always(ground, here, rules))
    return found | ({here.always_on: text.encode()} if text else {})


def fingerprint(ground: Ground) -> str:
    """What the documents come to, as one value."""
    parts = {path: hashlib.sha256(data).hexdigest() for path, data in documents(ground).items()}
    return _digest({"harness": ground.profile.name, "documents": parts})


def digest(fingerprint: str, server: dict[str, Any] | None) -> str:
    """What a container that is started now gets, as one value: another one asks for a restart.

    `server` is the entry of the memory graph in its configuration.
    """
    return _digest({"documents": fingerprint, "server": server})


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _always(ground: Ground, here: Profile, rules: str) -> Iterator[str]:
    """The parts of the file that the harness reads every turn: what it would not read by itself."""
    for name in PERSONA:
        text = ground.persona.get(name, "")
        if text and (name == here.always_on or name not in here.persona):
            yield text.rstrip("\n") + "\n"
    if rules:
        heading, pointer = NOTES[ground.language]
        yield rules
        yield f"{heading}\n\n{_notes(here, pointer)}\n"


def _notes(here: Profile, pointer: str) -> str:
    if here.include:
        return here.include.format(path=CUSTOM)
    return pointer.format(path=f"{here.seen_at()}/{CUSTOM}")
