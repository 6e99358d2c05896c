"""Receipts in the Console: found, proved, told for a conversation, the whole log verified; what was altered is red."""

from __future__ import annotations

import re
from html import unescape

import pytest
from sqlalchemy import text

from tarimba.clock import SECOND
from tarimba.identity.model import Principal
from tarimba.identity.service import authenticate
from tarimba.jobs.service import Worker
from tarimba.proof import service as proof
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.cosignature import cosign
from tarimba.receipts.index import index
from tests.contract.console.visitor import Office, Visitor
from tests.e2e.company import MEMORY, Kept, log_of

PAYLOAD = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def said(one: Visitor) -> str:
    """The words of the page's own part, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", one.page.partition("<main")[2])).split())


def read_block(office: Office, who: str = "billing", **asked: str) -> Kept:
    return Kept.of(office.api.call(office.company, who, "GET", f"{MEMORY}/block", params=asked))


def speak(office: Office, conversation: str, who: str = "billing", stamp: str | None = None) -> None:
    """A turn of that agent, recorded."""
    turn = {
        "type": "event",
        "event": "message",
        "idempotency_key": f"{conversation}-{stamp}",
        "conversation_id": conversation,
        "speaker": {"role": "ai_agent"},
        "content": {"type": "text", "text": "Done."},
    }
    if stamp:
        turn["context_stamp"] = {"receipt_id": stamp}
    answer = office.api.call(office.company, who, "POST", "/v1/batch", json={"items": [turn]})
    assert answer.json()["accepted"] == 1, answer.text


def alter(office: Office, statement: str, **values: object) -> None:
    """What somebody with the database does behind the server's back."""
    with office.api.kernel.database.write() as connection:
        done = connection.execute(text(statement), {"space": office.company.space_id, **values})
        assert done.rowcount == 1


def alter_receipt(office: Office, seq: int) -> None:
    find = "SELECT entries FROM receipt_bundle WHERE space_id = :space AND first_seq = :seq"
    with office.api.kernel.database.read() as connection:
        entries = connection.execute(text(find), {"space": office.company.space_id, "seq": seq}).scalar_one()
    changed = bytes(entries).replace(b'"left_out":0', b'"left_out":1')
    assert changed != bytes(entries)
    change = "UPDATE receipt_bundle SET entries = :entries WHERE space_id = :space AND first_seq = :seq"
    alter(office, change, seq=seq, entries=changed)


def test_receipts_are_found_by_what_they_name_and_asking_leaves_one(office: Office) -> None:
    note = office.api.write(office.company)
    kept = read_block(office, conversation_id="conv-1")
    read_block(office, "support")
    billing, support = office.company.sources["billing"], office.company.sources["support"]
    auditor = office.enter("auditor")
    one = f'href="/console/receipts/{kept.id}"'
    day = log_of(office.api.kernel, office.company)[-1].document["at"][:10]
    for query, is_there in (
        ("", True),
        ("conversation=conv-1", True),
        ("conversation=conv-2", False),
        (f"agent={billing}&action=block.read", True),
        (f"agent={support}&action=block.read", False),
        (f"note={note['note_id']}", True),
        (f"kind=read&from={day}&to={day}", True),
        ("kind=admin", False),
        ("to=2020-01-01", False),
        (f"actor={billing}", True),
    ):
        assert auditor.open(f"/receipts?{query}").status_code == 200
        assert (one in auditor.page) is is_there, query
    assert "No receipts" in auditor.open("/receipts?task=unknown").text
    wrong = auditor.open("/receipts?note=nothing&conversation=conv-1")
    assert (wrong.status_code, 'value="conv-1"' in wrong.text) == (422, True)
    last = log_of(office.api.kernel, office.company)[-1].document
    assert (last["action"], last["via"]) == ("receipts.search", "console")


