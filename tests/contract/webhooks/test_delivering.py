"""Events reach their receivers: signed, at least once, in the order of each note, whatever a receiver does."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace

import pytest
from sqlalchemy import update
from standardwebhooks import WebhookVerificationError

from tarimba.clock import DAY, HOUR, SECOND
from tarimba.ids import new_id
from tarimba.storage.tables import webhook_mark
from tarimba.webhooks import managing
from tarimba.webhooks.managing import WebhookChange
from tarimba.webhooks.sending import Slots
from tests.contract.client.tiny import Behaviour, answer, in_turn, silence
from tests.contract.webhooks.office import Office
from tests.contract.webhooks.receivers import TAKEN, Receiver, receiving

BROKEN = answer("500 Internal Server Error")


@pytest.mark.promise("webhooks-verified")
def test_an_event_arrives_signed_as_standard_webhooks_are(office: Office, receiver: Receiver) -> None:
    webhook_id, secret = office.add(receiver.url)
    event_id = office.announce(kind="fact")
    assert office.send() == 1
    (one,) = receiver.received()
    assert one.line == "POST /hooks?from=tarimba HTTP/1.1"
    assert one.event_id == event_id
    assert one.headers["user-agent"] == "Tarimba-Webhooks/1"
    assert one.headers["content-type"] == "application/json"
    assert one.headers["host"] == f"127.0.0.1:{receiver.port}"
    payload = one.verified(secret)
    assert set(payload) == {"type", "timestamp", "data"}
    assert (payload["type"], payload["data"]["kind"]) == ("agent_note.created", "fact")
    with pytest.raises(WebhookVerificationError):
        one.verified(office.add(receiver.url)[1])
    assert office.states(webhook_id) == ["delivered"]
    assert office.send() == 0


def test_only_what_is_wanted_and_only_from_then_on(office: Office, receiver: Receiver) -> None:
    office.announce()
    webhook_id, _ = office.add(receiver.url, "agent_note.retired")
    office.announce()
    wanted = office.announce(event="agent_note.retired")
    office.announce()
    office.send()
    assert receiver.ids() == [wanted]
    managing.change(office.kernel, office.world.caller("manager"), webhook_id, WebhookChange(events=()))
    more = office.announce()
    office.send()
    assert receiver.ids() == [wanted, more]


@pytest.mark.promise("webhooks-at-least-once")
def test_a_receiver_that_is_down_for_a_day_loses_nothing(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = BROKEN
    notes = [new_id() for _ in range(3)]
    sent = [office.announce(note) for note in notes for _ in range(3)]
    sender = office.sender()
    for _ in range(24 * 4):
        office.send(sender)
        office.pass_time(HOUR // 4)
    assert set(office.states(webhook_id)) == {"pending"}
    assert office.webhook(webhook_id).last_status == 500
    receiver.server.requests.clear()
    receiver.behaviour = TAKEN
    office.pass_time(DAY)
    office.send(sender)
    assert sorted(receiver.ids()) == sorted(sent)
    assert set(office.states(webhook_id)) == {"delivered"}
    assert office.webhook(webhook_id).last_problem is None


@pytest.mark.promise("webhooks-in-order")
def test_a_later_event_of_a_note_waits_for_the_earlier_one(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    note, other = new_id(), new_id()
    first, second = office.announce(note), office.announce(note)
    receiver.behaviour = in_turn(BROKEN, TAKEN)
    office.send()
    elsewhere = office.announce(other)
    office.send()
    # Another note's event goes out meanwhile, and the second one of this note does not.
    assert receiver.ids() == [first, elsewhere]
    office.pass_time(HOUR)
    office.send()
    assert receiver.ids() == [first, elsewhere, first, second]
    assert office.states(webhook_id) == ["delivered"] * 3


def test_waits_grow_until_the_event_is_given_up_after_three_days(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = answer("503 Service Unavailable")
    office.announce()
    waits, sender = [], office.sender()
    while office.send(sender):
        (one,) = office.deliveries(webhook_id)
        assert one.last_at is not None
        waits.append(one.next_at - one.last_at)
        office.pass_time(one.next_at - one.last_at)
    *waits, last = waits
    assert waits == sorted(waits)
    assert last == 0
    assert 5 * SECOND <= waits[0] < 6 * SECOND
    assert 3 * DAY <= sum(waits) < 3.5 * DAY
    (given_up,) = office.deliveries(webhook_id)
    assert (given_up.state, given_up.attempts, given_up.last_status) == ("failed", 12, 503)
    failing = office.webhook(webhook_id)
    assert (failing.state, failing.last_status, failing.last_problem) == ("failing", 503, "status")
    told = {"change": "state", "old": "active", "new": "failing", "status": 503, "problem": "status"}
    assert office.told()[-1] == told
    # A webhook that fails is still told of what happens, and is well again when it takes something.
    receiver.behaviour = TAKEN
    office.announce()
    office.send(sender)
    assert office.webhook(webhook_id).state == "active"
    assert office.told()[-1] == {"change": "state", "old": "failing", "new": "active", "status": 204}


def test_what_waited_for_days_behind_another_event_is_given_up_sooner(
    office: Office, receiver: Receiver
) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = BROKEN
    note = new_id()
    for _ in range(3):
        office.announce(note)
    sender, passed = office.sender(), 0
    office.send(sender)
    while "pending" in office.states(webhook_id):
        office.pass_time(HOUR)
        passed += HOUR
        office.send(sender)
    assert [one.attempts for one in office.deliveries(webhook_id)] == [12, 5, 5]
    assert passed < 5 * DAY


@pytest.mark.parametrize(
    ("behaviour", "status", "problem"),
    [
        (BROKEN, 500, "status"),
        (answer("404 Not Found"), 404, "status"),
        (answer("302 Found", headers="Location: http://169.254.169.254/latest\r\n"), 302, "redirect"),
        (answer("308 Permanent Redirect", headers="Location: http://127.0.0.1/\r\n"), 308, "redirect"),
        (lambda connection: connection.sendall(b"no HTTP at all\r\n\r\n"), None, "connection"),
        (lambda _: None, None, "connection"),
    ],
)
def test_whatever_is_answered_is_told_and_tried_again(
    office: Office, receiver: Receiver, behaviour: Behaviour, status: int | None, problem: str
) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = behaviour
    event_id = office.announce()
    assert office.send() == 1
    (one,) = office.deliveries(webhook_id)
    assert (one.state, one.attempts, one.last_status, one.last_problem) == ("pending", 1, status, problem)
    receiver.behaviour = TAKEN
    office.pass_time(10 * SECOND)
    office.send()
    assert receiver.ids() == [event_id, event_id]


def test_a_receiver_that_hangs_is_left_after_its_time(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = silence
    office.announce()
    office.send(office.sender(seconds=0.1))
    (one,) = office.deliveries(webhook_id)
    assert (one.state, one.last_problem) == ("pending", "timeout")
    assert receiver.server.broken.wait(30)


def test_an_answer_without_end_is_dropped_and_counts(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 4096)

    receiver.behaviour = endless
    office.announce()
    office.send()
    assert office.states(webhook_id) == ["delivered"]
    assert receiver.server.broken.wait(30)


def test_gone_turns_the_webhook_off(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    receiver.behaviour = answer("410 Gone")
    office.announce()
    office.send()
    assert office.webhook(webhook_id).state == "off"
    assert office.states(webhook_id) == ["failed"]
    assert office.told()[-1]["new"] == "off"
    office.announce()
    assert office.send() == 0


def test_off_sends_nothing_and_on_again_tells_of_what_happens_from_then_on(
    office: Office, receiver: Receiver
) -> None:
    webhook_id, _ = office.add(receiver.url)
    caller = office.world.caller("manager")
    waiting = office.announce()
    receiver.behaviour = BROKEN
    office.send()
    receiver.server.requests.clear()
    receiver.behaviour = TAKEN
    managing.change(office.kernel, caller, webhook_id, WebhookChange(state="off"))
    office.announce()
    office.pass_time(HOUR)
    assert office.send() == 0
    managing.change(office.kernel, caller, webhook_id, WebhookChange(state="active"))
    after = office.announce()
    office.send()
    assert sorted(receiver.ids()) == sorted([waiting, after])


@pytest.mark.promise("webhooks-at-least-once")
def test_what_died_between_the_answer_and_its_record_is_sent_again(
    office: Office, receiver: Receiver
) -> None:
    webhook_id, _ = office.add(receiver.url)
    note = new_id()
    first, second = office.announce(note), office.announce(note)
    dying = office.sender()
    dying._taken()
    # It has the event in hand and is never heard of again.
    assert office.send() == 0
    office.pass_time(61 * SECOND)
    office.send()
    assert receiver.ids() == [first, second]
    assert office.states(webhook_id) == ["delivered"] * 2


def test_who_comes_back_after_its_lease_changes_nothing(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    office.announce()
    slow = office.sender()
    ((one, slot),) = slow._taken()
    office.pass_time(61 * SECOND)
    office.send()
    before = office.deliveries(webhook_id)
    receiver.behaviour = BROKEN
    slow._attempt(one, slot)
    assert office.deliveries(webhook_id) == before


def test_two_senders_never_have_the_same_event_in_hand(office: Office, receiver: Receiver) -> None:
    office.add(receiver.url)
    sent = [office.announce() for _ in range(10)]
    one, two = office.sender(), office.sender()
    taken = [(sender, *pair) for _ in range(5) for sender in (one, two) for pair in sender._taken()]
    assert len({due.event.event_id for _, due, _ in taken}) == len(taken)
    for sender, due, slot in taken:
        sender._attempt(due, slot)
    office.send(one)
    assert sorted(receiver.ids()) == sorted(sent)


@pytest.mark.promise("webhooks-keep-nobody-waiting")
def test_a_receiver_that_hangs_keeps_nobody_waiting(office: Office, receiver: Receiver) -> None:
    let_go = threading.Event()

    def hang(_: socket.socket) -> None:
        let_go.wait()

    with receiving(hang) as hanging:
        for _ in range(12):
            webhook_id, _ = office.add(hanging.url)
            office.announce()
            mark = update(webhook_mark).where(webhook_mark.c.webhook_id == webhook_id)
            with office.kernel.database.write() as connection:
                connection.execute(mark.values(last_problem="timeout"))
        office.add(receiver.url)
        # Twelve that hang may have four of eight threads: the one that answers is served by the others.
        sender = office.sender(threads=8, seconds=300)
        sender.start()
        try:
            sent = [office.announce() for _ in range(9)]
            while len(receiver.received()) < len(sent):
                sender._wake.wait(0.05)
            assert len(hanging.received()) <= 4
        finally:
            let_go.set()
            sender.stop()
    assert sorted(receiver.ids()) == sorted(sent)


def test_slots_are_few_for_a_receiver_that_did_not_take_the_last(office: Office, receiver: Receiver) -> None:
    webhook_id, _ = office.add(receiver.url)
    well = office.webhook(webhook_id)
    ill = replace(well, webhook_id=new_id(), last_problem="status")
    slots = Slots(6)
    assert (slots.room(well), slots.room(ill)) == (4, 1)
    for _ in range(4):
        slots.begin(well)
    slot = slots.begin(ill)
    assert (slots.room(well), slots.room(ill)) == (0, 0)
    assert slots.room(replace(ill, webhook_id=new_id())) == 1
    slots.end(slot)
    assert slots.room(ill) == 1
