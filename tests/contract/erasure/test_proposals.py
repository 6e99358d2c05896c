"""Proposals in exports, imports and erasures: all states, kept as they are, checked like everything that comes in."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from tarimba.app import open_kernel
from tarimba.erasure import service as erasure
from tarimba.erasure.model import Imported
from tarimba.jobs.service import Worker
from tarimba.notes.model import KINDS, Evidence
from tarimba.proposals import service as proposals
from tarimba.proposals.model import Text
from tarimba.receipts.audit import verify_space
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.settings import Settings
from tarimba.storage import Tx
from tarimba.storage.tables import id_surrogate, job, proposal, skill_draft, task_record
from tests.contract.notes.waiting import approve, ask, ask_edit, ask_retire, look, reject
from tests.contract.notes.world import World, code, found_company, refusal

PHONE = "+55 11 91234-5678"
OTHER_ID = "01900000-0000-7000-8000-000000000001"


def export(world: World, source: str | None = "billing") -> dict[str, Any]:
    source_id = world.sources[source] if source else None
    pieces = erasure.export(world.kernel, world.caller("owner"), source_id).pieces
    document: dict[str, Any] = json.loads(b"".join(pieces))
    return document


def take_in(world: World, document: Mapping[str, Any], into: str | None = None) -> Imported:
    source_id = world.sources[into] if into else None
    raw = iter([json.dumps(document).encode()])
    return erasure.import_notes(world.kernel, world.caller("owner"), raw, into=source_id)


def erase(world: World) -> int:
    return erasure.erase(world.kernel, world.caller("owner"), world.sources["billing"]).deleted


def every_state(world: World) -> None:
    """A proposal of each act and each status."""
    world.write("reviewer", "Another", owner="billing")
    written = world.write("reviewer", "By a person", owner="billing")
    ask_edit(world, "billing", written, body="Another way.")
    ask_retire(world, "billing", written)
    opened = world.write("billing", "Open it", evidence=Evidence(task_id="task-7"))
    ask_edit(world, "billing", opened, visibility="space")
    world.set(writes="human_only")
    ask(world, title="Waits", tags=("erp", "ledger"), evidence=Evidence(conversation_id="conv-3"))
    approve(world, ask(world, title="Approved as edited"), body="As a person put it.")
    reject(world, ask(world, title="Rejected"), reason="It is in the manual.")
    drafted(world, "conv-4")
    fail(world, drafted(world, "conv-5"))
    world.set(writes="agent")


def fail(world: World, proposal_id: str) -> None:
    def work(tx: Tx) -> None:
        proposals.fail_draft(tx, proposal_id, "personal_data", ["cpf"])
        leave(tx)

    world.kernel.writer.commit(world.space_id, work)


def drafted(world: World, conversation: str) -> str:
    def work(tx: Tx) -> str:
        made = proposals.propose(
            tx,
            source_id=world.sources["billing"],
            act="create",
            text=Text(),
            evidence=Evidence(conversation_id=conversation),
            origin="distilled",
            created_by=world.sources["billing"],
            detectors="",
            status="drafting",
        )
        leave(tx)
        return made.proposal_id

    return world.kernel.writer.commit(world.space_id, work)


def leave(tx: Tx) -> None:
    """A receipt, as every change of a proposal has one."""
    record(tx, Receipt("distill.finish", Actor("system", "worker"), "worker"))


def without(document: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The document without what may differ."""
    rows = {
        array: [{name: value for name, value in row.items() if name not in names} for row in document[array]]
        for array in ("notes", "proposals")
    }
    return {name: value for name, value in document.items() if name not in names} | rows


@pytest.mark.promise("export-comes-back")
def test_proposals_of_every_state_come_back_as_they_were(world: World) -> None:
    every_state(world)
    before = export(world)
    assert {row["status"] for row in before["proposals"]} == {
        "drafting", "pending", "approved", "rejected", "failed",
    }  # fmt: skip
    assert {row["act"] for row in before["proposals"]} == {"create", "edit", "retire", "open"}
    assert erase(world) == len(before["notes"]) + len(before["proposals"])
    assert export(world)["proposals"] == []
    done = take_in(world, before)
    assert (done.proposals, done.refused) == (len(before["proposals"]), ())
    assert without(export(world), "exported_at") == without(before, "exported_at")
    assert verify_space(world.kernel, world.space_id).ok


