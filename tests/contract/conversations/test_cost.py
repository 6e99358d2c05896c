"""What recording costs under the lock of a space: it depends on the items, not on how much the space holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event as hooks

from tarimba.conversations import recording
from tarimba.ids import new_id
from tests.contract.conversations.talks import VISITOR, Talks, event, item

# What narrows a look to what the items name; the space, the agent or a state alone do not.
_NARROW = re.compile(
    r"\b(?:mac|mac_a|mac_b|profile_id|merged_into|customer_id|conversation_ref|key_mac|turn_id|caller_id)=\?"
)
_OURS = re.compile(r"\b(profile|handle|identity_link|conversation|conversation_alias|turn|known_customer)\b")
Statement = tuple[str, Any]


def address() -> dict[str, str]:
    return {"type": "email", "value": f"{new_id()}@example.com"}


def both(**fields: Any) -> dict[str, Any]:
    """An event of a new customer with two handles, in a new conversation."""
    named = {"conversation_id": new_id(), "task_id": new_id(), "conversation_aliases": [new_id()]}
    return event(**named | {"handles": [address(), address()]} | fields)


def every_way() -> list[dict[str, Any]]:
    """Items that lead to each look and each change of who somebody is."""
    one, other, third = address(), address(), address()
    return [
        both(handles=[one]),
        both(handles=[other]),
        both(handles=[VISITOR], conversation_id="visit"),
        item("identify", handles=[VISITOR, one], method="declared", conversation_id="visit"),
        both(handles=[VISITOR], conversation_id="visit"),
        item("identify", handles=[one, other], method="login"),
        item("identify", handles=[other, third], method="otp", conversation_id="proven"),
        item("verify", handle=third, method="otp_sms", level="V2", conversation_id="proven"),
        item("conversation.ended", conversation_id="proven"),
        item("heartbeat"),
    ]


@contextmanager
def heard(talks: Talks) -> Iterator[list[Statement]]:
    """What is sent to the database for writing within the block."""
    engine = talks.world.kernel.database.write_engine
    seen: list[Statement] = []

    def hears(
        _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool
    ) -> None:
        seen.append((statement, parameters[0] if many else parameters))

    hooks.listen(engine, "before_cursor_execute", hears)
    yield seen
    hooks.remove(engine, "before_cursor_execute", hears)


def plans(talks: Talks, statements: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """Each step of how SQLite finds rows of the tables of conversations, with its statement."""
    with talks.world.kernel.database.read() as connection:
        for statement, parameters in statements:
            if statement.startswith(("SELECT", "UPDATE", "DELETE")) and _OURS.search(statement):
                rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
                for row in rows:
                    if _OURS.search(row.detail):
                        yield statement, row.detail


@pytest.mark.promise("cost-of-recording")
def test_the_same_items_cost_as_many_statements_in_a_full_space(talks: Talks) -> None:
    def cost() -> int:
        with heard(talks) as seen:
            talks.sent(*every_way())
        return len(seen)

    # The first batch also begins what a space has one of.
    cost()
    empty = cost()
    talks.sent(*(both() for _ in range(200)))
    assert cost() == empty


@pytest.mark.promise("cost-of-recording")
def test_more_items_cost_no_more_statements(talks: Talks) -> None:
    def cost(count: int) -> int:
        with heard(talks) as seen:
            talks.sent(*(both() for _ in range(count)))
        return len(seen)

    cost(1)
    assert cost(recording.PART_ITEMS // 2) == cost(2)


@pytest.mark.promise("cost-of-recording")
def test_every_look_is_narrowed_to_what_the_items_name(talks: Talks) -> None:
    if talks.world.kernel.database.write_engine.dialect.name != "sqlite":
        # PostgreSQL plans by what the tables hold at that moment; the indexes are the same.
        return
    talks.sent(*every_way())
    with heard(talks) as seen:
        talks.sent(*every_way(), both(handles=[address() for _ in range(16)]))
    steps = list(plans(talks, seen))
    assert len(steps) > 15
    wide = [(step, statement) for statement, step in steps if not _NARROW.search(step)]
    assert wide == []


@pytest.mark.promise("cost-of-recording")
def test_events_with_many_handles_are_committed_in_small_parts(
    talks: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[int] = []
    commit = talks.world.kernel.writer.commit

    def counted(space_id: str, work: Any) -> Any:
        parts.append(1)
        return commit(space_id, work)

    monkeypatch.setattr(talks.world.kernel.writer, "commit", counted)
    talks.sent(*(both(handles=[address() for _ in range(16)]) for _ in range(9)))
    assert len(parts) == 3
    refused = talks.send(both(handles=[address() for _ in range(17)])).json()
    assert refused["errors"][0]["detail"] == "handles: must have at most 16 entries"
