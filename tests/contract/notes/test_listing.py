"""Lists: newest first, in pages that stay what they are while others write."""

from functools import partial
from typing import Any

import pytest

from tarimba.notes import service
from tarimba.notes.model import Changes, Filter, Note
from tests.contract.notes.world import World, code


def page(world: World, who: str = "owner", limit: int = 3, cursor: str | None = None, **wanted: Any) -> Any:
    caller = world.caller(who)
    return service.list_notes(world.kernel, caller, Filter(**wanted), cursor=cursor, limit=limit)


def walk(world: World, between: Any = None, **options: Any) -> list[str]:
    """All pages one after another, with something done between them."""
    titles: list[str] = []
    cursor = None
    while True:
        read = page(world, cursor=cursor, **options)
        titles += [note.title for note in read.notes]
        cursor = read.next_cursor
        if cursor is None:
            return titles
        if between is not None:
            between()


def ten(world: World) -> list[Note]:
    return [world.write("billing", f"Step {number}") for number in range(10)]


def test_pages_hold_every_note_once_newest_first(world: World) -> None:
    ten(world)
    expected = [f"Step {number}" for number in reversed(range(10))]
    assert walk(world) == expected
    assert walk(world, limit=1) == expected
    assert walk(world, limit=10) == expected
    assert page(world, limit=10).next_cursor is None


def test_pages_stay_stable_while_others_write(world: World) -> None:
    world.set(writes_per_hour=100)
    notes = ten(world)

    def write() -> None:
        world.write("billing", "New")
        # Edited notes keep their place: a list goes by when a chain began.
        head = service.versions(world.kernel, world.caller("owner"), notes[1].note_id).notes[-1]
        body = f"Text {head.version}."
        service.edit(world.kernel, world.caller("billing"), head.note_id, Changes(body=body))

    assert walk(world, write) == [f"Step {number}" for number in reversed(range(10))]


def test_a_note_retired_meanwhile_leaves_no_gap_and_no_double(world: World) -> None:
    notes = ten(world)
    first = page(world, status="active")
    service.retire(world.kernel, world.caller("billing"), notes[7].note_id)
    service.retire(world.kernel, world.caller("billing"), notes[6].note_id)
    second = page(world, status="active", cursor=first.next_cursor)
    assert [note.title for note in first.notes + second.notes] == [
        f"Step {number}" for number in (9, 8, 7, 5, 4, 3)
    ]


def test_filters(world: World) -> None:
    world.write("billing", "A", tags=("erp", "a_b"))
    world.write("reviewer", "B", owner="billing", visibility="space", tags=("axb",), kind="pitfall")
    gone = world.write("courier", "C", tags=("erp.cloud",))
    service.retire(world.kernel, world.caller("courier"), gone.note_id)
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["C", "B", "A"]),
        ({"status": "active"}, ["B", "A"]),
        ({"status": "retired"}, ["C"]),
        ({"visibility": "space"}, ["B"]),
        ({"kind": "pitfall"}, ["B"]),
        ({"tag": "erp"}, ["A"]),
        ({"tag": "a_b"}, ["A"]),
        ({"tag": "cloud"}, []),
        ({"source_id": world.sources["courier"]}, ["C"]),
        ({"source_id": world.sources["billing"], "kind": "procedure"}, ["A"]),
        ({"source_id": "no-id"}, []),
    ]
    for wanted, expected in cases:
        assert [note.title for note in page(world, **wanted).notes] == expected, wanted


def test_only_heads_are_listed(world: World) -> None:
    note = world.write("billing", "A")
    service.edit(world.kernel, world.caller("billing"), note.note_id, Changes(title="A again"))
    assert [found.title for found in page(world).notes] == ["A again"]


@pytest.mark.parametrize("spoil", ["filter", "actor", "kind", "tampered", "odd", "empty", "long", "unicode"])
def test_a_cursor_is_good_for_its_own_list_and_caller_alone(world: World, spoil: str) -> None:
    ten(world)
    cursor = page(world).next_cursor
    flipped = ("A" if cursor[5] != "A" else "B").join((cursor[:5], cursor[6:]))
    attempts: dict[str, dict[str, Any]] = {
        "filter": {"cursor": cursor, "status": "active"},
        "actor": {"cursor": cursor, "who": "auditor"},
        "kind": {"cursor": cursor, "who": "admin"},
        "tampered": {"cursor": flipped},
        "odd": {"cursor": cursor[:-1]},
        "empty": {"cursor": ""},
        "long": {"cursor": "A" * 200},
        "unicode": {"cursor": "ação"},
    }
    assert code(partial(page, world, **attempts[spoil])) == "invalid_input"
    assert code(lambda: page(world, cursor=cursor)) == "ok"


def test_a_list_leaves_ids_and_commitments(world: World) -> None:
    note = world.write("billing", tags=("zzyzx",))
    page(world, tag="zzyzx", kind="procedure", source_id=world.sources["billing"])
    entry = world.receipts("notes.list")[-1]
    key = world.kernel.keys.of(world.space_id)
    assert entry["detail"] == {
        "notes": [note.note_id],
        "limit": 3,
        "note_kind": "procedure",
        "tag": key.commit("zzyzx"),
        "source": key.commit(world.sources["billing"]),
    }
    assert entry["actor"]["type"] == "person"
