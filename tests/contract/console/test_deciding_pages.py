"""Overview, inbox, notes and preview: they say what the API says, and their actions do what they say."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.contract.console.visitor import Office, Visitor
from tests.e2e.company import MEMORY, NOTE

PERSONAL = "Call 11 98765-4321 first."
FORM = {
    "kind": "procedure",
    "title": "Void invoices",
    "body": "Close the period first.",
    "tags": "erp",
    "visibility": "source",
}


def propose(office: Office, **fields: str) -> str:
    """A note of an agent that waits for a person."""
    office.api.call(
        office.company,
        "owner",
        "PATCH",
        "/v1/admin/settings",
        json={"agent_memory": {"writes": "human_only"}},
    )
    answer = office.api.call(office.company, "billing", "POST", f"{MEMORY}/notes", json=NOTE | fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["proposal_id"])


def shown_text(one: Visitor) -> str:
    """The words of the page, without its tags."""
    return unescape(re.sub(r"<[^>]+>", " ", one.page))


@pytest.mark.promise("console-decides")
def test_a_proposal_is_edited_and_approved_and_the_next_one_shown(office: Office) -> None:
    first, second = propose(office), propose(office, title="Print receipts again")
    one = office.enter("reviewer")
    assert NOTE["title"] in one.open("/inbox").text
    one.open(f"/inbox/{first}")
    sent = one.send(f"/inbox/{first}/approve", **FORM | {"body": "Lock the period, then void."})
    assert sent.headers["location"].startswith(f"/console/inbox/{second}?done=inbox.done_approved~")
    kept = office.api.call(office.company, "billing", "GET", f"{MEMORY}/notes").json()["items"]
    assert [(note["title"], note["body"]) for note in kept] == [
        ("Void invoices", "Lock the period, then void.")
    ]
    assert office.api.actions(office.company).count("proposal.approve") == 1


@pytest.mark.promise("console-decides")
def test_a_text_with_personal_data_is_refused_marked_and_not_lost(office: Office) -> None:
    proposal = propose(office)
    one = office.enter("reviewer")
    one.open(f"/inbox/{proposal}")
    answer = one.send(f"/inbox/{proposal}/approve", **FORM | {"body": PERSONAL})
    assert answer.status_code == 422
    assert "<mark>11 98765-4321" in answer.text
    assert PERSONAL in shown_text(one)
    checked = one.http.post(
        "/console/inbox/check",
        data=FORM | {"body": PERSONAL, "form_token": re.findall(r'form_token" value="([^"]+)"', one.page)[0]},
        headers={"hx-request": "true"},
    )
    assert "<mark>11 98765-4321" in checked.text
    assert "proposal.approve" not in office.api.actions(office.company)


@pytest.mark.promise("console-decides")
def test_several_are_decided_at_once_and_one_is_rejected_with_a_reason(office: Office) -> None:
    ids = [propose(office, title=f"Rule {number}") for number in range(3)]
    one = office.enter("reviewer")
    one.open("/inbox")
    assert one.send("/inbox", proposal=ids[:2], decision="approve").status_code == 303
    one.open(f"/inbox/{ids[2]}")
    assert one.send(f"/inbox/{ids[2]}/reject", reason="Said already").status_code == 303
    again = one.send(f"/inbox/{ids[2]}/reject", reason="Said already")
    assert again.status_code == 409
    found = office.api.call(office.company, "owner", "GET", f"{MEMORY}/proposals/{ids[2]}").json()
    assert (found["status"], found["reason"]) == ("rejected", "Said already")


@pytest.mark.promise("console-decides")
def test_a_note_is_written_changed_and_retired_by_people(office: Office) -> None:
    one = office.enter("owner")
    one.open("/notes/new")
    made = one.send("/notes/new", agent=office.company.sources["billing"], **FORM)
    path = made.headers["location"].removeprefix("/console").partition("?")[0]
    assert "Close the period first." in one.open(path).text
    changed = one.send(path, **FORM | {"body": "Close it, then void."})
    newer = changed.headers["location"].removeprefix("/console").partition("?")[0]
    page = one.open(newer)
    assert "<ins>" in page.text
    assert "<del>" in page.text
    # A second tab still has the old version: nothing of either text is lost.
    late = one.send(path, **FORM | {"body": "Void at night."})
    assert late.status_code == 409
    assert "Void at night." in shown_text(one)
    assert "Somebody changed the note" in shown_text(one)
    assert re.search(r"\bthen\b", shown_text(one))
    one.open(f"{newer}/retire")
    assert one.send(f"{newer}/retire").status_code == 303
    assert office.api.actions(office.company)[-2:] == ["note.read", "note.retire"]


@pytest.mark.promise("console-preview")
def test_the_preview_has_the_bytes_that_the_agent_gets(office: Office) -> None:
    for number in range(30):
        office.api.write(
            office.company,
            "owner",
            title=f"Rule {number} <b>",
            body="Word after word, many of them. " * 4,
            tags=["erp"],
        )
    one = office.enter("auditor")
    asked = f"agent={office.company.sources['billing']}&tags=erp&max_tokens=200&view=task:close"
    one.open(f"/preview?{asked}")
    block = re.search(r'<div class="bytes" id="block"[^>]*>(.*?)</div>', one.page, re.DOTALL)
    answer = office.api.call(
        office.company, "billing", "GET", f"{MEMORY}/block?tags=erp&max_tokens=200&view=task:close"
    ).json()
    assert block is not None
    assert unescape(block[1]) == answer["text"]
    assert answer["etag"] in one.page
    assert one.open(f"/preview/text?{asked}").content == answer["text"].encode()
    assert one.open(f"/preview?{asked}&from=29").text.count('href="/console/notes/') == 1


def test_the_overview_counts_what_waits_was_refused_and_given_out(office: Office) -> None:
    office.api.write(office.company)
    office.api.call(office.company, "billing", "POST", f"{MEMORY}/notes", json=NOTE | {"body": PERSONAL})
    office.api.call(office.company, "billing", "GET", f"{MEMORY}/block")
    propose(office)
    one = office.enter("auditor")
    one.open("/overview")
    assert '<p class="figure-number">1</p>' in one.page
    said = shown_text(one)
    assert re.search(r"phone\s+1\b", said)
    assert re.search(r"\d\d/\d\d\s+1\b", said)
    member = office.enter("member")
    assert member.open("/overview").status_code == 403


@pytest.mark.promise("console-inert")
def test_what_agents_write_is_text_on_every_page(office: Office) -> None:
    payload = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    note = office.api.write(office.company, title=f"T {payload}", body=f"B {payload} {{{{7*7}}}}")
    proposal = propose(office, title=f"P {payload}", body=f"B {payload}")
    one = office.enter("owner")
    for path in (
        "/inbox",
        f"/inbox/{proposal}",
        "/notes",
        f"/notes/{note['note_id']}",
        "/preview",
        "/overview",
    ):
        page = one.open(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
