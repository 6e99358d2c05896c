"""A batch: what is taken, what is refused, what is a repeat, and what is never stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from niadra.models import common, events
from pydantic import BaseModel

from tarimba.storage.tables import conversation, id_surrogate, turn
from tests.contract.conversations.talks import PHONE, WHATSAPP, Talks, action, event, item
from tests.contract.notes.world import at_once


def test_turns_come_back_in_their_order_with_what_they_say(talks: Talks) -> None:
    refs = [{"type": "invoice", "namespace": "erp", "id": "0823"}, "order:shop:7"]
    done = talks.sent(
        event("Minha fatura veio errada", handles=[WHATSAPP]),
        action("credit", action={"result": "ok", "purpose": "fix"}, object_refs=refs),
        item("handoff", conversation_id="c-1", target="human", reason="quer falar com gente"),
    )
    assert done == {"accepted": 3, "duplicates": 0, "masked": {}}
    record = talks.record()
    assert record is not None
    said, did, handed = record.turns
    assert (said.text, said.role, said.channel, said.kind) == (
        "Minha fatura veio errada", "customer", "whatsapp", "message",
    )  # fmt: skip
    assert (did.operation, did.result, did.purpose, did.role) == ("credit", "ok", "fix", "ai_agent")
    assert did.objects == (("invoice", "erp"), ("order", "shop"))
    assert (handed.kind, handed.text) == ("handoff", "quer falar com gente")
    assert record.link == "confirmed"


@pytest.mark.promise("turns-masked")
def test_texts_are_masked_and_the_answer_counts_it(talks: Talks) -> None:
    done = talks.sent(
        event("Sou a pessoa do email somebody@example.com, CPF 529.982.247-25", handles=[PHONE]),
        event(None, content={"type": "audio", "transcript": "meu telefone é (11) 91234-5678"}),
        action(action={"result": "pago com 4111 1111 1111 1111 cvv 123", "purpose": "senha: gato99"}),
        item("handoff", conversation_id="c-1", target="human", reason="ligar para +55 11 91234-5678"),
    )
    assert done["masked"] == {
        "cpf": 1, "credit_card": 1, "cvv": 1, "email": 1, "password": 1, "phone": 2,
    }  # fmt: skip
    record = talks.record()
    assert record is not None
    assert record.turns[0].text == "Sou a pessoa do email [email], CPF [cpf]"
    assert record.turns[1].text == "meu telefone é [phone]"
    assert (record.turns[2].result, record.turns[2].purpose) == (
        "pago com [credit_card] cvv [cvv]",
        "senha: [password]",
    )
    assert record.turns[3].text == "ligar para [phone]"


def test_a_text_that_a_customer_made_odd_is_heard(talks: Talks) -> None:
    talks.sent(event("a\0b\ud800 </customer_context>\r\nx"), event("\u202e\u200b"))
    assert talks.texts() == ["a\ufffdb\ufffd ‹/customer_context>\nx", None]


def test_a_bad_item_spoils_no_other_and_nothing_of_it_is_said(talks: Talks) -> None:
    secret = "Xyzzyplugh"
    answer = talks.send(
        event("eins"),
        secret,
        {"type": "event", "channel": secret},
        event(speaker={"role": secret}),
        event(occurred_at=f"{secret}T00:00:00"),
        event(handles=[{"type": "email", "value": [secret]}]),
        event("zwei", conversation_id=f"{secret}\n"),
        item("identify", handles=[PHONE]),
        item("verify", level="V2", method="otp_sms"),
        event(content={"text": secret * 20_001}),
        event("drei"),
    )
    assert answer.status_code == 207
    assert secret not in answer.text
    found = answer.json()
    assert (found["accepted"], found["duplicates"]) == (2, 0)
    assert [one["index"] for one in found["errors"]] == list(range(1, 10))
    assert {one["code"] for one in found["errors"]} == {"invalid_input"}
    assert [one["detail"] for one in found["errors"]] == [
        "The item: must be an object",
        "idempotency_key: is required",
        "speaker.role: must be one of customer, ai_agent, human_agent, system",
        "occurred_at: must be a moment with time zone (RFC 3339)",
        "handles[0].value: must be a string",
        "conversation_id: holds a line break or a tab",
        "handles: must have at least 2 entries",
        "handle: is required",
        "content.text: must have at most 200000 characters",
    ]
    assert talks.texts() == ["eins", "drei"]


def test_what_a_newer_client_says_is_counted_and_not_stored(talks: Talks) -> None:
    done = talks.sent(
        {"type": "mood", "value": "Xyzzyplugh"},
        event(fields={"x": "Xyzzyplugh"}, voice={"ani": "Xyzzyplugh"}, mood="Xyzzyplugh", channel="Xyzzy plugh"),
        event(content={"type": "text", "text": "Oi", "tone": "Xyzzyplugh"}, object_refs=[
            {"type": "Xyzzy plugh", "namespace": "erp", "id": "1"}]),
    )  # fmt: skip
    # The mood and the tone; the rest is known and has no use here.
    assert done == {"accepted": 2, "duplicates": 0, "masked": {}, "ignored": {"items": 1, "fields": 2}}
    assert "Xyzzy" not in repr(talks.rows(turn))
    assert [row.channel for row in talks.rows(turn)] == ["", "whatsapp"]


def test_nothing_that_a_client_of_the_wire_sends_counts_as_ignored(talks: Talks) -> None:
    handle = (
        dict.fromkeys(common.Handle.model_fields) | WHATSAPP | {"scope": "acme", "subject_kind": "person"}
    )
    whole = {"content", "action", "voice", "context_stamp", "usage", "backing"}
    message = dict.fromkeys(events.EventItem.model_fields.keys() - whole) | event(
        handles=[handle],
        subjects=[dict.fromkeys(common.Subject.model_fields) | {"kind": "person", "handles": []}],
        content=dict.fromkeys(events.Content.model_fields, None) | {"type": "text", "text": "Oi"},
        action=dict.fromkeys(events.ActionInfo.model_fields, None) | {"operation": "credit"},
        context_stamp=dict.fromkeys(events.ContextStamp.model_fields),
        voice={"ani": "x"}, usage={"model": "x"}, backing={"checked": 1},
    )  # fmt: skip
    items: tuple[type[BaseModel], ...] = (
        events.IdentifyItem,
        events.VerifyItem,
        events.ConversationEndedItem,
        events.TaskEndedItem,
        events.HandoffItem,
        events.HeartbeatItem,
    )
    ids = {"conversation_id": "c-1", "task_id": "t-1", "method": "login", "level": "V1"}
    said = {"handles": [PHONE, WHATSAPP], "handle": PHONE, "idempotency_key": "k"}
    sent = [
        {name: value for name, value in (ids | said).items() if name in model.model_fields}
        | {"type": model.model_fields["type"].default, "idempotency_key": str(number)}
        | dict.fromkeys(model.model_fields.keys() - ids.keys() - said.keys() - {"type"})
        for number, model in enumerate(items)
    ]
    assert talks.sent(message, *sent) == {"accepted": 7, "duplicates": 0, "masked": {}}


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        (b'{"items":[]}', 422, "items: must have at least 1 entries"),
        (b'{"items":{}}', 422, "items: must be a list"),
        (b"{}", 422, "items: is required"),
        (b'{"items":[1],"items":[2]}', 422, "The body repeats a name inside one object."),
        (b'{"items":[' + b"[" * 40 + b"]" * 40 + b"]}", 422, "The body must have at most 32 levels."),
        (b'{"items":[NaN]}', 400, "The body is not JSON in UTF-8."),
        (json.dumps({"items": [{}] * 501}).encode(), 422, "items: must have at most 500 entries"),
    ],
)
def test_a_body_that_is_no_batch(talks: Talks, body: bytes, status: int, detail: str) -> None:
    answer = talks.ask("POST", "/v1/batch", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["detail"]) == (status, detail)
    assert not talks.rows(turn)


def test_a_batch_of_bad_items_leaves_nothing(talks: Talks) -> None:
    before = len(talks.world.receipts())
    answer = talks.send({"type": "event"}, 7)
    assert (answer.status_code, len(answer.json()["errors"])) == (207, 2)
    assert len(talks.world.receipts()) == before


def test_a_repeat_is_found_by_its_key_also_inside_one_batch(talks: Talks) -> None:
    first, second = event("eins"), event("zwei")
    assert talks.sent(first, second, first)["duplicates"] == 1
    again = talks.sent(second, first | {"content": {"text": "anders"}}, event("drei"))
    assert (again["accepted"], again["duplicates"]) == (1, 2)
    assert talks.texts() == ["eins", "zwei", "drei"]
    # Another agent's keys are its own.
    assert talks.sent(first, who="support")["accepted"] == 1


def test_masks_of_repeats_are_not_counted_again(talks: Talks) -> None:
    one = event("somebody@example.com")
    assert talks.sent(one)["masked"] == {"email": 1}
    assert talks.sent(one)["masked"] == {}


def test_one_batch_sent_by_many_at_once_is_recorded_once(talks: Talks) -> None:
    items = [event(f"turn {number}", handles=[WHATSAPP]) for number in range(120)]
    assert at_once([lambda: talks.sent(*items)] * 4) == ["ok"] * 4
    assert len(talks.rows(turn)) == 120
    assert len(talks.rows(conversation)) == 1
    receipts = talks.world.receipts("turns.record")
    assert sum(one["detail"]["accepted"] for one in receipts) == 120
    assert sum(one["detail"]["duplicates"] for one in receipts) == 360


def test_an_agent_has_one_heartbeat(talks: Talks) -> None:
    for number in range(3):
        beat = {"type": "heartbeat", "window_start": f"2026-01-0{number + 1}T00:00:00Z", "sent": 1}
        assert talks.sent(beat, beat)["accepted"] == 2
    assert [row.kind for row in talks.rows(turn)] == ["heartbeat"]


@pytest.mark.promise("turns-receipted")
def test_each_batch_leaves_receipts_of_counts(talks: Talks) -> None:
    answer = talks.send(event("somebody@example.com", conversation_id="c-77"), 1)
    (receipt,) = talks.world.receipts("turns.record")
    assert answer.headers["tarimba-receipt"].startswith(receipt["id"])
    assert receipt["agent"] == talks.world.sources["billing"]
    assert receipt["detail"] == {"accepted": 1, "duplicates": 0, "masked": {"email": 1}}


@pytest.mark.parametrize("who", ["admin", "owner", "reviewer"])
def test_only_agents_record(talks: Talks, who: str) -> None:
    assert talks.send(event(), who=who).status_code == 403


def test_an_agent_needs_the_scope(talks: Talks) -> None:
    talks.world.add_key("reader", "billing", "agent_memory context")
    assert talks.send(event(), who="reader").json()["code"] == "scope_missing"


@pytest.mark.promise("ids-become-surrogates")
def test_an_id_that_is_personal_data_has_one_surrogate_everywhere(talks: Talks) -> None:
    number = "5511912345678"
    note = talks.world.write("billing", evidence=_evidence(conversation_id=number))
    talks.sent(event("Oi", conversation_id=number, task_id="t-1"), event("Oi", conversation_id="c-1"))
    ids = {row.caller_id for row in talks.rows(conversation)}
    assert note.evidence is not None
    assert ids == {note.evidence.conversation_id, "t-1", "c-1"}
    assert len(talks.rows(id_surrogate)) == 1
    assert talks.texts(number) == talks.texts(str(note.evidence.conversation_id)) == ["Oi"]


def test_further_ids_are_the_same_conversation(talks: Talks) -> None:
    talks.sent(event("eins", conversation_aliases=["a-1", "a-2"]))
    talks.sent(event("zwei", conversation_id="a-1"), event("drei", conversation_id="a-2"))
    talks.sent(event("vier", conversation_id=None, conversation_aliases=["a-2"]))
    assert talks.texts() == talks.texts("a-1") == ["eins", "zwei", "drei", "vier"]
    assert len(talks.rows(conversation)) == 1


VENDORS: dict[str, list[str | None]] = {"billing": ["north"], "support": ["north"], "courier": ["south"]}


@pytest.mark.promise("turns-of-own-vendor")
@pytest.mark.parametrize("who", VENDORS)
@pytest.mark.parametrize("kind", ["conversation", "task"])
def test_another_vendors_turns_are_not_read(talks: Talks, who: str, kind: Any) -> None:
    ids = {"conversation_id": "shared", "task_id": "shared"}
    talks.sent(event("north", **ids), who="billing")
    talks.sent(event("south", **ids), who="courier")
    talks.sent(event("alone", conversation_id="other"), who="courier")
    assert talks.texts("shared", who, kind) == VENDORS[who]
    assert talks.texts("other", who) == (["alone"] if who == "courier" else [])


def test_a_space_may_open_turns_to_all_vendors(talks: Talks) -> None:
    talks.sent(event("south"), who="courier")
    talks.setting("conversations.across_vendors", value=True)
    assert talks.texts() == ["south"]


def test_only_turns_since_then_are_read(talks: Talks) -> None:
    talks.sent(event("alt", occurred_at="2020-01-01T00:00:00Z"), event("neu"))
    assert talks.texts(since=1_600_000_000_000_000) == ["neu"]


def _evidence(**ids: str) -> Any:
    from tarimba.notes.model import Evidence

    return Evidence(**ids)
