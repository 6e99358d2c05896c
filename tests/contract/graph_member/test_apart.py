"""Whose graph it is: nothing of one member's reaches another, and what is erased is gone from every table."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from tarimba.graph import service
from tarimba.identity import hosting
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.schema import metadata
from tests.contract.api.served import Api
from tests.contract.graph.seat import entity
from tests.contract.graph_member.desk import GRAPH, Desk
from tests.e2e.company import Company, Place

WORDS = ("anvil", "bellows", "crucible")
words = st.sampled_from(WORDS)
facts = st.lists(st.tuples(words, words, words), min_size=1, max_size=3)
# What shows something: by each of these a page is asked for.
LOOKS: tuple[tuple[str, dict[str, str]], ...] = (
    ("entities", {}),
    ("entities", {"status": "archived"}),
    ("recent", {}),
    ("changes", {}),
    ("export", {"format": "jsonl"}),
    ("conversation", {"conversation_id": "talk"}),
)


class Pair:
    """Two members who have the same agent in the same subscription, whose words differ by their endings."""

    def __init__(self, api: Api, company: Company) -> None:
        self.api, self.company = api, company
        kernel = api.kernel
        host = hosting.host_of(kernel, company.slug)
        hosting.add_person(
            kernel,
            host,
            slug="second",
            email="second@acme.example",
            name=None,
            language=None,
            roles=["member"],
        )
        token = hosting.issue_token(kernel, host, "second@acme.example", None)["token"]
        team = {"slug": "team", "members": ["member", "second"]}
        assert api.call(company, "owner", "POST", "/v1/admin/subscriptions", json=team).is_success
        self.bearers = {"A": "member", "B": token}

    def ask(self, whose: str, method: str, path: str, body: Any = None, **query: Any) -> str:
        params = {"subscription": "team", "agent": "billing"} | query
        options: dict[str, Any] = {"params": params} | ({} if body is None else {"json": body})
        who = self.bearers[whose]
        return self.api.call(self.company, who, method, f"{GRAPH}/{path}", **options).text

    def write(self, whose: str, fact: tuple[str, str, str]) -> None:
        name, text, other = (f"{word}-{whose}" for word in fact)
        observations = [{"text": text}]
        self.ask(
            whose,
            "POST",
            "entities",
            {"name": name, "entity_type": f"type-{whose}", "observations": observations},
        )
        self.ask(whose, "POST", "observations", {"name": name, "observations": observations})
        self.ask(whose, "POST", "relations", {"from": name, "to": other, "relation_type": "by"})
        self.ask(whose, "POST", "archive", {"name": other})

    def seen(self, whose: str, other: str) -> str:
        """All that one of them can see, asking for the names of the other too."""
        found = [self.ask(whose, "GET", path, **query) for path, query in LOOKS]
        for word in WORDS:
            name = f"{word}-{other}"
            found += [
                self.ask(whose, "GET", "search", query=word),
                self.ask(whose, "GET", "entity", name=name),
                self.ask(whose, "GET", "neighbourhood", name=name, hops=3),
                self.ask(whose, "DELETE", "entity", name=name),
                self.ask(whose, "POST", "merge", {"source": name, "target": f"{word}-{whose}"}),
            ]
        return "".join(found)


@pytest.mark.promise("graph-member-alone")
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(ours=facts, theirs=facts)
def test_what_one_member_sees_holds_nothing_of_another(
    api: Api, ours: list[tuple[str, str, str]], theirs: list[tuple[str, str, str]]
) -> None:
    pair = Pair(api, api.found())
    for fact in ours:
        pair.write("A", fact)
    before = pair.ask("A", "GET", "export")
    for fact in theirs:
        pair.write("B", fact)
    foreign = json.loads(pair.ask("B", "GET", "changes"))["items"][0]["change_id"]
    assert '"code":"not_found"' in pair.ask("A", "POST", "undo", {"change_id": foreign})
    assert "-B" not in pair.seen("A", "B")
    assert "-A" not in pair.seen("B", "A")
    assert pair.ask("A", "GET", "export") == before


@pytest.mark.promise("graph-erased")
def test_a_graph_is_taken_out_whole_and_erased_without_a_rest(desk: Desk) -> None:
    kernel, scope = desk.api.kernel, desk.scope
    desk.learn("talk-1", entity("Pump 7", "Stands in hall 2", "Was repaired"), *())
    desk.post("relations", {"from": "Pump 7", "to": "Tank 1", "relation_type": "feeds"})
    with kernel.database.read() as connection:
        assert service.seats_of(connection, scope.space_id, scope.person_id) == [scope]
        taken = list(service.export_of(kernel, connection, scope))
    assert [one["kind"] for one in taken] == ["entity", "relation", "change", "change"]
    assert (taken[0]["name"], taken[0]["sources"][0]["sessionId"]) == ("Pump 7", "talk-1")
    assert (taken[2]["action"], taken[2]["actor"]["type"]) == ("create_relations", "person")
    steps = 1
    while kernel.writer.commit(scope.space_id, lambda tx: erased(tx, desk)):
        steps += 1
    assert steps > 3
    for table in metadata.sorted_tables:
        if "graph_no" in table.c:
            with kernel.database.read() as connection:
                mine = select(func.count()).select_from(table).where(table.c.space_id == scope.space_id)
                assert connection.scalar(mine) == 0, table.name
    with kernel.database.read() as connection:
        assert service.seats_of(connection, scope.space_id, scope.person_id) == []
        assert list(service.export_of(kernel, connection, scope)) == []


def erased(tx: Tx, desk: Desk) -> bool:
    record(tx, Receipt("erase.scrubbed", Actor("system", "worker"), "worker", detail={"rows": 2}))
    return service.erase(tx, desk.scope, 2)


@pytest.mark.promise("graph-import")
def test_the_command_line_takes_a_graph_out_and_in(desk: Desk, place: Place) -> None:
    desk.learn("talk-1", entity("Pump 7", "Stands in hall 2"))
    seat = ["--subscription", "team", "--agent", "billing", "--space", desk.company.slug]
    file = place.data / "graph.jsonl"
    mine = [*seat, "--member", "member"]
    file.write_text(place.command("graph", "export", "--json", *mine))
    document = json.loads(file.read_text())
    assert [one["name"] for one in document["entities"]] == ["Pump 7"]
    assert document["relations"] == []
    for written in (place.data / "new.jsonl", file):
        assert place.command("graph", "export", "--format", "jsonl", *mine, str(written)) == ""
        assert stat.S_IMODE(written.stat().st_mode) == 0o600
        assert json.loads(written.read_text())["name"] == "Pump 7"
    assert json.loads(place.command("graph", "export", "--json", *mine, "-")) == document
    assert not Path("-").exists()
    before = desk.export()
    made = json.loads(place.command("graph", "import", "--json", *mine, str(file)))
    assert (made["entities"], made["known"], made["refused"]) == (0, 2, [])
    assert desk.export() == before
    told = [(one["via"], one["detail"].get("change")) for one in desk.log()[-2:]]
    assert ("cli", "import") in told