@pytest.mark.promise("receipt-proved")
def test_one_receipt_is_shown_with_its_proof_and_red_once_altered(office: Office) -> None:
    office.api.write(office.company)
    kept = read_block(office, conversation_id="conv-1")
    one = office.enter("auditor")
    page = one.open(f"/receipts/{kept.id}")
    assert page.status_code == 200
    assert "This receipt is what was written" in said(one)
    assert kept.leaf in said(one)
    assert re.search(rf"{kept.seq} of \d+", said(one))
    index(office.api.kernel, office.company.space_id)
    alter_receipt(office, kept.seq)
    for path in (f"/receipts/{kept.id}", f"/receipts/at/{kept.seq}"):
        one.open(path)
        assert "This receipt is not what was written" in said(one)
        assert "The bytes do not agree" in said(one)
    assert one.open("/receipts/0190aaaa-0000-7000-8000-000000000000").status_code == 404
    assert one.open("/receipts/at/999999").status_code == 404


@pytest.mark.promise("conversation-told")
def test_a_conversation_is_told_with_the_notes_as_they_were_and_who_approved_them(office: Office) -> None:
    api, company = office.api, office.company
    api.call(company, "owner", "PATCH", "/v1/admin/settings", json={"agent_memory": {"writes": "human_only"}})
    asked = {"kind": "procedure", "title": "Void invoices", "body": "Close the period first."}
    made = api.call(company, "billing", "POST", f"{MEMORY}/notes", json=asked).json()["proposal_id"]
    decided = api.call(company, "reviewer", "POST", f"{MEMORY}/proposals/{made}/approve", json={})
    assert decided.status_code == 200, decided.text
    note_id = decided.json()["note_id"]
    read_block(office, conversation_id="conv-1")
    changes = {"body": "Lock the period, then void."}
    edited = api.call(company, "owner", "PATCH", f"{MEMORY}/notes/{note_id}", json=changes)
    assert edited.status_code == 200, edited.text
    one = office.enter("auditor")
    one.open("/receipts/conversation?id=conv-1")
    told = said(one)
    assert "All of it agrees" in told
    assert "Close the period first." in told
    assert "Lock the period" not in told
    assert re.search(r"Written by billing, .* Approved by reviewer", told)
    assert "inferred" not in told
    alter(
        office,
        "UPDATE note_version SET body = 'Never close it.' WHERE space_id = :space AND note_id = :note",
        note=note_id,
    )
    one.open("/receipts/conversation?id=conv-1")
    assert "Something does not agree" in said(one)
    assert "the text does not agree" in said(one)
    assert "was altered past Tarimba" in one.open(f"/notes/{note_id}").text
    assert "was altered past Tarimba" not in one.open(f"/notes/{edited.json()['note_id']}").text


@pytest.mark.promise("conversation-told")
def test_reads_that_no_client_named_are_told_as_inferred(office: Office) -> None:
    office.api.write(office.company)
    earlier = read_block(office)
    stamped = read_block(office)
    last = read_block(office)
    one = office.enter("owner")
    # Looking at a preview gives nothing to the agent.
    one.open(f"/preview?agent={office.company.sources['billing']}")
    speak(office, "conv-silent")
    speak(office, "conv-stamped", stamp=stamped.id)
    later = read_block(office)
    one.open("/receipts/conversation?id=conv-silent")
    assert "inferred" in said(one)
    assert f'href="/console/receipts/{last.id}"' in one.page
    assert all(other.id not in one.page for other in (earlier, stamped, later))
    one.open("/receipts/conversation?id=conv-stamped")
    assert "said by the client" in said(one)
    assert f'href="/console/receipts/{stamped.id}"' in one.page
    assert last.id not in one.page
    assert "No reads" in one.open("/receipts/conversation?id=conv-unknown").text
    assert one.open("/receipts/conversation").status_code == 422