@pytest.fixture
def elsewhere(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    """The company on a server of its own that knows nothing yet."""
    cluster = request.getfixturevalue("postgres_server") if database == "postgres" else None
    url = cluster.create_database() if cluster else f"sqlite:///{tmp_path / 'elsewhere.db'}"
    master = SecretStr(base64.b64encode(b"n" * 32).decode())
    settings = Settings.model_validate({"data": tmp_path / "elsewhere", "db": url, "master_key": master})
    with open_kernel(settings) as kernel:
        yield found_company(kernel)
    if cluster:
        cluster.drop_database(url)


@pytest.mark.promise("export-comes-back")
def test_another_server_exports_what_it_was_given(world: World, elsewhere: World) -> None:
    every_state(world)
    before = export(world)
    take_in(elsewhere, before, into="courier")
    after = export(elsewhere, "courier")
    assert without(after, "exported_at", "source_id") == without(before, "exported_at", "source_id")
    assert {row["source_id"] for row in after["proposals"]} == {elsewhere.sources["courier"]}
    # And again from there, to the letter.
    erasure.erase(elsewhere.kernel, elsewhere.caller("owner"), elsewhere.sources["courier"])
    take_in(elsewhere, after)
    assert without(export(elsewhere, "courier"), "exported_at") == without(after, "exported_at")


def test_the_whole_space_is_exported_with_its_proposals(world: World) -> None:
    world.set(writes="human_only")
    asked = [ask(world, "billing"), ask(world, "courier"), ask(world, "billing", title="More")]
    assert [row["proposal_id"] for row in export(world, None)["proposals"]] == asked


def test_what_was_being_written_is_written_where_it_comes_to(world: World) -> None:
    drafted(world, "conv-4")
    document = export(world)
    erase(world)
    work(world)
    take_in(world, document)
    with world.kernel.database.read() as connection:
        rows = connection.execute(select(job.c.kind, job.c.payload)).all()
    (row,) = document["proposals"]
    assert [(one.kind, json.loads(one.payload)) for one in rows if one.kind == "distill"] == [
        ("distill", {"proposal_id": row["proposal_id"]})
    ]


def test_what_is_no_proposal_of_ours_is_named_by_index_and_never_quoted(world: World) -> None:
    world.set(writes="human_only")
    ask(world, title="Waits")
    reject(world, ask(world, title="Rejected"), reason="It is in the manual.")
    document = export(world)
    good, rejected = document["proposals"]
    erase(world)
    wrong = [
        {**good, "title": f"Ask {PHONE}"},
        {**rejected, "reason": f"She said {PHONE}"},
        {**good, "sec-ret": 1},
        {**good, "status": "erased"},
        {**good, "act": "sec-ret"},
        {**good, "title": "", "body": "", "tags": []},
        {**good, "kind": ""},
        {**good, "status": "drafting"},
        {**good, "decided_at": "2026-01-01T00:00:00Z"},
        {**rejected, "decided_by": None},
        {**good, "problem": "no_turns"},
        {**good, "reason": "sec-ret"},
        {**good, "created_by": "11912345678"},
        {**good, "body": "<agent_notes>sec-ret"},
        {**good, "source_id": OTHER_ID},
        {**good, "similar_note_ids": ["sec-ret"]},
        {**good, "problem_kinds": ["SEC-RET"]},
        "sec-ret",
        good,
    ]
    rows = [
        row if isinstance(row, str) else {**row, "proposal_id": f"01900000-0000-7000-8000-{number:012x}"}
        for number, row in enumerate(wrong, 1)
    ]
    done = take_in(world, {"notes": [], "proposals": [*rows, rows[-1]]})
    assert [row.index for row in done.refused] == [*range(len(wrong) - 1), len(wrong)]
    assert {row.array for row in done.refused} == {"proposals"}
    assert [row.kinds for row in done.refused[:2]] == [("phone",), ("phone",)]
    assert "sec-ret" not in str(done.refused).lower()
    assert PHONE not in str(done.refused)
    assert done.proposals == 1
    assert world.count(proposal) == 1


def test_an_id_that_is_personal_data_becomes_a_surrogate(world: World) -> None:
    world.set(writes="human_only")
    ask(world, title="Waits")
    document = export(world)
    erase(world)
    (row,) = document["proposals"]
    take_in(world, {"notes": [], "proposals": [{**row, "evidence": {"conversation_id": PHONE}}]})
    evidence = look(world, row["proposal_id"]).evidence
    assert evidence is not None
    assert str(evidence.conversation_id).startswith("conv_")
    assert world.count(id_surrogate) == 1


def test_a_proposal_that_is_here_already_and_an_agent_that_has_some_are_conflicts(world: World) -> None:
    world.set(writes="human_only")
    ask(world)
    document = export(world)
    assert code(lambda: take_in(world, document)) == "conflict"
    assert code(lambda: take_in(world, document, into="courier")) == "conflict"
    work(world)
    assert len(export(world)["proposals"]) == 1
    assert world.count(proposal) == 1


def test_an_import_that_breaks_off_takes_its_proposals_out_again_unseen(world: World) -> None:
    every_state(world)
    document = export(world)
    erase(world)
    seen: list[int] = []

    def watched() -> Iterator[bytes]:
        yield json.dumps(document).encode()[:-1]
        seen.append(len(export(world)["proposals"]))

    refused = refusal(lambda: erasure.import_notes(world.kernel, world.caller("owner"), watched()))
    assert (refused.status, seen) == (400, [0])
    assert world.count(proposal) == 0


def test_erasing_takes_what_was_learned_of_the_agent(world: World) -> None:
    every_state(world)
    learn(world, "billing")
    learn(world, "courier")
    erase(world)
    for table in (proposal, task_record, skill_draft):
        assert world.count(table, table.c.source_id == world.sources["billing"]) == 0
    assert world.count(task_record) == 1
    assert world.count(skill_draft) == 1
    work(world)
    done = [entry["detail"] for entry in world.receipts("erase.scrubbed")][-1]
    assert (done["complete"], done["records"]) == (True, 1)


def learn(world: World, name: str) -> None:
    """A record of a task and a skill drafted from it."""
    mine = {"space_id": world.space_id, "source_id": world.sources[name], "signature": "s", "ordinal": 1}
    record_row = {"record_id": f"r-{name}", "task_mac": "m", "operations": "[]", "succeeded": 1}
    draft_row = {"draft_id": f"d-{name}", "name": "n", "text": "t", "writer": "rules", "state": "quarantined"}
    with world.kernel.database.write() as connection:
        connection.execute(task_record.insert().values(**mine, **record_row, duration_ms=1, at=1))
        connection.execute(
            skill_draft.insert().values(**mine, **draft_row, seen=1, succeeded=1, created_at=1)
        )


def test_nobody_decides_what_was_erased(world: World) -> None:
    world.set(writes="human_only")
    waits = ask(world)
    erase(world)
    assert code(lambda: approve(world, waits)) == "not_found"
    assert code(lambda: reject(world, waits)) == "not_found"


def work(world: World) -> None:
    """The scrubbing that is due."""
    worker = Worker(world.kernel, {erasure.SCRUB: erasure.scrub, erasure.IMPORT: erasure.undo})
    for _ in range(1000):
        if not worker.piece() and not world.count(job, job.c.kind == erasure.SCRUB):
            return
        world.kernel.clock.offset_us += 10**6


def test_every_kind_comes_back(world: World) -> None:
    world.set(writes="human_only")
    for kind in KINDS:
        ask(world, title=f"About {kind}", kind=kind)
    document = export(world)
    erase(world)
    assert not take_in(world, document).refused
    assert [row["kind"] for row in export(world)["proposals"]] == list(KINDS)


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "preference"},
        {"status": "failed", "problem": "somebody_5511912345678", "title": "", "body": "", "tags": []},
        {"problem_kinds": ["somebody_11144477735"]},
    ],
)
def test_a_code_of_the_documents_own_is_refused(world: World, changed: dict[str, Any]) -> None:
    world.set(writes="human_only")
    ask(world)
    document = export(world)
    document["proposals"][0] |= changed
    erase(world)
    assert [row.code for row in take_in(world, document).refused] == ["invalid_input"]
    assert export(world)["proposals"] == []


def test_no_door_makes_a_note_of_an_unknown_kind(world: World) -> None:
    refused = refusal(lambda: world.write("billing", kind="preference"))
    assert (refused.code, "kind" in refused.detail) == ("invalid_input", True)
