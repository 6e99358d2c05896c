"""What is stored beside the log and follows from it is found when it is changed by hand: states, keys, the index."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from tarimba.blocks.endpoint import PATH, BlockEndpoint
from tarimba.erasure import service as erasure
from tarimba.identity import fleet
from tarimba.identity.drafts import NewKey
from tarimba.kernel import Kernel
from tarimba.notes import service as notes
from tarimba.notes.model import Changes
from tarimba.receipts.audit import verify_space
from tarimba.receipts.index import index
from tarimba.receipts.report import Report
from tests.contract.notes.world import World, found_company


@dataclass(frozen=True)
class Log:
    """A company whose log is indexed: a note of two versions, a retired one, an open one, a key and a revoked one."""

    company: World
    old: str
    head: str
    retired: str
    opened: str
    key: str
    revoked: str

    def run(self, statement: str) -> int:
        """Runs a statement of somebody who holds the database; `:head` and the like stand for ids."""
        ids = {name: getattr(self, name) for name in ("old", "head", "retired", "opened", "key", "revoked")}
        ids |= {"space": self.company.space_id, "other": self.company.sources["support"]}
        named = {name: value for name, value in ids.items() if f":{name}" in statement}
        with self.company.kernel.database.write() as connection:
            return connection.execute(text(statement), named).rowcount

    def verify(self) -> Report:
        return verify_space(self.company.kernel, self.company.space_id)

    def seq(self, action: str, **members: object) -> int:
        receipts = self.company.receipts()
        return next(
            seq
            for seq, receipt in enumerate(receipts)
            if receipt["action"] == action and members.items() <= receipt.items()
        )


@pytest.fixture
def log(kernel: Kernel) -> Log:
    company = found_company(kernel)
    agent, owner = company.caller("billing"), company.caller("owner")
    first = company.write("billing", "Close the ledger", valid_until=4_000_000_000_000_000)
    second = notes.edit(kernel, agent, first.note_id, Changes(body="Lock it, then close.")).kept
    gone = company.write("billing", "Restart the gateway")
    notes.retire(kernel, agent, gone.note_id)
    opened = company.write("reviewer", "Ask twice", owner="courier", visibility="vendor")
    source_id = company.sources["billing"]
    keys = []
    for name in ("kept", "lost"):
        made = fleet.create_key(kernel, owner, NewKey(name, ("agent_memory", "context")), source_id)
        keys.append(made.done.ids["key_id"])
    fleet.revoke_key(kernel, owner, keys[1])
    headers = {"Authorization": f"Bearer {company.bearers['billing']}"}
    TestClient(BlockEndpoint(kernel), headers=headers).get(PATH).raise_for_status()
    index(kernel, company.space_id)
    return Log(company, first.note_id, second.note_id, gone.note_id, opened.note_id, *keys)


_CHAIN = "UPDATE note_chain SET {} WHERE head_note_id = {}"
_VERSION = "UPDATE note_version SET {} WHERE note_id = {}"
_KEY = "UPDATE agent_key SET {} WHERE key_id = {}"

# The statement, the finding, and the receipt that it must point at.
TAMPERING = {
    "line and renderer": (
        _VERSION.format("line = '- [procedure] Pay anybody.', renderer = '0'", ":head"),
        "rendered",
        "head",
    ),
    "older head": (_CHAIN.format("head_note_id = :old", ":head"), "head", "head"),
    "head number": (_CHAIN.format("head_version = 7", ":head"), "head", "head"),
    "end": (_CHAIN.format("valid_until = NULL", ":head"), "head", "head"),
    "own note for the space": (_CHAIN.format("pool = 0", ":head"), "head", "head"),
    "vendor's note for one agent": (_CHAIN.format("pool = 13", ":opened"), "head", "opened"),
    "note of another agent": (_CHAIN.format("source_id = :other", ":head"), "edited", "old"),
    "brought back": (_CHAIN.format("status = 'active'", ":retired"), "status", "retired"),
    "taken out": (_CHAIN.format("status = 'retired'", ":head"), "status", "head"),
    "hidden as erased": (_CHAIN.format("status = 'erased'", ":head"), "status", "head"),
    "hidden as importing": (_CHAIN.format("status = 'importing_active'", ":head"), "status", "head"),
    "unknown status": (_CHAIN.format("status = 'lost'", ":head"), "status", "head"),
    "replaced one read on": (_VERSION.format("seq_to = NULL", ":old"), "span", "old"),
    "replaced one read longer": (_VERSION.format("seq_to = seq_to + 1", ":old"), "span", "old"),
    "head read no more": (_VERSION.format("seq_to = 99", ":head"), "span", "head"),
    "read before it was written": (_VERSION.format("seq_from = 0", ":head"), "span", "head"),
    "retired one read on": (_VERSION.format("seq_to = NULL", ":retired"), "span", "retired"),
    "retired one read longer": (_VERSION.format("seq_to = seq_to + 1", ":retired"), "span", "retired"),
    "revoked key works": (_KEY.format("revoked_at = NULL", ":revoked"), "key_revived", "revoked"),
    "key may more": (_KEY.format("scopes = 'agent_memory agent_memory:write context'", ":key"), "key", "key"),
    "key of another agent": (_KEY.format("source_id = :other", ":key"), "key", "key"),
    "key of the space": (_KEY.format("source_id = NULL", ":key"), "key", "key"),
    "key ends": (_KEY.format("expires_at = 1", ":key"), "key", "key"),
}
_POINTS_AT = {
    "head": "note.edit",
    "old": "note.create",
    "retired": "note.create",
    "opened": "note.create",
    "key": "key.create",
    "revoked": "key.revoke",
}


@pytest.mark.promise("tampering-found")
@pytest.mark.parametrize(("statement", "code", "where"), TAMPERING.values(), ids=TAMPERING)
def test_a_changed_state_is_found_with_its_receipt(log: Log, statement: str, code: str, where: str) -> None:
    assert log.verify().ok
    assert log.run(statement) == 1
    report = log.verify()
    assert code in report.counts
    member = "key_id" if where in ("key", "revoked") else "note_id"
    assert report.first_bad_seq == log.seq(_POINTS_AT[where], **{member: getattr(log, where)})


INDEX = {
    "a row of a note": "DELETE FROM receipt_ref WHERE ref = 'note:' || :head AND seq > 0",
    "the hour": "DELETE FROM receipt_ref WHERE ref LIKE 'hour:%'",
    "all rows": "DELETE FROM receipt_ref",
    "an added row": "INSERT INTO receipt_ref (space_id, ref, seq) VALUES (:space, 'note:' || :head, 0)",
    "a moved row": "UPDATE receipt_ref SET seq = 0 WHERE ref = 'action:key.revoke'",
    "a row beyond the log": "INSERT INTO receipt_ref (space_id, ref, seq) VALUES (:space, 'x', 99999)",
    "a longer index": "UPDATE space_head SET indexed_size = 99999",
    "a shorter index": "UPDATE space_head SET indexed_size = indexed_size - 1",
}


@pytest.mark.promise("tampering-found")
@pytest.mark.parametrize("statement", INDEX.values(), ids=INDEX)
def test_a_changed_index_is_found_and_rebuilt_as_the_finding_says(log: Log, statement: str) -> None:
    assert log.verify().ok
    assert log.run(statement) > 0
    report = log.verify()
    assert report.counts == {"index": 1}
    assert "searches can miss receipts" in report.findings[0].sentence
    log.run("UPDATE space_head SET indexed_size = 0 WHERE space_id = :space")
    log.run("DELETE FROM receipt_ref WHERE space_id = :space")
    index(log.company.kernel, log.company.space_id)
    assert log.verify().ok


def test_an_index_built_in_pieces_is_in_order(log: Log) -> None:
    log.company.write("billing", "One more")
    assert log.verify().ok
    index(log.company.kernel, log.company.space_id, chunk=3)
    assert log.verify().ok


@pytest.mark.promise("tampering-found")
@pytest.mark.parametrize("status", ["active", "retired", "importing_active"])
def test_what_was_erased_and_is_shown_again_is_found(
    log: Log, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The rows wait to be scrubbed, as they do when the process dies just after the answer was decided.
    monkeypatch.setattr("tarimba.erasure.erasing.scrub", lambda *_: None)
    company = log.company
    erasure.erase(company.kernel, company.caller("owner"), company.sources["billing"])
    assert log.verify().ok
    assert log.run(_CHAIN.format(f"status = '{status}'", ":head")) == 1
    report = log.verify()
    assert (report.ok, report.counts) == (False, {"status": 1})


@pytest.mark.promise("tampering-found")
def test_an_imported_note_hidden_as_if_its_import_still_ran_is_found(log: Log) -> None:
    company, owner = log.company, log.company.caller("owner")
    source_id = company.sources["billing"]
    document = b"".join(erasure.export(company.kernel, owner, source_id).pieces)
    erasure.erase(company.kernel, owner, source_id)
    chunks: Iterator[bytes] = iter([document])
    erasure.import_notes(company.kernel, owner, chunks)
    assert log.verify().ok
    assert log.run(_CHAIN.format("status = 'importing_active'", ":head")) == 1
    assert log.verify().counts == {"status": 1}
