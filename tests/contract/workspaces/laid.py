"""A workspace as provisioning makes it, with a row and a folder, for tests of what stands on it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import insert

from tarimba.harnesses.service import profile
from tarimba.identity.seats import Seat
from tarimba.ids import new_id
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.storage import Tx
from tarimba.storage.tables import workspace, workspace_project
from tests.contract.member_skills.desk import Desk
from tests.e2e.company import Place


def seat(desk: Desk, agent: str = "billing", member: str = "") -> Seat:
    ids = desk.company.space_id, desk.team, desk.company.sources[agent]
    return Seat(*ids, agent, profile(desk.harness), member or desk.member)


def lay(desk: Desk, project: str = "", agent: str = "billing", member: str = "") -> Path:
    """The workspace of the member, with a project if one is named. Its folder."""
    one = seat(desk, agent, member)
    folder = desk.api.kernel.settings.data / one.home / "workspace"
    folder.mkdir(parents=True, exist_ok=True)

    def work(tx: Tx) -> None:
        ids = {"space_id": tx.space_id, "workspace_id": new_id()}
        whose = {name: getattr(one, name) for name in ("subscription_id", "source_id", "person_id")}
        times = {"created_at": tx.now, "ordinal": tx.next_ordinal()}
        tx.write(insert(workspace).values(**ids, **whose, **times, provisioned="", provisioned_at=0))
        if project:
            folder.with_name(f"workspace-{project}").mkdir()
            tx.write(insert(workspace_project).values(**ids, **times, project=project, name=project))
        record(tx, Receipt("workspace.change", Actor("system", "test"), "worker"))

    desk.api.kernel.writer.commit(desk.company.space_id, work)
    return folder


def where(desk: Desk) -> list[str]:
    """The options of the command line that say where the data lies, and which space."""
    place: Place = desk.api.place
    return [
        "--data",
        str(place.data),
        *(["--db", place.db] if place.db else []),
        "--space",
        desk.company.slug,
    ]
