"""The reference memory server and ours, asked the same, answer the same but for differences that have a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.recipes.graph_reference.calls import (
    DIFFERENCES,
    OWN,
    Arguments,
    Document,
    call,
    collapsed,
    joined,
    plain,
    touching,
    why_found,
)
from tests.recipes.graph_reference.sides import Side, ours, reference
from tests.recipes.mcp_conformance.served import serving_graph

pytestmark = pytest.mark.nightly

CALLS = 2_000
CROWD = 50
# As much as we show when we are asked for all: the reference server always shows all.
ALL: Mapping[str, Document] = {
    "read_graph": {"detailLevel": "full"},
    "search_nodes": {"maxObservations": 100},
    "open_nodes": {},
}


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Side]:
    with reference(tmp_path / "memory.jsonl") as side:
        yield side


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Side]:
    with serving_graph(tmp_path / "data") as (url, team), ours(url, team.token()) as side:
        yield side


@dataclass
class Both:
    """Both servers, and which differences were met."""

    theirs: Side
    mine: Side
    met: set[str] = field(default_factory=set)

    def compare(self, tool: str, asked: Arguments) -> None:
        """Asks both, and holds what ours says against what the other says."""
        once = collapsed(tool, asked)
        if once != asked:
            self.met.add("duplicates collapse")
        wanted = self.theirs.ask(tool, once)
        if tool not in ALL:
            assert self._written(tool, asked) == wanted
            return
        found = self._read(tool, asked)
        assert wanted is not None
        if tool == "search_nodes":
            wanted = self._wanted(asked["query"], found, wanted)
            self._order(found, wanted)
        assert found == wanted

    def _written(self, tool: str, asked: Arguments) -> Document | None:
        answer = self.mine.ask(tool, asked)
        if answer is None:
            return None
        if "ignored" in answer:
            self.met.add("what is not declared is counted")
        if not answer.keys().isdisjoint(OWN):
            self.met.add("members of ours")
        return plain(answer)

    def _read(self, tool: str, asked: Arguments) -> Document:
        pages: list[Document] = []
        cursor: dict[str, Any] = {}
        while not pages or cursor["cursor"]:
            page = self.mine.ask(tool, {**ALL[tool], **asked, **cursor})
            assert page is not None
            pages.append(page)
            cursor = {"cursor": page["next_cursor"]}
        if len(pages) > 1:
            self.met.add("reads are bounded")
        return plain(joined(pages))

    def _order(self, found: Document, wanted: Document) -> None:
        """Puts what a search shows in one order, and notes whether it stood in another."""
        if found != wanted:
            self.met.add("the best comes first")
        for answer in (found, wanted):
            answer["entities"].sort(key=itemgetter("name"))
            for one in answer["entities"]:
                one["observations"].sort()
            # Each page of ours shows those that touch its entities.
            answer["relations"] = sorted({tuple(one.values()) for one in answer["relations"]})

    def _wanted(self, query: str, found: Document, said: Document) -> Document:
        """What the reference server says of a query, and what ours finds besides for a reason that has a name."""
        if not query.strip():
            self.met.add("nothing is asked for")
            return {"entities": [], "relations": []}
        whole = self.theirs.ask("read_graph", {})
        assert whole is not None
        names = {one["name"] for one in said["entities"]}
        more = [one for one in found["entities"] if one["name"] not in names]
        reasons = [why_found(query, one) for one in more]
        assert None not in reasons, query
        self.met |= {reason for reason in reasons if reason}
        names |= {one["name"] for one in more}
        entities = [one for one in whole["entities"] if one["name"] in names]
        return {"entities": entities, "relations": touching(whole["relations"], names)}


@pytest.mark.promise("graph-semantics")
def test_random_calls_are_answered_as_the_reference_server_answers_them(theirs: Side, mine: Side) -> None:
    both, random = Both(theirs, mine), Random(7)
    for _ in range(CALLS):
        both.compare(*call(random))
    assert both.met == DIFFERENCES.keys()


@pytest.mark.promise("graph-loses-nothing")
def test_of_fifty_creates_at_once_ours_keeps_all_and_the_reference_server_not(
    theirs: Side, mine: Side
) -> None:
    told = {name: raced(side) for name, side in (("theirs", theirs), ("mine", mine))}
    assert told["mine"] == (CROWD, CROWD)
    assert told["theirs"][0] == CROWD > told["theirs"][1]


def raced(side: Side) -> tuple[int, int]:
    """How many of the creates were acknowledged, and how many of them are there."""
    entities = [
        {"name": f"Step {number}", "entityType": "step", "observations": []} for number in range(CROWD)
    ]
    answers = side.at_once([("create_entities", {"entities": [one]}) for one in entities])
    there = side.ask("open_nodes", {"names": [one["name"] for one in entities]})
    assert there is not None
    return sum(answer is not None for answer in answers), len(there["entities"])
