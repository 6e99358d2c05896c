"""Who the customer is: one value for one person, proofs and claims, verification, what masks learn."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from tarimba.conversations import service
from tarimba.storage.tables import conversation, handle, identity_link, known_customer, profile, turn
from tests.contract.conversations.talks import EMAIL, PHONE, VISITOR, WHATSAPP, Talks, event, item

PROOFS = ("explicit_identify", "otp", "login", "system_import", "same_event", "accepted_suggestion")
CLAIMS = ("declared", "co_occurrence", "channel_rotation", "external_resolver")
OTHER = {"type": "phone_e164", "value": "+5511987650000"}


def link_of(talks: Talks, caller_id: str = "c-1") -> str:
    (row,) = [row for row in talks.rows(conversation) if row.caller_id == caller_id]
    return str(row.link)


@pytest.mark.promise("one-value-one-person")
@pytest.mark.parametrize(
    "written",
    [
        PHONE,
        {"type": "wa_jid", "value": "5511912345678@s.whatsapp.net"},
        {"type": "phone_e164", "value": "+55 (11) 91234-5678"},
        {"type": "phone", "value": "(11) 91234-5678"},
        {"type": "wa_id", "value": "551191234567 8"},
        {"type": "wa_id", "value": "5511912345678", "scope": "whatever"},
    ],
)
def test_one_telephone_is_one_person_however_it_is_written(talks: Talks, written: dict[str, Any]) -> None:
    talks.sent(event(handles=[WHATSAPP]), event(handles=[written]))
    assert len(talks.rows(handle)) == len(talks.rows(profile)) == 1


def test_the_ninth_digit_is_settled(talks: Talks) -> None:
    talks.sent(
        event(handles=[{"type": "wa_id", "value": "551191234567"}]),
        event(handles=[{"type": "wa_id", "value": "551181234567"}]),
        event(handles=[{"type": "phone_e164", "value": "+5511981234567"}]),
    )
    assert len(talks.rows(profile)) == 2


def test_addresses_and_documents_are_folded_and_other_ids_are_not(talks: Talks) -> None:
    talks.sent(
        event(handles=[EMAIL]),
        event(handles=[{"type": "email", "value": " SomeBody@Example.com"}]),
        event(handles=[{"type": "cpf", "value": "529.982.247-25"}]),
        event(handles=[{"type": "cpf", "value": "52998224725"}]),
        event(handles=[{"type": "system_id", "value": "C-1", "scope": "crm"}]),
        event(handles=[{"type": "system_id", "value": "C-1", "scope": "erp"}]),
        event(handles=[{"type": "system_id", "value": "c-1", "scope": "erp"}]),
        event(handles=[{"type": "new_kind", "value": "x"}]),
    )
    assert sorted(row.type for row in talks.rows(handle)) == [
        "cpf", "email", "other", "system_id", "system_id", "system_id",
    ]  # fmt: skip


def test_what_many_share_makes_nobody_a_customer(talks: Talks) -> None:
    staff = {"type": "system_id", "value": "U-17", "scope": "hr", "subject_kind": "staff"}
    domain = {"type": "email_domain", "value": "example.com"}
    talks.sent(event(handles=[staff]), event(handles=[domain]))
    assert not talks.rows(handle)
    assert link_of(talks) == "none"


def test_the_first_subject_is_meant_when_an_event_has_no_handles(talks: Talks) -> None:
    talks.sent(
        event(subjects=[{"kind": "person", "handles": [WHATSAPP]}, {"kind": "person", "handles": [OTHER]}])
    )
    assert [row.type for row in talks.rows(handle)] == ["whatsapp"]


def test_turns_without_a_handle_belong_to_the_conversations_customer(talks: Talks) -> None:
    talks.sent(event(handles=[WHATSAPP]), event("Olá", speaker={"role": "ai_agent"}))
    first, second = talks.rows(turn)
    assert first.profile_id == second.profile_id is not None


def test_handles_of_one_event_are_one_customers(talks: Talks) -> None:
    talks.sent(event(handles=[WHATSAPP]), event(handles=[EMAIL], conversation_id="c-2"))
    assert len(talks.rows(profile)) == 2
    talks.sent(event(handles=[EMAIL, WHATSAPP], conversation_id="c-3"))
    assert len({row.profile_id for row in talks.rows(handle)}) == 1
    (link,) = talks.rows(identity_link)
    assert (link.method, link.state) == ("same_event", "confirmed")
    merge(talks)
    assert len({row.profile_id for row in talks.rows(turn)}) == 1
    assert len({row.profile_id for row in talks.rows(conversation)}) == 1
    assert len(talks.rows(profile)) == 1


@pytest.mark.promise("claims-wait-for-proof")
@pytest.mark.parametrize("method", PROOFS)
def test_a_proof_makes_two_handles_one_customers(talks: Talks, method: str) -> None:
    talks.sent(event(handles=[WHATSAPP]), event("zwei", conversation_id="c-2", handles=[EMAIL]))
    talks.sent(item("identify", handles=[WHATSAPP, EMAIL], method=method, conversation_id="c-1"))
    merge(talks)
    assert len({row.profile_id for row in talks.rows(turn) if row.profile_id}) == 1
    assert {row.state for row in talks.rows(identity_link)} == {"confirmed"}
    assert link_of(talks) == "confirmed"


@pytest.mark.promise("claims-wait-for-proof")
@pytest.mark.parametrize("method", CLAIMS)
def test_a_claim_marks_the_conversation_until_the_same_pair_is_proven(talks: Talks, method: str) -> None:
    talks.sent(event(handles=[WHATSAPP]), event("zwei", conversation_id="c-2", handles=[EMAIL]))
    talks.sent(item("identify", handles=[WHATSAPP, EMAIL], method=method, conversation_id="c-1"))
    assert len({row.profile_id for row in talks.rows(handle)}) == 2
    assert (link_of(talks), link_of(talks, "c-2")) == ("unconfirmed", "confirmed")
    # A proof of another pair proves nothing of this one.
    talks.sent(item("identify", handles=[WHATSAPP, OTHER], method="otp"))
    assert link_of(talks) == "unconfirmed"
    # One more claim, or one of what is known, takes nothing back.
    talks.sent(item("identify", handles=[EMAIL, WHATSAPP], method="login"))
    assert link_of(talks) == "confirmed"
    talks.sent(item("identify", handles=[WHATSAPP, EMAIL], method=method, conversation_id="c-1"))
    assert link_of(talks) == "confirmed"
    record = talks.record()
    assert record is not None
    assert record.link == "confirmed"


def test_a_conversation_known_only_by_a_claim_says_so(talks: Talks) -> None:
    talks.sent(event(), item("identify", handles=[WHATSAPP, EMAIL], method="declared", conversation_id="c-1"))
    record = talks.record()
    assert record is not None
    assert record.link == "unconfirmed"


def test_a_visitor_is_nobody_until_somebody_is_claimed_and_then_proven(talks: Talks) -> None:
    talks.sent(event(handles=[VISITOR]))
    assert link_of(talks) == "none"
    talks.sent(item("identify", handles=[VISITOR, EMAIL], method="co_occurrence"))
    talks.sent(event(handles=[VISITOR], conversation_id="c-2"))
    assert (link_of(talks), link_of(talks, "c-2")) == ("unconfirmed", "unconfirmed")
    talks.sent(item("identify", handles=[VISITOR, EMAIL], method="login"))
    assert (link_of(talks), link_of(talks, "c-2")) == ("confirmed", "confirmed")


def test_three_handles_become_one_customer_across_batches(talks: Talks) -> None:
    for at, one in enumerate((WHATSAPP, EMAIL, OTHER)):
        talks.sent(event(f"turn {at}", handles=[one], conversation_id=f"c-{at}"))
    talks.sent(item("identify", handles=[EMAIL, OTHER], method="otp"))
    talks.sent(item("identify", handles=[OTHER, WHATSAPP], method="otp"))
    merge(talks)
    assert len(talks.rows(profile)) == 1
    assert len({row.profile_id for row in talks.rows(turn) if row.profile_id}) == 1


def test_verification_is_of_one_conversation(talks: Talks) -> None:
    talks.sent(event(), event(conversation_id="c-2"))
    talks.sent(item("verify", method="otp_sms", level="V2", handle=PHONE, conversation_id="c-1"))
    levels = {row.caller_id: (row.level, row.link) for row in talks.rows(conversation)}
    assert levels == {"c-1": ("V2", "confirmed"), "c-2": ("V0", "none")}
    talks.sent(item("verify", method="kba", level="no_customer", handle=PHONE, conversation_id="c-1"))
    assert {row.caller_id: row.level for row in talks.rows(conversation)}["c-1"] == "V0"


@pytest.mark.promise("known-only-when-proven")
def test_a_handle_that_was_shown_is_a_known_customers_and_one_that_was_told_is_not(talks: Talks) -> None:
    unseen = {"type": "passport", "value": "ZX1928374"}
    talks.sent(event("codigo ZX1928374 aqui", handles=[unseen]))
    talks.sent(item("identify", handles=[unseen, EMAIL], method="declared"))
    talks.sent(item("identify", handles=[unseen, EMAIL], method="explicit_identify"))
    assert not talks.rows(known_customer)
    talks.sent(item("identify", handles=[unseen, EMAIL], method="otp"))
    assert {row.kind for row in talks.rows(known_customer)} == {"passport", "email"}
    done = talks.sent(event("outra vez: ZX1928374", conversation_id="c-9"))
    assert talks.texts("c-9") == ["outra vez: [passport]"]
    assert done["masked"] == {"passport": 1}


def merge(talks: Talks) -> None:
    """Until nothing is left to be moved."""
    while service.keep_up(talks.world.kernel):
        pass


def test_merging_goes_on_in_parts(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarimba.conversations.forget_store.PART", 3)
    talks.sent(event(handles=[WHATSAPP], conversation_id="c-0"))
    talks.sent(*[event(f"turn {at}", handles=[EMAIL]) for at in range(10)])
    talks.sent(item("identify", handles=[EMAIL, WHATSAPP], method="otp"))
    query = select(turn.c.profile_id).where(turn.c.space_id == talks.world.space_id)
    with talks.world.kernel.database.read() as connection:
        before = set(connection.scalars(query))
    assert service.keep_up(talks.world.kernel)
    merge(talks)
    with talks.world.kernel.database.read() as connection:
        assert len(set(connection.scalars(query)) - {None}) == 1 < len(before - {None})
