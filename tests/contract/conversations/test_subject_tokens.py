"""Tokens that stand for a customer where a handle must not go."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from tarimba.clock import SECOND
from tarimba.conversations import history, subject
from tarimba.conversations.neighbour import Window
from tarimba.conversations.subject import MintedSubject, Subject
from tarimba.storage.once import OnceKey
from tests.contract.conversations.conftest import Read
from tests.contract.conversations.recorded import ANA, RUI, Recorder
from tests.contract.notes.world import World, code, found_company

pytestmark = pytest.mark.promise("subject-token")

PREFIX = "tar_st_"


def minted(world: World, who: str = "billing", once: OnceKey | None = None, **about: Any) -> MintedSubject:
    return subject.mint(world.kernel, world.caller(who), Subject(**{"handle": ANA} | about), once)


def items(world: World, token: str, who: str = "billing", **about: Any) -> list[str]:
    found = history.timeline(world.kernel, world.caller(who), Subject(token=token, **about), Window())
    return [item.text for item in found.items]


def test_it_names_the_customer_and_the_conversation(world: World, recorder: Recorder, read: Read) -> None:
    billing = world.sources["billing"]
    recorder.say(billing, "Of Rui", RUI, conversation="c-9")
    recorder.say(billing, "Earlier", conversation="c-0")
    recorder.say(billing, "Here", conversation="c-1")
    recorder.settle(billing, "c-1", level="V2")
    token = minted(world, conversation_id="c-1", level="V2").token
    assert items(world, token) == ["customer: Here", "customer: Earlier"]
    by_token = read(customer=None, subject={"token": token})
    assert by_token.text == read(subject={"conversation_id": "c-1", "level": "V2"}).text
    assert "Earlier" in str(by_token.text)
    # A request's own conversation counts before the token's.
    assert read(customer=None, subject={"token": token, "conversation_id": "c-0"}).effective == "V0"


def test_it_stands_for_a_customer_who_is_not_known_yet(world: World, recorder: Recorder) -> None:
    token = minted(world).token
    assert items(world, token) == []
    recorder.say(world.sources["billing"], "Hello")
    assert items(world, token) == ["customer: Hello"]


def test_it_holds_no_handle_that_can_be_read(world: World) -> None:
    token = minted(world, conversation_id="c-1").token
    sealed = base64.urlsafe_b64decode(token.removeprefix(PREFIX) + "==")
    mac = world.kernel.customers.customer(world.space_id, ANA)
    for held in (ANA.value, mac, "c-1", "conversation"):
        assert held.encode() not in sealed
        assert held not in token


def test_one_that_was_changed_cut_or_made_up_is_none(world: World) -> None:
    token = minted(world).token
    flipped = [
        token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        for at in range(len(PREFIX), len(token))
    ]
    cut = [token[:at] for at in range(1, len(token))]
    for forged in [*flipped, *cut, token + "A", token + "=", PREFIX, "x", "é", token.removeprefix(PREFIX)]:
        assert code(lambda forged=forged: items(world, forged)) == "not_found", forged  # type: ignore[misc]


def test_it_ends_after_a_quarter_of_an_hour(world: World) -> None:
    made = minted(world)
    clock = world.kernel.clock
    clock.offset_us += 890 * SECOND
    world.write("billing")
    assert code(lambda: items(world, made.token)) == "ok"
    clock.offset_us += 11 * SECOND
    world.write("billing", "A note moves the time of its space")
    assert code(lambda: items(world, made.token)) == "not_found"


def test_it_is_good_in_its_space_only(world: World) -> None:
    other = found_company(world.kernel)
    assert code(lambda: items(other, minted(world).token)) == "not_found"


def test_a_customer_is_named_once(world: World) -> None:
    token = minted(world).token
    both = Subject(handle=ANA, token=token)
    caller = world.caller("billing")
    assert code(lambda: history.timeline(world.kernel, caller, both, Window())) == "invalid_input"
    assert code(lambda: minted(world, conversation_id="c-1", task_id="t-1")) == "invalid_input"
    world.add_key("notes only", "billing", "agent_memory agent_memory:write track")
    for who in ("notes only", "admin", "owner"):
        assert code(lambda who=who: minted(world, who)) == "scope_missing"  # type: ignore[misc]


def test_asked_for_again_it_is_the_same(world: World) -> None:
    key = world.kernel.keys.of(world.space_id)
    once = OnceKey.of(key, world.sources["billing"], "POST /v1/subject-tokens", "one", b"{}")
    first = minted(world, once=once)
    world.kernel.clock.offset_us += 60 * SECOND
    assert minted(world, once=once) == first
    assert minted(world) != first
    assert code(lambda: minted(world, once=replace(once, body_mac="other"))) == "conflict"
    receipts = world.receipts("subject.token")
    assert len(receipts) == 2
    assert (receipts[0]["id"], receipts[0]["kind"]) == (first.recorded.id, "admin")
    assert receipts[0]["detail"] == {"expires_at": first.expires_at}
    assert ANA.value not in json.dumps(receipts)
