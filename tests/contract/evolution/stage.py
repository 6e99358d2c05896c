"""Finished tasks of a company's agents, the listener and a worker, and a workspace to write skills into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import delete

from tarimba.app import all_routes
from tarimba.evolution import service
from tarimba.http.skin import make_app
from tarimba.ids import new_id
from tarimba.jobs.service import Worker
from tarimba.kernel import Kernel
from tarimba.storage.tables import space_setting
from tests.contract.conversations.talks import Talks, action, item
from tests.contract.notes.world import World

DRAFTS = "/v1/agent-memory/skill-drafts"
VOID = ("invoice.void", "order.reopen")


class Office(Talks):
    """Every URL over the world, with a folder of workspaces."""

    def __init__(self, world: World, workspaces: Path | None = None, **options: Any) -> None:
        options["workspaces"] = workspaces
        settings = world.kernel.settings.model_copy(update=options)
        world.kernel = replace(world.kernel, settings=settings)
        super().__init__(world)
        self._app = make_app(world.kernel, all_routes())
        self.workspaces = workspaces

    @property
    def kernel(self) -> Kernel:
        return self.world.kernel

    def mode(self, mode: str, every: int = 0) -> None:
        """Sets the mode of the space, and after how many tasks a round is made."""
        mine = (space_setting.c.space_id == self.world.space_id, space_setting.c.name.like("evolution.%"))
        with self.kernel.database.write() as connection:
            connection.execute(delete(space_setting).where(*mine))
        self.setting("evolution.mode", value=mode)
        self.setting("evolution.every_tasks", value=every)

    def did(
        self, *operations: str, times: int = 2, who: str = "billing", succeeded: bool | None = True
    ) -> None:
        """As many tasks with these operations, ended, as the agent tells of them."""
        for _ in range(times):
            task = new_id()
            items = [
                action(operation, task_id=task, conversation_id=None) for operation in operations or VOID
            ]
            told = {} if succeeded is None else {"succeeded": succeeded}
            self.sent(*items, item("task.ended", task_id=task, **told), who=who)

    def listen(self) -> None:
        """The listener until nothing is left."""
        while service.listen(self.kernel):
            continue

    def worker(self) -> Worker:
        handlers = {service.DRAFT_JOB: service.write_draft, service.ROUND_JOB: service.make_round}
        return Worker(self.kernel, handlers)

    def work(self) -> None:
        """Every job that is due."""
        worker = self.worker()
        while worker.piece():
            continue

    def round(self, who: str = "operator", **body: Any) -> httpx.Response:
        return self.ask("POST", f"{DRAFTS}/round", who, json=body)

    def drafted(self, **body: Any) -> list[dict[str, Any]]:
        """A round, the work on what it made, and those drafts, oldest first."""
        asked = self.round(**body)
        assert asked.status_code == 202, asked.text
        self.work()
        return [self.draft(draft_id) for draft_id in asked.json()["draft_ids"]]

    def one(self, **body: Any) -> dict[str, Any]:
        """The only draft of a round."""
        (made,) = self.drafted(**body)
        return made

    def draft(self, draft_id: str, who: str = "auditor") -> dict[str, Any]:
        answer = self.ask("GET", f"{DRAFTS}/{draft_id}", who)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def decide(self, draft_id: str, act: str, who: str = "operator", **options: Any) -> httpx.Response:
        return self.ask("POST", f"{DRAFTS}/{draft_id}/{act}", who, **options)

    def home(self, agent: str = "billing") -> Path:
        """The agent's folder, there from now on."""
        assert self.workspaces is not None
        folder = self.workspaces / self.world.space_id / agent
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def codes(answers: Sequence[httpx.Response]) -> list[int]:
    return [answer.status_code for answer in answers]
