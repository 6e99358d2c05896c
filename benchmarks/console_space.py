"""A large company for the Console: notes and receipts, a crowd of agents and people, and a member with a graph."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from benchmarks.graph import own
from benchmarks.seed import Seeded, fill
from tarimba.blocks.cache import BlockQuery
from tarimba.blocks.receipt import entry
from tarimba.blocks.service import load
from tarimba.clock import rfc3339
from tarimba.identity import hosting
from tarimba.kernel import Kernel
from tarimba.receipts.pending import PendingRead
from tarimba.workspaces.hosting import apply_text

_AT_ONCE: Final = 200
_VENDORS: Final = 20
_TEAM: Final = 600
_SUBSCRIPTIONS: Final = 200
_WORKSPACES: Final = 60
_WORDS: Final = 100
_BILLING: Final = (
    '[[vendor]]\nslug = "north"\n[[agent]]\nslug = "billing"\nvendor = "north"\nharness = "generic"'
)


@dataclass(frozen=True)
class Size:
    """How much there is of each thing."""

    notes: int = 10_000
    receipts: int = 100_000
    agents: int = 700
    people: int = 2_000
    entities: int = 2_000


def settle(kernel: Kernel, size: Size) -> tuple[Seeded, dict[str, str]]:
    """Fills an empty installation. Returns what was seeded, and by role the path of a link by which one comes in."""
    seeded = fill(kernel, size.notes)
    for part in _crowd(size):
        apply_text(kernel, part, "owner@example.com")
    graph = own(kernel, seeded.space_id, "person-0")
    graph.fill(0, size.entities)
    _read(kernel, seeded, size.receipts)
    host = hosting.host_of(kernel, None)
    who = {"owner": "owner@example.com", "member": "person-0@example.com"}
    return seeded, {
        role: str(hosting.link(kernel, host, email)["link"]).partition("/console")[2]
        for role, email in who.items()
    }


def _crowd(size: Size) -> Iterator[str]:
    """The rest of the company: files of its space, none with more than a transaction takes."""
    space = 'space = {slug = "bench", name = "Bench", language = "pt", environment = "test"}'
    vendors = [f'[[vendor]]\nslug = "crowd-{at}"' for at in range(_VENDORS)]
    for some in _pieces(_agents(size.agents)):
        yield "\n".join([space, *vendors, *some])
    for some in _pieces(_people(size.people)):
        yield "\n".join([space, *some])
    yield "\n".join([space, _BILLING, *_people(min(_TEAM, size.people)), *_seats(size.people)])


def _pieces(tables: Iterator[str]) -> Iterator[list[str]]:
    while some := list(islice(tables, _AT_ONCE)):
        yield some


def _agents(count: int) -> Iterator[str]:
    for at in range(count):
        yield f'[[agent]]\nslug = "crowd-{at}"\nvendor = "crowd-{at % _VENDORS}"'
        if at < _WORDS:
            yield f'[[agent.key]]\nname = "key-{at}"\nscopes = ["agent_memory"]'


def _people(count: int) -> Iterator[str]:
    for at in range(count):
        yield f'[[person]]\nslug = "person-{at}"\nemail = "person-{at}@example.com"\nroles = ["member"]'


def _seats(people: int) -> Iterator[str]:
    members = [f"person-{at}" for at in range(min(_TEAM, people))]
    yield f'[[subscription]]\nslug = "team"\nmembers = {members}'
    for at in range(_SUBSCRIPTIONS):
        yield f'[[subscription]]\nslug = "group-{at}"\nmembers = ["{members[at % len(members)]}"]'
    yield f'[[workspace]]\nsubscription = "team"\nagent = "billing"\nmembers = {members[:_WORKSPACES]}'
    for at in range(_WORDS):
        yield f'[[vocabulary]]\nterm = "Branch {at}"\nreason = "branch"'


def _read(kernel: Kernel, seeded: Seeded, count: int) -> None:
    """Reads of one agent's block, each with its receipt, as the endpoint makes them."""
    hot = load(kernel, seeded.large_key, BlockQuery(), "http")

    async def read(many: int) -> None:
        at = rfc3339(kernel.writer.now(seeded.space_id))
        loop = asyncio.get_running_loop()
        notes = (hot.block.etag, hot.notes_json)
        pending = [
            PendingRead(
                seeded.space_id,
                entry(hot, at, not_modified=False),
                generation=None,
                expires_at=None,
                notes=notes,
                key_id=hot.principal.key_id,
                loop=loop,
            )
            for _ in range(many)
        ]
        for one in pending:
            kernel.writer.submit(one)
        for one in pending:
            await one

    async def read_all() -> None:
        for begun in range(0, count, _AT_ONCE):
            await read(min(_AT_ONCE, count - begun))

    asyncio.run(read_all())
