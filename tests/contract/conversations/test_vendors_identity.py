"""Who the customer is, said by another vendor's agent: evidence only where the space opens customers across vendors."""

from __future__ import annotations

from typing import Any

import pytest

from tarimba.storage.tables import conversation, handle, identity_link
from tests.contract.conversations.talks import EMAIL, PHONE, VISITOR, Talks, event, item

pytestmark = pytest.mark.promise("identity-own-vendor")

ACROSS = "conversations.across_vendors"
NORTH, SOUTH = "billing", "courier"


def timeline(talks: Talks, customer: dict[str, Any]) -> set[str]:
    """What an agent of North reads of a customer."""
    body = {"subject": {name: customer[name] for name in ("type", "value")}}
    answer = talks.ask("POST", "/v1/history/timeline", NORTH, json=body)
    assert answer.status_code == 200, answer.text
    return {one["text"].removeprefix("customer: ") for one in answer.json()["items"]}


def link_of(talks: Talks) -> str:
    found = talks.record("c-n", who=NORTH)
    assert found is not None
    return found.link


@pytest.mark.parametrize("opened", [False, True])
def test_a_claim_puts_no_other_vendors_conversation_in_doubt(talks: Talks, opened: bool) -> None:
    talks.setting(ACROSS, value=opened)
    talks.sent(event("eins", handles=[VISITOR], conversation_id="c-n"), who=NORTH)
    talks.sent(event("zwei", handles=[EMAIL], conversation_id="c-s"), who=SOUTH)
    claim = item("identify", handles=[VISITOR, EMAIL], method="declared", conversation_id="c-s")
    talks.sent(claim, who=SOUTH)
    assert link_of(talks) == "none"
    talks.sent(event("drei", handles=[VISITOR], conversation_id="c-n"), who=NORTH)
    assert link_of(talks) == "none"
    # South's own is in doubt, and so would North's be by a claim of its own.
    assert {row.caller_id: row.link for row in talks.rows(conversation)} == {
        "c-n": "none",
        "c-s": "unconfirmed",
    }
    talks.sent(claim | {"idempotency_key": "n", "conversation_id": None}, who=NORTH)
    assert link_of(talks) == "unconfirmed"


def test_a_proof_joins_another_vendors_customers_only_where_that_is_open(talks: Talks) -> None:
    talks.sent(
        event("eins", handles=[PHONE], conversation_id="c-1"),
        event("zwei", handles=[EMAIL], conversation_id="c-2"),
    )
    talks.sent(item("identify", handles=[PHONE, EMAIL], method="explicit_identify"), who=SOUTH)
    talks.sent(event("drei", handles=[EMAIL], conversation_id="c-3"), who=SOUTH)
    assert timeline(talks, PHONE) == {"eins"}
    assert timeline(talks, EMAIL) == {"zwei"}
    assert len({row.profile_id for row in talks.rows(handle)}) == 3
    talks.setting(ACROSS, value=True)
    assert timeline(talks, PHONE) == timeline(talks, EMAIL) == {"eins", "zwei", "drei"}


def test_a_proof_settles_no_claim_of_another_vendor(talks: Talks) -> None:
    claim = item("identify", handles=[PHONE, EMAIL], method="declared", conversation_id="c-n")
    talks.sent(event("eins", handles=[PHONE], conversation_id="c-n"), claim)
    assert link_of(talks) == "unconfirmed"
    talks.sent(item("identify", handles=[PHONE, EMAIL], method="login"), who=SOUTH)
    assert link_of(talks) == "unconfirmed"
    assert sorted(row.state for row in talks.rows(identity_link)) == ["confirmed", "unconfirmed"]
    talks.sent(item("identify", handles=[PHONE, EMAIL], method="login"))
    assert link_of(talks) == "confirmed"
