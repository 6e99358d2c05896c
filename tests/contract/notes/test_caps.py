"""Caps are exact, whoever comes at once and wherever the clock is moved."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tarimba.clock import DAY, HOUR, SECOND
from tarimba.erasure import service as erasure
from tarimba.notes import service
from tarimba.notes.model import Changes, Draft
from tarimba.storage.once import OnceKey
from tarimba.storage.tables import agent_event, note_version, refusal_count
from tests.contract.notes.world import World, at_once, code, refusal

PHONE = "Call +55 11 91234-5678 first."


def fill(world: World, count: int) -> None:
    """`count` active notes for the agent, past its hourly cap."""
    row: dict[str, Any] = {
        "source_id": world.sources["billing"],
        "kind": "pitfall",
        "body": "Text.",
        "tags": [],
    }
    row |= {"visibility": "source", "evidence": None, "origin": "agent", "version": 1, "status": "active"}
    row |= {"supersedes_note_id": None, "valid_until": None, "created_at": "2026-01-01T00:00:00Z"}
    row |= {"created_by": world.sources["billing"]}
    rows = [
        {**row, "note_id": f"01900000-0000-7000-8000-{number:012x}", "title": f"Step {number}"}
        for number in range(count)
    ]
    whole = json.dumps({"notes": rows}).encode()
    pieces: Iterator[bytes] = iter([whole])
    assert erasure.import_notes(world.kernel, world.caller("owner"), pieces).versions == count


def counted(world: World) -> dict[str, int]:
    with world.kernel.database.read() as connection:
        return {row.kind: row._mapping["count"] for row in connection.execute(refusal_count.select())}


def test_forty_writes_at_once_store_twenty(world: World) -> None:
    world.add_key("second", "billing")
    keys = ("billing", "second")
    codes = at_once([lambda n=n: world.write(keys[n % 2], f"Step {n}") for n in range(40)])  # type: ignore[misc]
    assert sorted(set(codes)) == ["ok", "rate_limited"]
    assert codes.count("ok") == 20
    assert world.count(note_version) == 20
    assert counted(world) == {"rate_limited": 20}


def test_thirty_writes_at_once_fill_the_last_ten_places(world: World) -> None:
    world.set(writes_per_hour=100)
    fill(world, 490)
    codes = at_once([lambda n=n: world.write("billing", f"Late {n}") for n in range(30)])  # type: ignore[misc]
    assert (codes.count("ok"), codes.count("agent_memory_full")) == (10, 20)
    assert counted(world) == {"agent_memory_full": 20}


def test_the_wait_is_told_to_the_second_and_holds(world: World) -> None:
    world.set(writes_per_hour=2)
    clock = world.kernel.clock
    world.write("billing")
    clock.offset_us += 600 * SECOND
    world.write("billing")
    seconds = refusal(lambda: world.write("billing")).retry_after
    assert seconds is not None
    assert 2995 <= seconds <= 3000
    clock.offset_us += (seconds - 15) * SECOND
    assert code(lambda: world.write("billing")) == "rate_limited"
    clock.offset_us += 15 * SECOND
    assert code(lambda: world.write("billing")) == "ok"
    assert code(lambda: world.write("billing")) == "rate_limited"
    # The one that left the window is not kept.
    assert world.count(agent_event) == 2


def test_a_lowered_cap_makes_wait_until_enough_have_left(world: World) -> None:
    clock = world.kernel.clock
    for _ in range(3):
        world.write("billing")
        clock.offset_us += 600 * SECOND
    world.set(writes_per_hour=1)
    seconds = refusal(lambda: world.write("billing")).retry_after
    assert seconds is not None
    # The third write, ten minutes ago, is the one that has to leave.
    assert 2995 <= seconds <= 3000


@pytest.mark.parametrize("moved", [-HOUR, -DAY])
def test_a_clock_set_back_lets_nobody_write_more(world: World, moved: int) -> None:
    world.set(writes_per_hour=2)
    first = world.write("billing")
    world.kernel.clock.offset_us += moved
    second = world.write("billing")
    assert second.created_at >= first.created_at
    wait = refusal(lambda: world.write("billing")).retry_after
    assert wait is not None
    assert 3590 <= wait <= 3600


def test_a_clock_set_on_a_day_opens_the_window_once(world: World) -> None:
    world.set(writes_per_hour=1)
    world.write("billing")
    world.kernel.clock.offset_us += DAY
    assert code(lambda: world.write("billing")) == "ok"
    assert code(lambda: world.write("billing")) == "rate_limited"


def test_edits_count_and_retiring_never_does(world: World) -> None:
    world.set(writes_per_hour=2)
    note = world.write("billing")
    caller = world.caller("billing")
    head = service.edit(world.kernel, caller, note.note_id, Changes(body="Another.")).kept
    assert code(lambda: world.write("billing")) == "rate_limited"
    unchanged = service.edit(world.kernel, world.caller("billing"), head.note_id, Changes(body="Another."))
    assert unchanged.kept.note_id == head.note_id
    assert service.retire(world.kernel, world.caller("billing"), head.note_id).kept.status == "retired"
    # People have no hour to use up, and another agent has its own.
    assert code(lambda: world.write("reviewer", owner="billing")) == "ok"
    assert code(lambda: world.write("support")) == "ok"


def test_what_was_refused_counts_nothing(world: World) -> None:
    world.set(writes_per_hour=1, title_max=10)
    assert code(lambda: world.write("billing", "A title above the limit")) == "invalid_input"
    assert code(lambda: world.write("billing", "Short", body=PHONE)) == "personal_data_in_agent_memory"
    assert world.count(note_version) == 0
    assert code(lambda: world.write("billing", "Short")) == "ok"


def test_a_full_agent_may_edit_and_retire_and_has_room_again(world: World) -> None:
    world.set(active_notes_max=2)
    first, _ = world.write("billing", "First"), world.write("billing", "Second")
    assert code(lambda: world.write("billing", "Third")) == "agent_memory_full"
    assert code(lambda: world.write("admin", "Third", owner="billing")) == "agent_memory_full"
    caller = world.caller("billing")
    head = service.edit(world.kernel, caller, first.note_id, Changes(body="Another.")).kept
    service.retire(world.kernel, world.caller("billing"), head.note_id)
    assert code(lambda: world.write("billing", "Third")) == "ok"


def test_an_ended_note_takes_no_place_until_it_is_prolonged(world: World) -> None:
    world.set(active_notes_max=1)
    end = world.kernel.clock.now_us() + HOUR
    ended = world.write("billing", "Ends", valid_until=end)
    world.kernel.clock.offset_us += 2 * HOUR
    kept = world.write("billing", "Takes its place")
    caller = world.caller("billing")
    prolong = Changes(clears_end=True)
    assert code(lambda: service.edit(world.kernel, caller, ended.note_id, prolong)) == "agent_memory_full"
    service.retire(world.kernel, caller, kept.note_id)
    assert code(lambda: service.edit(world.kernel, caller, ended.note_id, prolong)) == "ok"


def test_an_agent_that_is_refused_too_often_has_to_wait(world: World) -> None:
    world.set(refusals_per_hour=5)
    codes = at_once([lambda: world.write("billing", body=PHONE)] * 12)
    assert (codes.count("personal_data_in_agent_memory"), codes.count("rate_limited")) == (5, 7)
    # Neither a clean note nor one that is not gets an answer that tells them apart.
    clean = refusal(lambda: world.write("billing"))
    dirty = refusal(lambda: world.write("billing", body=PHONE))
    assert (clean.code, clean.detail) == (dirty.code, dirty.detail)
    assert clean.retry_after is not None
    assert 3590 <= clean.retry_after <= 3600
    assert counted(world) == {"phone": 5, "rate_limited": 9}
    # Another agent and a person are not held back by it.
    assert code(lambda: world.write("support")) == "ok"
    assert code(lambda: world.write("owner", owner="billing")) == "ok"
    assert code(lambda: world.write("owner", owner="billing", body=PHONE)) == "personal_data_in_agent_memory"
    world.kernel.clock.offset_us += HOUR
    assert code(lambda: world.write("billing")) == "ok"


def test_a_repetition_is_answered_before_the_caps(world: World) -> None:
    world.set(writes_per_hour=1)
    key = OnceKey(world.sources["billing"], "POST notes", "k", "b")
    draft = Draft("pitfall", "Once", "Text.")

    def write() -> str:
        caller = world.caller("billing")
        return service.create(world.kernel, caller, draft, once_key=key).kept.note_id

    first = write()
    assert code(lambda: world.write("billing")) == "rate_limited"
    assert write() == first
    assert world.count(note_version) == 1
