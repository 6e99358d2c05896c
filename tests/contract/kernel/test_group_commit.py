"""Group commit: who is answered is durable, who is refused leaves nothing, and nobody else pays for it."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from tarimba.clock import DAY, HOUR
from tarimba.errors import Refusal
from tarimba.receipts.merkle import Frontier
from tarimba.receipts.model import Recorded
from tarimba.receipts.pending import PendingAct, PendingRead, Stale
from tarimba.receipts.seal import seal
from tarimba.receipts.service import record, record_read
from tarimba.receipts.writer import GroupCommit
from tarimba.storage import Entry, Tx, UnreceiptedWriteError
from tarimba.storage.once import Done, OnceKey, once
from tarimba.storage.tables import receipt_bundle, space_head, space_setting
from tests.contract.kernel.conftest import KEY, Ground, act, add_space, set_value


def write_one(ground: Ground, name: str) -> Recorded:
    def work(tx: Tx) -> Recorded:
        set_value(tx, name, "1")
        return record(tx, act(name=name))

    return ground.writer.commit("s", work)


@pytest.mark.promise("log-gapless")
def test_parallel_acts_and_reads_take_every_position_once(ground: Ground) -> None:
    with ThreadPoolExecutor(32) as pool:
        acts = list(pool.map(lambda n: write_one(ground, f"n{n}"), range(60)))
        reads = list(pool.map(lambda _: record_read(ground.writer, "s", act()), range(60)))
    assert sorted(recorded.seq for recorded in acts + reads) == list(range(120))
    assert ground.log_size() == 120


@pytest.mark.promise("log-gapless")
def test_the_head_holds_the_tree_of_all_leaves_and_its_seal(ground: Ground) -> None:
    for number in range(7):
        write_one(ground, f"n{number}")
    with ground.database.read() as connection:
        order = select(receipt_bundle.c.hashes).order_by(receipt_bundle.c.first_seq)
        hashes = b"".join(bytes(row.hashes) for row in connection.execute(order))
        head = connection.execute(select(space_head).where(space_head.c.space_id == "s")).one()
    leaves = [hashes[start : start + 32] for start in range(0, len(hashes), 32)]
    root = Frontier.empty().extend(leaves).root()
    assert len(leaves) == 7
    assert Frontier.from_bytes(bytes(head.frontier)).root() == root
    assert bytes(head.seal) == seal(KEY, 7, root)


def test_requests_that_gather_share_one_transaction(ground: Ground) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        entered.set()
        go_on.wait()
        record(tx, act())

    first = PendingAct("s", hold)
    ground.writer.submit(first)
    entered.wait()
    rest = [PendingRead("s", Entry("id", bytes(32), b"{}")) for _ in range(50)]
    for pending in rest:
        ground.writer.submit(pending)
    go_on.set()
    assert all(pending.wait(30) for pending in [first, *rest])
    assert ground.log_size() == 51
    assert ground.bundles() == 2


@pytest.mark.promise("refused-stores-nothing")
def test_a_refused_act_leaves_nothing_and_its_neighbours_stay(ground: Ground) -> None:
    def refuse(tx: Tx) -> None:
        set_value(tx, "refused", "1")
        tx.next_ordinal()
        tx.changed()
        record(tx, act())
        raise Refusal("conflict", "no")

    entered, go_on = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        entered.set()
        go_on.wait()
        record(tx, act())

    def good(tx: Tx) -> Recorded:
        set_value(tx, "good", "1")
        return record(tx, act())

    batch = [PendingAct("s", hold), PendingAct("s", refuse), PendingAct("s", good)]
    ground.writer.submit(batch[0])
    entered.wait()
    for pending in batch[1:]:
        ground.writer.submit(pending)
    go_on.set()
    assert all(pending.wait(30) for pending in batch)
    assert isinstance(batch[1].outcome, Refusal)
    assert batch[2].outcome[0].seq == 1
    with ground.database.read() as connection:
        assert connection.scalars(select(space_setting.c.name)).all() == ["good"]
        head = connection.execute(select(space_head).where(space_head.c.space_id == "s")).one()
    assert (head.size, head.counter, head.generation) == (2, 0, 0)


@pytest.mark.promise("no-change-without-receipt")
def test_a_change_without_a_receipt_is_not_committed(ground: Ground) -> None:
    with pytest.raises(UnreceiptedWriteError):
        ground.writer.commit("s", lambda tx: set_value(tx, "silent", "1"))
    with ground.database.read() as connection:
        assert connection.scalars(select(space_setting.c.name)).all() == []


def test_a_broken_statement_fails_its_own_request_only(ground: Ground) -> None:
    def twice(tx: Tx) -> None:
        set_value(tx, "same", "1")
        set_value(tx, "same", "2")

    with pytest.raises(IntegrityError):
        ground.writer.commit("s", twice)
    assert write_one(ground, "after").seq == 0


def test_an_unknown_space_is_not_found_and_does_not_stop_the_others(ground: Ground) -> None:
    with pytest.raises(Refusal) as refused:
        ground.writer.commit("nowhere", lambda tx: record(tx, act()))
    assert refused.value.code == "not_found"
    assert write_one(ground, "after").seq == 0


def test_a_space_is_made_in_the_transaction_that_locks_it(ground: Ground) -> None:
    def make(connection: Connection) -> None:
        add_space(connection, "new")

    recorded = ground.writer.commit("new", lambda tx: record(tx, act()), before=make)
    assert recorded.seq == 0
    assert ground.log_size("new") == 1


def test_a_full_queue_answers_unavailable_with_a_time(ground: Ground) -> None:
    writer = GroupCommit(ground.database, ground.clock, lambda _: KEY, queue_max=1)
    writer.submit(PendingRead("s", Entry("id", bytes(32), b"{}")))
    with pytest.raises(Refusal) as refused:
        writer.submit(PendingRead("s", Entry("id", bytes(32), b"{}")))
    assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)


def test_stopping_answers_everybody_who_waits(ground: Ground) -> None:
    pendings = [PendingRead("s", Entry("id", bytes(32), b"{}")) for _ in range(100)]
    for pending in pendings:
        ground.writer.submit(pending)
    ground.writer.stop()
    assert all(isinstance(pending.outcome, Recorded) for pending in pendings)
    with pytest.raises(Refusal):
        ground.writer.submit(pendings[0])


def test_a_cached_read_is_sent_back_when_the_space_has_changed(ground: Ground) -> None:
    def change(tx: Tx) -> None:
        record(tx, act())
        tx.changed()

    ground.writer.commit("s", change)
    old = PendingRead("s", Entry("id", bytes(32), b"{}"), generation=0)
    now = PendingRead("s", Entry("id", bytes(32), b"{}"), generation=1)
    for pending in (old, now):
        ground.writer.submit(pending)
        assert pending.wait(30)
    assert old.outcome == Stale(1)
    assert now.outcome.seq == 1


def test_a_cached_read_is_sent_back_when_its_time_has_passed(ground: Ground) -> None:
    ended = PendingRead("s", Entry("id", bytes(32), b"{}"), expires_at=ground.clock.now_us() - 1)
    ground.writer.submit(ended)
    assert ended.wait(30)
    assert isinstance(ended.outcome, Stale)
    assert ground.log_size() == 0


def test_coroutines_are_woken(ground: Ground) -> None:
    async def read() -> list[Recorded]:
        loop = asyncio.get_running_loop()
        pendings = [PendingRead("s", Entry("id", bytes(32), b"{}"), loop=loop) for _ in range(20)]
        for pending in pendings:
            ground.writer.submit(pending)
        for pending in pendings:
            await pending
        return [pending.outcome for pending in pendings]

    assert [recorded.seq for recorded in asyncio.run(read())] == list(range(20))


@pytest.mark.promise("clock-never-goes-back")
def test_time_stands_still_when_the_clock_is_set_back(ground: Ground) -> None:
    def moment(tx: Tx) -> int:
        record(tx, act())
        return tx.now

    start = ground.writer.commit("s", moment)
    ground.clock.offset_us = -HOUR
    assert ground.writer.commit("s", moment) >= start
    assert ground.writer.now("s") >= start
    ground.clock.offset_us = DAY
    assert ground.writer.commit("s", moment) >= start + DAY - HOUR


def test_ordinals_go_on_and_are_not_reused_by_others(ground: Ground) -> None:
    def number(tx: Tx) -> int:
        record(tx, act())
        return tx.next_ordinal()

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: ground.writer.commit("s", number), range(40)))
    assert sorted(numbers) == list(range(1, 41))
    assert ground.writer.commit("t", number) == 1


@pytest.mark.promise("idempotent-writes")
def test_the_same_request_at_once_happens_once(ground: Ground) -> None:
    key = OnceKey.of(KEY, "actor", "POST /x", "key-1", b"{}")

    def work(tx: Tx) -> Done:
        def do() -> Done:
            name = f"n{tx.next_ordinal()}"
            set_value(tx, name, "1")
            return Done(201, {"name": name}, record(tx, act()).seq)

        return once(tx, key, do)

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda _: ground.writer.commit("s", work), range(16)))
    assert {(done.status, done.ids["name"], done.seq) for done in results} == {(201, "n1", 0)}
    assert sum(not done.replayed for done in results) == 1
    assert ground.log_size() == 1


@pytest.mark.promise("idempotent-writes")
def test_a_key_with_another_body_conflicts_and_is_free_again_after_a_day(ground: Ground) -> None:
    def run(body: bytes) -> Done:
        key = OnceKey.of(KEY, "actor", "POST /x", "key-1", body)
        return ground.writer.commit(
            "s", lambda tx: once(tx, key, lambda: Done(200, seq=record(tx, act()).seq))
        )

    assert run(b"1").seq == 0
    with pytest.raises(Refusal, match="another body") as refused:
        run(b"2")
    assert refused.value.code == "conflict"
    ground.clock.offset_us = DAY
    assert run(b"2").seq == 1


def test_reads_can_not_write(ground: Ground) -> None:
    with ground.database.read() as connection, pytest.raises(Exception, match=r"(?i)read.?only"):
        connection.execute(delete(space_setting))


def test_two_writers_keep_one_chain(ground: Ground) -> None:
    second = GroupCommit(ground.database, ground.clock, lambda _: KEY, queue_max=4096)
    second.start()

    def append(number: int) -> int:
        writer = second if number % 2 else ground.writer
        return record_read(writer, "s", act()).seq

    with ThreadPoolExecutor(16) as pool:
        seqs = list(pool.map(append, range(80)))
    second.stop()
    assert sorted(seqs) == list(range(80))
    with ground.database.read() as connection:
        rows = connection.execute(
            select(receipt_bundle.c.first_seq, receipt_bundle.c.count).order_by(receipt_bundle.c.first_seq)
        ).all()
    counts = [row[1] for row in rows]
    assert [row[0] for row in rows] == [sum(counts[:place]) for place in range(len(rows))]


def test_entries_of_a_bundle_are_lines(ground: Ground) -> None:
    ground.writer.commit("s", lambda tx: (record(tx, act(a=1)), record(tx, act(b=2))))
    with ground.database.read() as connection:
        row = connection.execute(select(receipt_bundle)).one()
    assert row[2] == len(bytes(row.entries).split(b"\n")) == len(bytes(row.hashes)) // 32 == 2


def test_rows_of_two_spaces_in_one_batch_go_to_their_logs(ground: Ground) -> None:
    spaces = ["t", "s", "t", "s"]
    pendings = [PendingAct(name, lambda tx: record(tx, act())) for name in spaces]
    for pending in pendings:
        ground.writer.submit(pending)
    assert all(pending.wait(30) for pending in pendings)
    assert (ground.log_size("s"), ground.log_size("t")) == (2, 2)
    with ground.database.read() as connection:
        assert connection.execute(select(insert(space_head).table)).all()
