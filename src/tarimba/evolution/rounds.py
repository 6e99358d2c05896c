"""A round: what an agent does often and well becomes a candidate, which a worker then writes and reviews."""

from __future__ import annotations

import json
from typing import Final

from tarimba.errors import Refusal, not_found
from tarimba.evolution import record_store, rules, store
from tarimba.evolution.listening import catch_up
from tarimba.evolution.model import Habit, Round, RoundWish
from tarimba.identity import settings as space_settings
from tarimba.identity.changes import done, receipt_of
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.service import recheck
from tarimba.ids import is_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt, Recorded, Via
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.once import Done, OnceKey, once

DRAFT_JOB: Final = "evolution.draft"
ROUND_MAX: Final = 50
_WORKER: Final = Actor("system", "worker")
_EVERYTHING: Final = RoundWish()


def ask(
    kernel: Kernel, principal: Principal, wish: RoundWish = _EVERYTHING, *, once_key: OnceKey | None = None
) -> Round:
    """Makes candidates of what was done until now and has no draft yet, up to `ROUND_MAX`.

    Raises 403, 404 for an agent that there is not, and 409 `conflict` in a space that has no drafts made.
    """
    allow(principal, "evolve")
    catch_up(kernel, principal.space_id)
    found = _found(kernel, principal.space_id, wish)

    def run(tx: Tx) -> Done:
        recheck(tx, principal)
        return once(tx, once_key, lambda: _ask(tx, principal, wish, found))

    made = kernel.writer.commit(principal.space_id, run)
    receipt = receipt_of(made)
    assert receipt is not None
    return Round(tuple(json.loads(made.ids["drafts"])), made.ids["has_more"] == "1", receipt)


def work(kernel: Kernel, job: Job) -> None:
    """Handles the round that is due after so many tasks."""
    found = _found(kernel, job.space_id, _EVERYTHING)

    def run(tx: Tx) -> None:
        jobs.finish(tx, job)
        if space_settings.load(tx.connection, tx.space_id).evolution in rules.DRAFTING:
            _begin(tx, _WORKER, "worker", _EVERYTHING, found)

    kernel.writer.commit(job.space_id, run)


def _found(kernel: Kernel, space_id: str, wish: RoundWish) -> list[Habit]:
    """One more than a round takes. Grouping takes time, so it is done before the lock and looked at again under it."""
    with kernel.database.read() as connection:
        source_id = wish.source_id
        if source_id is not None and not (is_id(source_id) and store.slugs(connection, space_id, source_id)):
            raise not_found("agent")
        return record_store.habits(connection, space_id, wish, ROUND_MAX + 1)


def _ask(tx: Tx, principal: Principal, wish: RoundWish, found: list[Habit]) -> Done:
    if space_settings.load(tx.connection, tx.space_id).evolution not in rules.DRAFTING:
        raise Refusal(
            "conflict", "This space has no drafts made: set `evolution.mode` to `draft` or `apply` for that."
        )
    made, receipt = _begin(tx, principal.actor, principal.via, wish, found)
    has_more = "1" if len(found) > ROUND_MAX else "0"
    return done(202, receipt, drafts=json.dumps(made), has_more=has_more)


def _begin(tx: Tx, actor: Actor, via: Via, wish: RoundWish, found: list[Habit]) -> tuple[list[str], Recorded]:
    made = [store.add_candidate(tx, habit) for habit in record_store.still_open(tx, found[:ROUND_MAX], wish)]
    for draft_id in made:
        jobs.enqueue(tx, DRAFT_JOB, {"draft_id": draft_id})
    record_store.move_mark(tx, round_at=tx.now, tasks_since=0)
    detail = {"candidates": len(made), "again": wish.again}
    objects = {} if wish.source_id is None else {"source_id": wish.source_id}
    return made, record(tx, Receipt("evolution.round", actor, via, wish.source_id, objects, detail))
