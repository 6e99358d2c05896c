"""What the server itself writes verifies: notes through all their changes, blocks, imports and erasures."""

import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from tarimba.blocks.endpoint import PATH, BlockEndpoint
from tarimba.erasure import service as erasure
from tarimba.erasure.model import Imported
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Changes, Draft, Evidence, Filter, Note, Outcome
from tarimba.receipts.audit import verify_space
from tarimba.receipts.report import Report
from tarimba.receipts.search import Question, search
from tarimba.storage.tables import note_version
from tests.contract.notes.world import World, found_company


@pytest.fixture
def company(kernel: Kernel) -> World:
    return found_company(kernel)


@pytest.fixture
def note(company: World) -> Note:
    """The head of a chain of two; another note was retired and counted, a third is a person's."""
    kernel, agent = company.kernel, company.caller("billing")
    first = company.write(
        "billing", "Fechar o razão", tags=("erp",), evidence=Evidence(conversation_id="c-1")
    )
    gone = company.write("billing", "Void", valid_until=4_000_000_000_000_000)
    notes.record_outcome(kernel, agent, gone.note_id, Outcome(helped=True))
    notes.retire(kernel, agent, gone.note_id)
    company.write("reviewer", "Ask twice", owner="courier", visibility="space")
    return notes.edit(kernel, agent, first.note_id, Changes(body="Lock it — then <close>.\n\tAlways.")).kept


def verify(company: World) -> Report:
    return verify_space(company.kernel, company.space_id)


def take_in(company: World, document: bytes) -> Imported:
    chunks: Iterator[bytes] = (document[at : at + 500] for at in range(0, len(document), 500))
    return erasure.import_notes(company.kernel, company.caller("owner"), chunks)


def export(company: World) -> bytes:
    pieces = erasure.export(company.kernel, company.caller("owner"), company.sources["billing"]).pieces
    return b"".join(pieces)


def test_notes_and_blocks_verify_and_are_found(company: World, note: Note) -> None:
    headers = {"Authorization": f"Bearer {company.bearers['billing']}"}
    client = TestClient(BlockEndpoint(company.kernel), headers=headers)
    answers = [client.get(PATH, params={"conversation_id": "c-7", "view": "v"}) for _ in range(2)]
    again = client.get(PATH, headers={"If-None-Match": answers[0].json()["etag"]})
    tagged = client.get(PATH, params={"tags": ["erp"], "task_id": "t-1"})
    assert verify(company).lines()[1:2] == ["Nothing wrong was found."]
    asked = Question(conversation_id="c-7", action="block.read")
    found = search(company.kernel, company.caller("auditor"), asked).items
    assert [item.document["id"] for item in found] == [
        answer.json()["receipt_id"] for answer in answers[::-1]
    ]
    assert [item.document["detail"]["notes"] for item in found] == [
        answer.json()["notes"] for answer in answers
    ]
    by_note = search(
        company.kernel, company.caller("auditor"), Question(note_id=note.note_id, kind="read")
    ).items
    seqs = [
        answer.headers["tarimba-receipt"].split("seq=")[1].split(";")[0]
        for answer in (*answers, again, tagged)
    ]
    assert [str(item.seq) for item in by_note] == seqs[::-1]


@pytest.mark.promise("tampering-found")
def test_each_stored_field_of_a_note_is_bound(company: World, note: Note) -> None:
    assert verify(company).ok
    changes = {
        "title": "x", "body": "x", "kind": "pitfall", "tags": '["y"]', "visibility": "space", "evidence": None,
        "origin": "human", "version": 9, "supersedes_note_id": None, "valid_until": 1, "created_at": 1,
        "created_by": "x", "salt": "x", "line": "x", "content_hash": "0" * 64,
    }  # fmt: skip
    mine = note_version.c.note_id == note.note_id
    with company.kernel.database.read() as connection:
        before = connection.execute(select(note_version).where(mine)).one()._mapping
    for column, value in changes.items():
        undo = {column: before[column]}
        if undo == {column: value}:
            continue
        with company.kernel.database.write() as connection:
            connection.execute(update(note_version).where(mine).values({column: value}))
        assert verify(company).first_bad_seq == before["seq_from"], column
        with company.kernel.database.write() as connection:
            connection.execute(update(note_version).where(mine).values(undo))
    assert verify(company).ok


@pytest.mark.promise("erasure-keeps-receipts")
def test_exports_erasures_imports_and_undone_imports_verify(company: World, note: Note) -> None:
    document = export(company)
    erasure.erase(company.kernel, company.caller("owner"), company.sources["billing"])
    assert verify(company).ok
    with pytest.raises(Refusal):
        take_in(company, document[:-20])
    assert verify(company).ok
    take_in(company, document)
    report = verify(company)
    assert report.ok, report.lines()
    assert report.versions == len(json.loads(document)["notes"]) + 1
    notes.edit(company.kernel, company.caller("billing"), note.note_id, Changes(title="Close the ledger"))
    assert verify(company).ok


def test_a_note_of_an_import_is_found_by_its_id(company: World, note: Note) -> None:
    document = export(company)
    erasure.erase(company.kernel, company.caller("owner"), company.sources["billing"])
    take_in(company, document)
    found = search(company.kernel, company.caller("auditor"), Question(note_id=note.note_id, action="import"))
    assert len(found.items) == 1


def test_lists_and_drafts_of_any_form_verify(company: World) -> None:
    agent = company.caller("support")
    draft = Draft(
        "pitfall", "👩‍🔧 naïve “x” \\ / ", 'tab\tquote" back\\slash\u2028\nnew', tags=("a.b", "c:d")
    )
    notes.create(company.kernel, agent, draft)
    notes.list_notes(company.kernel, agent, Filter(tag="a.b"), limit=1)
    assert verify(company).ok
