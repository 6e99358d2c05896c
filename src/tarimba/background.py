"""The other half of the composition root: what is done beside requests, by whom and how often."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from tarimba.jobs.model import Handler
from tarimba.jobs.service import Upkeep, Worker
from tarimba.kernel import Kernel


@contextmanager
def working(kernel: Kernel, *, threads: int = 2, share: float = 0.3) -> Iterator[Callable[[], None]]:
    """Does the work beside the requests, recurring and asked for, until the block ends.

    `share` is the part of a processor's time that jobs take at most. What it gives tells them all to begin nothing
    more; they need not wait for each other then.
    """
    from tarimba.webhooks.sending import Sender

    upkeep, sender = _upkeep(kernel), Sender(kernel)
    worker = Worker(kernel, _handlers(), slow=_waiting_for_models(), threads=threads, share=share)
    upkeep.start()
    worker.start()
    sender.start()

    def wind_down() -> None:
        for one in (worker, sender, upkeep):
            one.wind_down()

    try:
        yield wind_down
    finally:
        wind_down()
        worker.stop()
        sender.stop()
        upkeep.stop(kernel.draining.left())


def _handlers() -> Mapping[str, Handler]:
    """Who does the jobs of each kind."""
    from tarimba.conversations import service as conversations
    from tarimba.distill import service as distill
    from tarimba.erasure import service as erasure
    from tarimba.evolution import service as evolution
    from tarimba.graph import service as graph
    from tarimba.notes import service as notes
    from tarimba.proof import service as proof
    from tarimba.skills import disk

    return {
        conversations.FORGET: conversations.erase,
        distill.JOB: distill.work,
        erasure.SCRUB: erasure.scrub,
        erasure.IMPORT: erasure.undo,
        erasure.ERASE_MEMBER: erasure.scrub_member,
        evolution.DRAFT_JOB: evolution.write_draft,
        evolution.ROUND_JOB: evolution.make_round,
        graph.IMPORT: graph.undo_import,
        notes.RESCAN: notes.scan,
        proof.CHECK: proof.work,
        disk.FLATTEN: disk.work,
    }


def _waiting_for_models() -> frozenset[str]:
    """The kinds of jobs that may wait a minute for somebody outside."""
    from tarimba.distill import service as distill
    from tarimba.evolution import service as evolution

    return frozenset({distill.JOB, evolution.DRAFT_JOB})


def _upkeep(kernel: Kernel) -> Upkeep:
    """What recurs: each looks for what is due and does a piece of it."""
    from tarimba.backup.service import Journal
    from tarimba.conversations import service as conversations
    from tarimba.evolution import service as evolution
    from tarimba.graph import service as graph
    from tarimba.notes.service import RescanOrders
    from tarimba.proof import service as proof
    from tarimba.proposals.service import scrub_due
    from tarimba.receipts import nodes
    from tarimba.receipts import upkeep as log
    from tarimba.skills.disk import Disk
    from tarimba.storage.statistics import Statistics
    from tarimba.webhooks import delivering
    from tarimba.workspaces.secret_delivery import SecretFiles
    from tarimba.workspaces.session_keeping import Keeping as Sessions

    return Upkeep(
        {
            "log.index": partial(log.catch_up, kernel),
            "log.nodes": partial(nodes.grow, kernel),
            "log.checkpoints": partial(proof.upkeep, kernel),
            "log.cold": proof.Cooling(kernel).piece,
            "journal.erasures": Journal(kernel).piece,
            "database.statistics": Statistics(kernel.database, kernel.clock).piece,
            "conversations.upkeep": conversations.Keeping(kernel).piece,
            "webhooks.tidy": partial(delivering.tidy, kernel),
            "graph.turns": partial(graph.forget_turns, kernel),
            "evolution.listen": partial(evolution.listen, kernel),
            "proposals.scrub": partial(scrub_due, kernel),
            "pii.rescan": RescanOrders(kernel).piece,
            "skills.disk": Disk(kernel).piece,
            "graph.embed": graph.Embedding(kernel).piece,
            "graph.changes": graph.Forgetting(kernel).piece,
            "workspaces.secrets": SecretFiles(kernel).piece,
            "workspaces.sessions": Sessions(kernel).piece,
        },
        metrics=kernel.telemetry.metrics,
    )
