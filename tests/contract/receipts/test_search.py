"""Asking the log: each filter, pages, times, the tail and the index, and what asking leaves."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update

from tarimba.clock import DAY, HOUR, SECOND, from_datetime
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.receipts import search as searching
from tarimba.receipts.audit import verify_space
from tarimba.receipts.index import _next_piece, _store, index, refs_of
from tarimba.receipts.model import Actor
from tarimba.receipts.reading import LogReader, Stored
from tarimba.receipts.search import Page, Question, get, search
from tarimba.storage.tables import receipt_bundle, receipt_ref, space_head
from tests.contract.receipts.world import PERSON, World

OTHER_ID = "0190ffff-0000-7000-8000-00000000000f"


def ask(world: World, *, limit: int = 100, cursor: str | None = None, **question: Any) -> Page:
    return search(world.kernel, world.auditor, Question(**question), limit=limit, cursor=cursor)


def seqs(world: World, **question: Any) -> list[int]:
    return [stored.seq for stored in ask(world, **question).items]


@pytest.fixture(params=["tail", "index", "both"])
def log(world: World, request: pytest.FixtureRequest) -> World:
    """Seq 0 the agent, 1 and 2 notes, 3 and 4 block reads, 5 to 7 settings: indexed, in the tail, half and half."""
    first, _ = world.write_note("First")
    second, _ = world.write_note("Second")
    world.read_block([first.note_id, second.note_id], conversation="conv-1")
    if request.param == "both":
        index(world.kernel, world.space_id)
    world.read_block([second.note_id], conversation="conv-2")
    other = replace(world.receipt("settings.change", new=2), actor=Actor("system", "cli"))
    proposal = replace(world.receipt("login"), objects={"proposal_id": OTHER_ID})
    task = world.receipt("note.outcome", task=world.kernel.keys.of(world.space_id).commit("task-1"))
    world.act(other, proposal, task)
    if request.param == "index":
        index(world.kernel, world.space_id)
    return world


def notes_of(world: World) -> tuple[str, str]:
    first, second = (stored.document["note_id"] for stored in ask(world, action="note.create").items[::-1])
    return first, second


QUESTIONS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [7, 6, 5, 4, 3, 2, 1, 0]),
    ({"kind": "read"}, [4, 3]),
    ({"kind": "admin"}, [7, 6, 5, 2, 1, 0]),
    ({"action": "block.read"}, [4, 3]),
    ({"action": "forget"}, []),
    ({"actor": PERSON.id}, [7, 6, 2, 1, 0]),
    ({"actor": "cli"}, [5]),
    ({"conversation_id": "conv-1"}, [3]),
    ({"conversation_id": "conv-3"}, []),
    ({"task_id": "task-1"}, [7]),
    ({"task_id": "conv-1"}, []),
    ({"proposal_id": OTHER_ID}, [6]),
    ({"source_id": OTHER_ID}, []),
    ({"note_id": OTHER_ID}, []),
    ({"kind": "read", "conversation_id": "conv-2"}, [4]),
    ({"kind": "admin", "conversation_id": "conv-2"}, []),
]


@pytest.mark.promise("receipts-found")
def test_every_part_of_a_question_must_hold(log: World) -> None:
    end = log.size
    for question, expected in QUESTIONS:
        # The searches before this one have left their own receipts behind the log that is asked about.
        assert [seq for seq in seqs(log, **question) if seq < end] == expected, question


@pytest.mark.promise("receipts-found")
def test_a_note_is_found_where_it_was_written_and_in_every_block_that_gave_it_out(log: World) -> None:
    first, second = notes_of(log)
    assert seqs(log, note_id=first) == [3, 1]
    assert seqs(log, note_id=second) == [4, 3, 2]
    assert seqs(log, note_id=second, kind="read", source_id=log.source_id) == [4, 3]


def test_an_agent_is_found_by_what_it_read_and_by_what_was_done_to_it(log: World) -> None:
    assert seqs(log, source_id=log.source_id) == [7, 5, 4, 3, 2, 1, 0]


def test_an_item_is_the_whole_receipt_with_its_place(log: World) -> None:
    first, second = notes_of(log)
    (read,) = ask(log, conversation_id="conv-1").items
    shown = read.as_json()
    assert shown["detail"]["notes"] == [first, second]
    assert (shown["seq"], shown["leaf"]) == (3, log.leaves()[3].hex())
    assert refs_of(shown) == refs_of(read.document)


@pytest.mark.promise("searches-receipted")
def test_asking_leaves_a_receipt_that_holds_nothing_the_caller_sent(log: World) -> None:
    note_id, _ = notes_of(log)
    page = ask(
        log, conversation_id="conv-1", note_id=note_id, actor="a-person", action="block.read", end=5 * DAY
    )
    (own,) = [
        stored for stored in ask(log, action="receipts.search").items if stored.seq == page.recorded.seq
    ]
    key = log.kernel.keys.of(log.space_id)
    sent = {
        "conversation": key.commit("conv-1"),
        "note": key.commit(note_id),
        "actor": key.commit("a-person"),
    }
    plain = {"action": "block.read", "to": "1970-01-06T00:00:00.000000Z"}
    assert own.document["detail"]["asked"] == sent | plain
    assert own.document["detail"]["returned"] == 0
    assert own.document["id"] == page.recorded.id
    # What was asked about is not itself found as if it had been delivered.
    assert own.seq not in seqs(log, conversation_id="conv-1")
    assert verify_space(log.kernel, log.space_id).ok


def test_pages_join_without_loss_while_the_log_grows(log: World) -> None:
    expected = seqs(log)
    found: list[int] = []
    cursor: str | None = None
    while len(found) < len(expected):
        page = ask(log, limit=2, cursor=cursor)
        found += [stored.seq for stored in page.items]
        cursor = page.next_cursor
        log.read_block([])
        index(log.kernel, log.space_id, chunks_max=1)
    # The search of `expected` left the first receipt that the pages begin with.
    assert found == [len(expected), *expected[:-1]]


def test_a_page_that_ends_exactly_with_the_log_has_no_next(log: World) -> None:
    assert ask(log, limit=2, action="block.read").next_cursor is None
    assert ask(log, limit=1, action="block.read").next_cursor is not None


def test_a_made_up_cursor_is_refused(world: World) -> None:
    for cursor in ("", "-", "5", "-5-", "zz-00", "5-" + "0" * 32, "9" * 128, "ação-5"):
        with pytest.raises(Refusal) as refused:
            ask(world, cursor=cursor)
        assert refused.value.code == "invalid_input", cursor


def test_a_cursor_of_another_question_or_caller_is_refused(log: World) -> None:
    cursor = ask(log, limit=1, kind="read").next_cursor
    assert cursor is not None
    owner = replace(log.auditor, id=OTHER_ID)
    for principal, question in ((log.auditor, Question(kind="admin")), (owner, Question(kind="read"))):
        with pytest.raises(Refusal) as refused:
            search(log.kernel, principal, question, cursor=cursor)
        assert refused.value.code == "invalid_input"


@pytest.mark.parametrize(
    ("principal", "code"),
    [
        ({"kind": "agent", "roles": frozenset(), "scopes": frozenset({"agent_memory"})}, "scope_missing"),
        ({"roles": frozenset({"manager", "reviewer", "operator", "member"})}, "scope_missing"),
        ({"roles": frozenset({"owner"})}, None),
        ({"kind": "admin", "roles": frozenset()}, None),
    ],
    ids=["agent", "other roles", "owner", "admin key"],
)
def test_auditors_owners_and_admin_keys_ask(
    world: World, principal: dict[str, Any], code: str | None
) -> None:
    who = replace(world.auditor, **principal)
    size = world.size
    if code is None:
        assert search(world.kernel, who, Question()).items[0].seq == size - 1
        return
    for use in (lambda: search(world.kernel, who, Question()), lambda: get(world.kernel, who, OTHER_ID)):
        with pytest.raises(Refusal) as refused:
            use()
        assert refused.value.code == code
    assert world.size == size


def test_an_action_that_is_none_is_refused(world: World) -> None:
    with pytest.raises(Refusal) as refused:
        ask(world, action="no.such")
    assert refused.value.code == "invalid_input"
    assert "no.such" not in refused.value.detail


def test_one_receipt_is_read_by_its_id(log: World) -> None:
    for stored in ask(log).items:
        read, recorded = get(log.kernel, log.auditor, stored.document["id"])
        assert read == stored
        assert recorded.seq == log.size - 1


def test_one_receipt_that_is_indexed_is_read_without_the_tail(
    log: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(log, limit=1).items[0]
    index(log.kernel, log.space_id)
    log.act(*(log.receipt("login") for _ in range(9)))
    reads: list[int] = []
    read = LogReader.read

    def spy(reader: LogReader, seq: int) -> Stored:
        reads.append(seq)
        return read(reader, seq)

    monkeypatch.setattr(LogReader, "read", spy)
    assert get(log.kernel, log.auditor, asked.document["id"])[0] == asked
    assert reads == [asked.seq]


def test_an_unknown_receipt_is_not_found_and_leaves_none(world: World) -> None:
    size = world.size
    for receipt_id in (OTHER_ID, "", "x", "receipt:1", "\0", "%", "ação"):
        with pytest.raises(Refusal) as refused:
            get(world.kernel, world.auditor, receipt_id)
        assert refused.value.code == "not_found"
    assert world.size == size


def moments(world: World, *offsets: int) -> list[int]:
    """The times of acts, each made with the clock moved by its offset."""
    times = []
    for offset in offsets:
        world.kernel.clock.offset_us = offset
        times.append(world.kernel.writer.commit(world.space_id, lambda tx: tx.now))
        world.act(world.receipt("login", at=offset))
        index(world.kernel, world.space_id)
    return times


def logins(world: World, **question: Any) -> list[int]:
    return seqs(world, action="login", **question)


def test_from_includes_and_to_excludes(world: World) -> None:
    base = world.size
    at = moments(world, HOUR, 2 * HOUR, 3 * HOUR, DAY, DAY + HOUR)
    assert logins(world) == [base + number for number in (4, 3, 2, 1, 0)]
    assert logins(world, start=at[1]) == [base + number for number in (4, 3, 2, 1)]
    assert logins(world, start=at[1], end=at[3]) == [base + 2, base + 1]
    assert logins(world, end=at[1]) == [base]
    assert logins(world, start=at[4] + HOUR) == []
    assert logins(world, end=at[0] - 3 * HOUR) == []
    assert seqs(world, start=at[1], end=at[2]) == [base + 1]


def test_exact_bounds_are_those_of_the_receipt_itself(world: World) -> None:
    moments(world, HOUR)
    (stored,) = ask(world, action="login").items
    whole = from_datetime(datetime.fromisoformat(stored.document["at"]))
    assert logins(world, start=whole, end=whole + 1) == [stored.seq]
    assert logins(world, start=whole + 1) == []
    assert logins(world, end=whole) == []


@pytest.mark.parametrize("back", [HOUR, DAY])
def test_times_are_found_after_the_clock_was_set_back(world: World, back: int) -> None:
    start = world.size
    at = moments(world, 3 * HOUR, 3 * HOUR - back, 4 * HOUR)
    # The space stands still while its clock is behind, so the second has the time of the first at least.
    assert at[1] >= at[0]
    assert logins(world, start=at[0], end=at[2]) == [start + 1, start]


@pytest.mark.promise("receipts-found")
def test_a_long_tail_is_indexed_and_a_search_still_sees_all_of_it(world: World) -> None:
    world.act(*(world.receipt("login") for _ in range(searching.TAIL_MAX + 10)))
    world.read_block([], conversation="conv-9")
    end = world.size
    assert seqs(world, conversation_id="conv-9") == [end - 1]
    assert world.head()["indexed_size"] == end
    page = ask(world, action="login", limit=100)
    assert [stored.seq for stored in page.items] == list(range(end - 2, end - 102, -1))


def test_a_log_too_long_to_index_at_once_is_refused_until_it_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.act(*(world.receipt("login") for _ in range(searching.TAIL_MAX + 1500)))
    monkeypatch.setattr(searching, "PIECES_MAX", 1)
    with pytest.raises(Refusal) as refused:
        ask(world)
    assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)
    done = world.head()["indexed_size"]
    assert done > 0
    monkeypatch.undo()
    assert ask(world).items[0].seq == world.size - 2


def test_a_question_that_holds_for_few_of_many_goes_on_by_cursor(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "READ_MAX", 3)
    (at,) = moments(world, HOUR)
    moments(world, 2 * HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR)
    found: list[int] = []
    page = ask(world, kind="admin", end=at + SECOND, start=at)
    pages = 1
    while page.next_cursor is not None:
        found += [stored.seq for stored in page.items]
        page = ask(world, kind="admin", end=at + SECOND, start=at, cursor=page.next_cursor)
        pages += 1
    found += [stored.seq for stored in page.items]
    assert found == [1]
    assert pages <= 4


def test_indexing_in_small_pieces_or_twice_makes_the_same_rows(world: World) -> None:
    def rows() -> set[tuple[str, int]]:
        with world.kernel.database.read() as connection:
            return {(row.ref, row.seq) for row in connection.execute(select(receipt_ref))}

    note, _ = world.write_note("First")
    world.read_block([note.note_id, OTHER_ID], conversation="conv-1")
    assert index(world.kernel, world.space_id, chunk=1, chunks_max=1) == 2
    assert index(world.kernel, world.space_id, chunk=1) == 0
    pieces = rows()
    world.tamper(update(space_head).values(indexed_size=0))
    assert index(world.kernel, world.space_id) == 0
    assert rows() == pieces
    assert (f"note:{OTHER_ID}", 2) in pieces
    assert len([ref for ref, _ in pieces if ref.startswith("hour:")]) == len(
        [1 for one, other in pairwise(["", *_hours(world)]) if one != other]
    )


def _hours(world: World) -> list[str]:
    return [stored.document["at"][:13] for stored in ask(world).items[::-1] if stored.seq < 3]


def test_of_two_processes_that_index_the_same_receipts_the_first_wins(world: World) -> None:
    one, other = (_next_piece(world.kernel, world.space_id, chunk) for chunk in (1500, 1500))
    world.read_block([])
    world.kernel.writer.commit(world.space_id, partial(_store, one))
    index(world.kernel, world.space_id)
    world.kernel.writer.commit(world.space_id, partial(_store, other))
    assert world.head()["indexed_size"] == world.size


def test_indexing_leaves_no_receipt_and_a_log_in_order(world: World) -> None:
    size = world.size
    index(world.kernel, world.space_id)
    assert world.size == size
    assert world.head()["indexed_size"] == size
    assert verify_space(world.kernel, world.space_id).ok


def test_a_row_of_the_index_that_lies_is_not_believed(world: World) -> None:
    index(world.kernel, world.space_id)
    world.tamper(
        insert(receipt_ref).values(space_id=world.space_id, ref=f"note:{OTHER_ID}", seq=0),
    )
    assert seqs(world, note_id=OTHER_ID) == []


def test_a_damaged_log_is_shown_as_it_is(log: World) -> None:
    log.tamper(
        delete(receipt_bundle).where(receipt_bundle.c.first_seq == 3),
        update(receipt_bundle).where(receipt_bundle.c.first_seq == 2).values(entries=b"\xff"),
    )
    shown = {stored.seq: stored.as_json() for stored in ask(log).items}
    assert sorted(shown) == list(range(8))
    assert shown[3] == {"missing": True, "seq": 3, "leaf": ""}
    assert shown[2]["unreadable"] is True
    index(log.kernel, log.space_id)
    assert seqs(log, action="block.read") == [4]


def test_no_other_space_is_seen(log: World) -> None:
    foreign: Principal = replace(log.auditor, space_id=OTHER_ID)
    with pytest.raises(Refusal) as refused:
        search(log.kernel, foreign, Question())
    assert refused.value.code == "not_found"
