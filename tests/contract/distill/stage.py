"""Recorded work in a company's space, and a worker to distil it. Turns are as their masks left them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sqlalchemy import insert, update

from tarimba.clock import SECOND
from tarimba.distill import service
from tarimba.distill.model import About
from tarimba.ids import new_id
from tarimba.jobs.service import Worker
from tarimba.kernel import Kernel
from tarimba.proposals.model import Proposal
from tarimba.proposals.service import find
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.tables import conversation, turn
from tests.contract.notes.world import World

WORK: tuple[dict[str, Any], ...] = (
    {"role": "customer", "text": "My invoice is wrong, please mend it."},
    {"role": "ai_agent", "kind": "action", "operation": "invoice.void", "objects": ["invoice"]},
    {
        "role": "ai_agent",
        "kind": "action",
        "operation": "order.reopen",
        "objects": ["order"],
        "result": "open",
    },
    {"role": "ai_agent", "text": "The invoice is void and the order is open again."},
)


def record_turns(
    world: World,
    name: str = "conv-1",
    turns: tuple[dict[str, Any], ...] = WORK,
    *,
    agent: str = "billing",
    link: str = "none",
    kind: str = "conversation",
) -> None:
    """Keeps turns of an agent under an id of its own."""

    def work(tx: Tx) -> None:
        key = world.kernel.keys.of(world.space_id)
        ref = new_id()
        row = {
            "space_id": tx.space_id,
            "conversation_ref": ref,
            "kind": kind,
            "mac": key.commit(name),
            "caller_id": name,
            "source_id": world.sources[agent],
            "link": link,
            "level": "V1",
            "started_at": tx.now,
            "last_at": tx.now,
            "ordinal": tx.next_ordinal(),
        }
        tx.write(insert(conversation), [row])
        for fields in turns:
            tx.write(insert(turn), [_turn(tx, world.sources[agent], ref, kind, fields)])
        record(tx, Receipt("turns.record", Actor("system", "cli"), "cli"))

    world.kernel.writer.commit(world.space_id, work)


def _turn(tx: Tx, source_id: str, ref: str, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    objects = [{"type": one, "namespace": "erp", "mac": "0" * 64} for one in fields.get("objects", ())]
    given = {name: value for name, value in fields.items() if name != "objects"}
    return {
        "space_id": tx.space_id,
        "turn_id": new_id(),
        "ordinal": tx.next_ordinal(),
        "source_id": source_id,
        "kind": "message",
        "channel": "chat",
        "conversation_ref" if kind == "conversation" else "task_ref": ref,
        "objects": json.dumps(objects),
        "occurred_at": tx.now,
        "recorded_at": tx.now,
        **given,
    }


def with_model(world: World, url: str, **options: Any) -> Kernel:
    """The kernel of a server that asks the model at that address."""
    settings = world.kernel.settings.model_copy(update={"llm_url": url, "llm_timeout_s": 20, **options})
    return replace(world.kernel, settings=settings)


def ask(
    world: World,
    who: str = "billing",
    name: str = "conv-1",
    *,
    source: str | None = None,
    kind: str = "conversation",
) -> Proposal:
    """Asks for a distillation; people and keys name the agent."""
    source_id = world.sources[source] if source else None
    about = About(kind, name)  # type: ignore[arg-type]
    return service.distill(world.kernel, world.caller(who), about, source_id=source_id).proposal


def work(world: World, kernel: Kernel | None = None) -> bool:
    """One piece of a worker. Whether there was one."""
    return Worker(kernel or world.kernel, {service.JOB: service.work}).piece()


def later(world: World, seconds: int) -> None:
    world.kernel.clock.offset_us += seconds * SECOND


def now(world: World, asked: Proposal) -> Proposal:
    """The proposal as it is stored."""
    with world.kernel.database.read() as connection:
        found = find(connection, world.space_id, asked.proposal_id)
    assert found is not None
    return found


def distilled(world: World, kernel: Kernel | None = None, name: str = "conv-1", **options: Any) -> Proposal:
    """Asked for and worked on: what came of it."""
    asked = ask(world, name=name, **options)
    assert asked.status == "drafting"
    assert work(world, kernel)
    return now(world, asked)


def age(world: World, microseconds: int) -> None:
    """Every turn happened that much earlier."""

    def change(tx: Tx) -> None:
        tx.write(
            update(turn)
            .where(turn.c.space_id == tx.space_id)
            .values(occurred_at=turn.c.occurred_at - microseconds)
        )
        record(tx, Receipt("turns.record", Actor("system", "cli"), "cli"))

    world.kernel.writer.commit(world.space_id, change)
