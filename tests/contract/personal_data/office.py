"""The company with its memory on, a list of names that the tests know by heart, and notes to be judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
from fastapi.testclient import TestClient

from tarimba.app import all_routes
from tarimba.http.skin import make_app
from tarimba.kernel import Kernel
from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.model import Finding
from tarimba.personal_data.reading import Reading
from tarimba.personal_data.structured import Structured
from tests.contract.identity.company import Company, found

NOTES = "/v1/agent-memory/notes"
WORDS = "/v1/admin/vocabulary"
PEOPLE = "/v1/admin/known-customers"
NAMES = ("Zuleide Quaresma", "Zuleide", "Quaresma")


@dataclass
class ListedNames:
    """Finds the names of a list as a layer of names does; `before` runs at each look, in the midst of a check."""

    names: Sequence[str] = NAMES
    before: Callable[[], None] = lambda: None
    name: str = field(default="names", init=False)

    @property
    def signature(self) -> str:
        return f"listed {list(self.names)}"

    def find(self, readings: Sequence[Reading]) -> Iterator[Finding]:
        self.before()
        for name in self.names:
            for reading in readings:
                for match in re.finditer(re.escape(name), reading.view.text):
                    yield Finding("name", *reading.view.span(*match.span()), "names")


@dataclass
class Office(Company):
    """The company; `kernel` checks with rules and the listed names."""

    def note(self, body: str, who: str = "agent", **fields: Any) -> httpx.Response:
        sent = {"kind": "procedure", "title": "Como proceder", "body": body, **fields}
        if who != "agent":
            sent["source_id"] = self.source_id
        return self.ask(who, "POST", NOTES, sent)

    def kept(self, body: str, **fields: Any) -> str:
        """The id of a note that was kept."""
        answer = self.note(body, **fields)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["note"]["note_id"])

    def refused(self, body: str, **fields: Any) -> list[str]:
        """The kinds for which a note was refused; none when it was kept."""
        answer = self.note(body, **fields)
        if answer.status_code == 201:
            return []
        assert answer.json()["code"] == "personal_data_in_agent_memory", answer.text
        return list(answer.json()["kinds"])

    def word(self, term: str, reason: str = "company", who: str = "owner", **more: Any) -> httpx.Response:
        return self.ask(who, "POST", WORDS, {"term": term, "reason": reason, **more})

    def customer(self, name: str | None = None, who: str = "owner", **handles: str) -> httpx.Response:
        """One known customer; handles by their type."""
        return self.ask(who, "POST", PEOPLE, {"items": [a_customer(name, **handles)]})

    def status(self, note_id: str) -> str:
        return str(self.ask("agent", "GET", f"{NOTES}/{note_id}").json()["status"])

    def acts(self, action: str) -> list[dict[str, Any]]:
        return [receipt for receipt in self.receipts() if receipt["action"] == action]


def a_customer(name: str | None = None, **handles: str) -> dict[str, Any]:
    listed = [{"type": kind, "value": value} for kind, value in handles.items()]
    return {**({} if name is None else {"name": name}), **({"handles": listed} if listed else {})}


def with_names(kernel: Kernel, names: ListedNames) -> Kernel:
    return replace(kernel, detectors=Detectors.of(Structured(), names))


def at_work(company: Company, kernel: Kernel) -> Office:
    """The company served by this kernel. The caller enters its client."""
    client = TestClient(make_app(kernel, all_routes()))
    return Office(kernel, client, company.applied, company.bearers)


def open_office(kernel: Kernel, names: ListedNames) -> Office:
    office = at_work(found(kernel), with_names(kernel, names))
    limits = {"writes_per_hour": 10_000, "refusals_per_hour": 10_000}
    office.ask("owner", "PATCH", "settings", {"agent_memory": {"enabled": True, **limits}})
    return office
