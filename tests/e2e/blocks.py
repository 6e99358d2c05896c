"""One document of notes, and the blocks that every agent must be given of it, to the byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tarimba.blocks import service
from tarimba.blocks.query import read_query
from tarimba.erasure.service import import_notes
from tarimba.identity import spaces
from tarimba.identity.service import authenticate
from tarimba.kernel import Kernel
from tests.e2e.company import AGENTS, Company, found_in

DATA = Path(__file__).parents[1] / "data" / "blocks_e2e"
LANGUAGES = ("pt", "en")
TASKS = {"agent_memory.tasks.collect.object_types": ["invoice", "reminder"]}
QUERIES = (
    "", "max_tokens=50", "max_tokens=120", "max_tokens=2000", "tags=erp", "tags=erp&tags=ledger&max_tokens=700",
    "view=task:collect", "view=task:collect&tags=refund&max_tokens=500", "view=chat", "tags=No%20Such%20Tag",
)  # fmt: skip
Ask = Callable[[str, str], bytes]


def expected(language: str) -> Mapping[str, str]:
    """The answers of a space of that language up to the receipt's id, by agent and query."""
    found: Mapping[str, str] = json.loads((DATA / f"{language}.json").read_text(encoding="utf-8"))
    return found


def found_with_notes(kernel: Kernel, language: str) -> Company:
    """A company whose agents keep the notes of the document."""
    company = found_in(kernel, language=language)
    owner = authenticate(kernel, company.bearers["owner"], "http")
    spaces.change_settings(kernel, owner, TASKS, None)
    document = json.loads((DATA / "notes.json").read_text(encoding="utf-8"))
    for row in document["notes"]:
        row["source_id"] = row["created_by"] = company.sources[row["source_id"]]
    done = import_notes(kernel, owner, iter([json.dumps(document).encode()]))
    assert (done.versions, done.refused) == (len(document["notes"]), ())
    return company


def answers(ask: Ask) -> dict[str, str]:
    """What `ask` gives for every agent and query, up to the receipt's id."""
    return {
        f"{agent}?{query}": ask(agent, query).partition(b',"receipt_id"')[0].decode()
        for agent in AGENTS
        for query in QUERIES
    }


def cold(kernel: Kernel, company: Company) -> Ask:
    """Asks the kernel, which has never been asked before."""

    def ask(agent: str, query: str) -> bytes:
        principal = authenticate(kernel, company.bearers[agent], "http")
        return service.build(kernel, principal, read_query(query.encode()).query).body

    return ask
