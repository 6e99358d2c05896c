"""Imports that come twice, documents that say a thing twice, and logs that are verified whatever jobs say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tarimba.erasure import importing
from tarimba.erasure import service as erasure
from tarimba.erasure.model import Imported
from tarimba.receipts.audit import verify_space
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import job, note_chain
from tests.contract.notes.world import World, code, refusal


def document(world: World, count: int = 3) -> bytes:
    """Some notes as an agent exports them, and the agent without them."""
    world.set(writes_per_hour=100)
    for number in range(count):
        world.write("billing", f"Step {number}")
    source_id = world.sources["billing"]
    raw = b"".join(erasure.export(world.kernel, world.caller("owner"), source_id).pieces)
    erasure.erase(world.kernel, world.caller("owner"), source_id)
    return raw


def take_in(world: World, raw: bytes, key: str | None = None) -> Imported:
    once_key = None
    if key is not None:
        once_key = OnceKey.of(world.kernel.keys.of(world.space_id), "me", "POST /import", key, b"")
    chunks: Iterator[bytes] = iter([raw[:50], raw[50:]])
    return erasure.import_notes(world.kernel, world.caller("owner"), chunks, once_key=once_key)


def changed(raw: bytes, **members: Any) -> bytes:
    return json.dumps(json.loads(raw) | members).encode()


@pytest.mark.promise("idempotent-writes")
def test_an_import_that_comes_again_answers_the_first(world: World) -> None:
    raw = document(world)
    row = json.loads(raw)["notes"][0]
    raw = changed(raw, notes=[*json.loads(raw)["notes"], {**row, "sec-ret": 1}])
    first = take_in(world, raw, "one")
    receipts = len(world.receipts())
    assert take_in(world, raw, "one") == first
    assert (first.versions, len(first.refused)) == (3, 1)
    assert world.count(note_chain) == 3
    assert len(world.receipts()) == receipts


def test_a_key_that_comes_with_another_document_is_a_conflict(world: World) -> None:
    raw = document(world)
    take_in(world, raw, "one")
    assert code(lambda: take_in(world, raw + b" ", "one")) == "conflict"
    assert code(lambda: take_in(world, raw, "two")) == "conflict", "the agent has notes"
    assert world.count(note_chain) == 3


def test_an_import_that_failed_does_not_use_up_its_key(world: World) -> None:
    raw = document(world)
    assert refusal(lambda: take_in(world, raw[:-5], "one")).status == 400
    assert take_in(world, raw, "one").versions == 3


@pytest.mark.parametrize(
    "twice",
    [
        b'{"notes":[],"notes":[]}',
        b'{"source_id":null,"source_id":null,"notes":[]}',
        b'{"notes":[],"exported_at":"","notes":[]}',
        b"{[]:1}",
        b"{1:1}",
    ],
)
def test_a_member_that_stands_twice_or_has_no_name_is_no_document(world: World, twice: bytes) -> None:
    assert refusal(lambda: take_in(world, twice)).status == 400


def test_the_rows_that_are_named_have_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "NAMED_MAX", 2)
    done = take_in(world, b'{"notes":[1,2,3,4,5]}')
    assert (done.refused_count, [row.index for row in done.refused]) == (5, [0, 1])


@pytest.mark.parametrize("payload", ["{", "[]", "7", "{}", '{"source_id": 7}'])
def test_a_log_verifies_whatever_a_job_says(world: World, payload: str) -> None:
    world.write("billing")
    row = {"job_id": "j", "kind": "import", "payload": payload, "state": "ready", "run_after": 0}
    with world.kernel.database.write() as connection:
        connection.execute(job.insert().values(space_id=world.space_id, created_at=0, ordinal=1, **row))
    assert verify_space(world.kernel, world.space_id).ok


def test_an_erasure_ends_an_import_that_is_under_way(world: World) -> None:
    raw = document(world, 25)

    def overtaken() -> Iterator[bytes]:
        # More than is read ahead, so that the rows before it are stored.
        yield raw[:-2] + b" " * 100_000
        assert world.count(note_chain) > 0
        erasure.erase(world.kernel, world.caller("owner"), world.sources["billing"])
        yield raw[-2:]

    owner = world.caller("owner")
    assert code(lambda: erasure.import_notes(world.kernel, owner, overtaken())) == "conflict"
    assert world.count(note_chain) == 0
    assert verify_space(world.kernel, world.space_id).ok