@pytest.mark.promise("verified-in-console")
def test_the_whole_log_is_verified_and_an_altered_one_is_red_with_its_first_bad_seq(office: Office) -> None:
    office.api.write(office.company)
    kept = read_block(office)
    read_block(office)
    one = office.enter("auditor")
    one.open("/receipts/verify")
    first = one.send("/receipts/verify")
    assert one.send("/receipts/verify").headers["location"] == first.headers["location"], (
        "joins what is under way"
    )
    one.follow(first)
    assert 'role="meter"' in one.page
    worker = Worker(office.api.kernel, {proof.CHECK: proof.work})
    assert worker.piece()
    one.follow(first)
    assert "Nothing wrong" in said(one)
    assert "Whether the whole database was put back" in said(one)
    alter_receipt(office, kept.seq)
    second = one.send("/receipts/verify")
    assert worker.piece()
    one.follow(second)
    assert f"The first wrong place is {kept.seq}." in said(one)
    assert "The receipt was altered" in said(one)
    assert "it does not have its stored hash" not in said(one)
    assert f'href="/console/receipts/at/{kept.seq}"' in one.page
    assert "Altered" in one.open("/receipts").text
    part = one.http.get(second.headers["location"], headers={"hx-request": "true"})
    assert part.headers["hx-redirect"] == second.headers["location"]


@pytest.mark.promise("witnesses-cosign")
def test_witnesses_and_what_they_saw_stand_beside_the_checkpoint(office: Office) -> None:
    kernel, one = office.api.kernel, office.enter("auditor")
    one.open("/receipts/verify")
    assert "No witness is named." in said(one)
    made = proof.latest(kernel, one_auditor(office))
    cosigned = cosign(made, "witness.example/w1", b"w" * 32, kernel.clock.now_us() // SECOND)
    proof.add_witness(kernel, a_person(office, "owner"), str(cosigned.key))
    one.open("/receipts/verify")
    assert "has not signed yet" in said(one)
    proof.take(kernel, one_auditor(office), made.note + cosigned.line)
    one.open("/receipts/verify")
    assert f"saw {made.size} receipts" in said(one)
    assert cosigned.line.strip() in said(one)


@pytest.mark.promise("bundles-verify")
def test_a_bundle_of_a_conversation_is_downloaded_and_verifies_without_the_server(office: Office) -> None:
    note = office.api.write(office.company)
    kept = read_block(office, conversation_id="conv-1")
    one = office.enter("auditor")
    one.open("/receipts/conversation?id=conv-1")
    assert 'href="/console/receipts/bundle?conversation=conv-1"' in one.page
    bundle = one.open("/receipts/bundle?conversation=conv-1").json()
    one.open("/receipts/verify")
    (key,) = proof.public_keys(office.api.kernel, one_auditor(office))
    assert str(key.public) in unescape(one.page)
    report = verify_bundle(bundle, key.public)
    assert report.ok
    assert report.revealed == {"conv-1": (kept.seq,)}
    assert note["note_id"] in {told.get("note_id") for told in report.receipts}


def one_auditor(office: Office) -> Principal:
    return a_person(office, "auditor")


def a_person(office: Office, who: str) -> Principal:
    return authenticate(office.api.kernel, office.company.bearers[who], "http")


def test_only_owners_and_auditors_ask_the_log(office: Office) -> None:
    paths = (
        "/receipts",
        "/receipts/conversation?id=c",
        "/receipts/bundle",
        "/receipts/verify",
        "/receipts/at/0",
    )
    for role, status in (
        ("owner", 200),
        ("auditor", 200),
        ("manager", 403),
        ("reviewer", 403),
        ("member", 403),
    ):
        one = office.enter(role)
        assert {one.open(path).status_code for path in paths} == {status}, role
        if status == 403:
            one.open("/account")
            assert one.send("/receipts/verify").status_code == 403


@pytest.mark.promise("console-inert")
def test_what_callers_and_agents_wrote_is_text(office: Office) -> None:
    office.api.write(office.company, title=f"T {PAYLOAD}", body=f"B {PAYLOAD} {{{{7*7}}}}")
    kept = read_block(office, conversation_id="conv-1")
    one = office.enter("owner")
    for path in (
        "/receipts/conversation?id=conv-1",
        f"/receipts?conversation={PAYLOAD}&actor={PAYLOAD}",
        f"/receipts?agent={PAYLOAD}",
        f"/receipts/conversation?id={PAYLOAD}",
        f"/receipts/{kept.id}",
    ):
        page = one.open(path)
        assert page.status_code == (422 if "agent=" in path else 200)
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
