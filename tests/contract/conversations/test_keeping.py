"""Retention: turns, and whom only they told of, end with the days that the space keeps them."""

from __future__ import annotations

import pytest

from tarimba.clock import DAY
from tarimba.conversations import service
from tarimba.storage.tables import conversation, handle, identity_link, known_customer, profile, turn
from tests.contract.conversations.talks import EMAIL, WHATSAPP, Talks, event, item

EVERYTHING = (turn, conversation, handle, identity_link, profile, known_customer)


def keep_up(talks: Talks) -> None:
    while service.keep_up(talks.world.kernel):
        pass


def later(talks: Talks, days: int) -> None:
    talks.world.kernel.clock.offset_us += days * DAY


@pytest.mark.promise("turns-end")
def test_turns_end_after_the_days_of_the_space(talks: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarimba.conversations.forget_store.PART", 2)
    talks.setting("conversations.retention_days", value=30)
    talks.sent(*[event(f"alt {at}", handles=[WHATSAPP], conversation_aliases=["a"]) for at in range(5)])
    talks.sent(item("identify", handles=[WHATSAPP, EMAIL], method="otp"))
    assert all(talks.rows(table) for table in EVERYTHING)
    later(talks, 29)
    talks.sent(event("neu", conversation_id="c-2"))
    keep_up(talks)
    assert len(talks.rows(turn)) == 7
    later(talks, 2)
    keep_up(talks)
    assert [row.text for row in talks.rows(turn)] == ["neu"]
    assert [row.caller_id for row in talks.rows(conversation)] == ["c-2"]
    for table in (handle, identity_link, profile, known_customer):
        assert not talks.rows(table)
    assert not service.keep_up(talks.world.kernel)


def test_without_a_setting_turns_are_kept_ninety_days(talks: Talks) -> None:
    talks.sent(event(handles=[WHATSAPP]))
    later(talks, 89)
    keep_up(talks)
    assert talks.rows(turn)
    later(talks, 2)
    keep_up(talks)
    assert not any(talks.rows(table) for table in EVERYTHING)


def test_a_process_rests_when_nothing_is_due(talks: Talks) -> None:
    keeping = service.Keeping(talks.world.kernel)
    assert not keeping.piece()
    talks.sent(event(handles=[WHATSAPP]))
    later(talks, 91)
    assert keeping.piece()
    while keeping.piece():
        pass
    assert not any(talks.rows(table) for table in EVERYTHING)


def test_who_comes_back_is_kept(talks: Talks) -> None:
    talks.sent(event("alt", handles=[WHATSAPP]))
    later(talks, 60)
    talks.sent(event("neu", handles=[WHATSAPP]))
    later(talks, 60)
    keep_up(talks)
    assert [row.text for row in talks.rows(turn)] == ["neu"]
    assert len(talks.rows(profile)) == len(talks.rows(handle)) == len(talks.rows(conversation)) == 1


def test_imported_customers_are_not_the_conversations(talks: Talks) -> None:
    from tarimba.personal_data.known_customers import Customer, add

    add(
        talks.world.kernel,
        talks.world.caller("owner"),
        [Customer(None, (("email", "somebody@example.com"),))],
    )
    talks.sent(event(handles=[EMAIL]))
    later(talks, 100)
    keep_up(talks)
    assert len(talks.rows(known_customer)) == 1
    assert not talks.rows(profile)


def test_a_customer_only_a_conversation_told_of_ends_with_a_receipt(talks: Talks) -> None:
    talks.sent(item("verify", method="login", level="V2", handle=EMAIL, conversation_id="c-1"))
    later(talks, 100)
    keep_up(talks)
    (left,) = talks.world.receipts("known_customer.remove")
    assert (left["actor"], left["detail"]) == (
        {"type": "system", "id": "worker"},
        {"removed": {"email": 1}, "because": "retention"},
    )


@pytest.mark.promise("tasks-finished")
def test_finished_tasks_are_told_in_order_with_what_was_done(talks: Talks) -> None:
    from tests.contract.conversations.talks import action

    acts = [action(name, conversation_id=None, task_id="t-1") for name in ("open", "credit", "close")]
    talks.sent(*acts, event("no action", task_id="t-1"), item("task.ended", task_id="t-1", succeeded=True))
    talks.sent(item("task.ended", task_id="t-2"), item("task.ended", task_id="t-1", succeeded=False))
    talks.sent(item("conversation.ended", conversation_id="c-1"))
    kernel, space_id = talks.world.kernel, talks.world.space_id
    with kernel.database.read() as connection:
        first, second = service.finished_tasks(connection, space_id, 0, 10)
        assert (first.succeeded, second.succeeded) == (True, None)
        assert first.source_id == talks.world.sources["billing"]
        assert first.mac == kernel.keys.of(space_id).commit("t-1")
        assert first.ended_at >= first.started_at
        assert service.operations_of(connection, space_id, first) == ["open", "credit", "close"]
        assert service.operations_of(connection, space_id, second) == []
        assert service.finished_tasks(connection, space_id, first.ordinal, 10) == [second]
        assert service.finished_tasks(connection, space_id, 0, 1) == [first]


def test_what_was_sent_late_stands_where_it_happened(talks: Talks) -> None:
    from tests.contract.conversations.talks import action

    def at(second: int) -> str:
        return f"2030-01-01T10:00:{second:02}Z"

    talks.sent(
        action("close", task_id="t-1", occurred_at=at(9)), action("note", task_id="t-1", occurred_at=at(5))
    )
    talks.sent(
        action("open", task_id="t-1", occurred_at=at(1)), action("credit", task_id="t-1", occurred_at=at(5))
    )
    talks.sent(item("task.ended", task_id="t-1"))
    # Of one moment, what was recorded first.
    expected = ["open", "note", "credit", "close"]
    with talks.world.kernel.database.read() as connection:
        (task,) = service.finished_tasks(connection, talks.world.space_id, 0, 10)
        assert service.operations_of(connection, talks.world.space_id, task) == expected
    for caller_id, kind in (("t-1", "task"), ("c-1", "conversation")):
        record = talks.record(caller_id, kind=kind)  # type: ignore[arg-type]
        assert record is not None
        assert [turn.operation for turn in record.turns] == expected


def test_a_long_conversation_is_read_from_what_happened_last(
    talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarimba.conversations.records.TURNS_MAX", 2)
    talks.sent(
        *(
            event(text, occurred_at=f"2030-01-01T10:00:0{second}Z")
            for text, second in (("3", 3), ("1", 1), ("2", 2))
        )
    )
    assert talks.texts() == ["2", "3"]
