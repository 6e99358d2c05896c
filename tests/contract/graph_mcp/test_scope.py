"""A token reaches the graph of its own member with its own agent, and through no tool anything of another."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tarimba.mcp.graph_uses import TOOLS
from tests.contract.graph_mcp.team import Team, calling, entity

pytestmark = pytest.mark.promise("graph-scope")

ROUNDS = 40
NAMES = [f"Thing {at}" for at in range(6)]
"""Both members use the same names: what one knows of a thing is marked with whose it is."""


class Walker:
    """Calls tools with random arguments, as whoever has the token, and keeps all that it was shown."""

    def __init__(self, team: Team, who: str, token: str, chance: random.Random) -> None:
        self.team, self.who, self.token, self.chance = team, who, token, chance
        self.shown = ""

    def step(self, tool: str) -> None:
        answer = self.team.post(self.token, calling(tool, **self._arguments(tool)))
        assert answer.status_code == 200, answer.text
        self.shown += answer.text

    def _arguments(self, tool: str) -> dict[str, Any]:
        name, other = self.chance.sample(NAMES, 2)
        mark = f"marked-{self.who}"
        own = f"Own of {mark}"
        relation = {"from": self.chance.choice([name, own]), "to": other, "relationType": mark}
        made = [entity(one, f"{mark} saw it.", kind=mark) for one in (name, own)]
        arguments: dict[str, dict[str, Any]] = {
            "create_entities": {"entities": made},
            "create_relations": {"relations": [relation]},
            "add_observations": {
                "observations": [{"entityName": own, "contents": [f"{mark} {len(self.shown)}"]}]
            },
            "delete_entities": {"entityNames": [name]},
            "delete_observations": {"deletions": [{"entityName": name, "observations": [f"{mark} saw it."]}]},
            "delete_relations": {"relations": [relation]},
            "read_graph": {"detailLevel": "full", "includeArchived": True, "includeMerged": True},
            "open_nodes": {"names": [*NAMES, own]},
            "search_nodes": {"query": self.chance.choice(["marked", name, "saw it"])},
            "semantic_search": {"query": self.chance.choice(["marked", name, "what was seen"])},
            "merge_entities": {"source": name, "target": other},
            "archive_entity": {"name": name},
            "unarchive_entity": {"name": name},
            "get_entity_details": {"entityNames": [*NAMES, own]},
            "get_recent_changes": {},
        }
        return arguments[tool]


def test_through_every_tool_a_member_sees_and_changes_their_own_graph_alone(team: Team) -> None:
    require_apart(team, random.Random(7), ROUNDS)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_at_length_a_member_sees_and_changes_their_own_graph_alone(team: Team, seed: int) -> None:
    require_apart(team, random.Random(seed), 10 * ROUNDS)


def require_apart(team: Team, chance: random.Random, rounds: int) -> None:
    """Three graphs that random calls make and change: what one shows is marked as its own, whatever the tool."""
    walkers = [
        Walker(team, "one", team.token(), chance),
        Walker(team, "two", team.token("auditor"), chance),
        Walker(team, "three", team.token(agent="courier"), chance),
    ]
    for walker in walkers:
        walker.step("create_entities")
    for _ in range(rounds):
        chance.choice(walkers).step(chance.choice(list(TOOLS)))
    for walker in walkers:
        for tool in TOOLS:
            walker.step(tool)
    for walker in walkers:
        marks = {f"marked-{other.who}" for other in walkers}
        assert {mark for mark in marks if mark in walker.shown} == {f"marked-{walker.who}"}


def test_what_one_member_does_changes_nothing_for_another(team: Team) -> None:
    theirs = team.token("auditor")
    team.call("create_entities", theirs, entities=[entity(name, "Theirs.") for name in NAMES])
    before = json.dumps(_everything(team, theirs))
    walker = Walker(team, "one", team.token(), random.Random(3))
    for tool in [*TOOLS, *TOOLS]:
        walker.step(tool)
    assert json.dumps(_everything(team, theirs)) == before


def test_a_cursor_of_one_member_is_worth_nothing_to_another(team: Team) -> None:
    theirs = team.token("auditor")
    for token in (None, theirs):
        team.call("create_entities", token, entities=[entity(name, "x" * 4000) for name in NAMES])
    cursor = team.call("read_graph")["next_cursor"]
    assert cursor
    assert team.call("read_graph", cursor=cursor)["entities"]
    assert "cursor" in team.refused("read_graph", theirs, cursor=cursor)


def _everything(team: Team, token: str) -> Any:
    return team.call("get_entity_details", token, entityNames=NAMES)
