"""Who sees and who changes what: every visibility, every reader, every way of reading."""

from collections.abc import Callable
from functools import partial

import pytest

from tarimba.notes import service
from tarimba.notes.model import Changes, Filter, Note, Outcome, Question
from tests.contract.notes.world import World, code, refusal

PEOPLE = ("owner", "reviewer", "manager", "operator", "auditor")
READERS = {
    "source": {"billing", "admin", *PEOPLE},
    "vendor": {"billing", "support", "admin", *PEOPLE},
    "space": {"billing", "support", "courier", "admin", *PEOPLE},
}
AGENTS = ("billing", "support", "courier")
UNKNOWN = "01900000-0000-7000-8000-000000000000"


def lists(world: World, who: str) -> list[str]:
    found = service.list_notes(world.kernel, world.caller(who), Filter(), limit=100).notes
    return [note.note_id for note in found]


def searches(world: World, who: str) -> list[str]:
    return [n.note_id for n in service.search(world.kernel, world.caller(who), Question("invoices")).notes]


def reads(world: World, who: str, note_id: str) -> str:
    return code(lambda: service.get(world.kernel, world.caller(who), note_id))


def edits(world: World, who: str, note_id: str) -> str:
    return code(lambda: service.edit(world.kernel, world.caller(who), note_id, Changes(body="Another.")))


def retires(world: World, who: str, note_id: str) -> str:
    return code(lambda: service.retire(world.kernel, world.caller(who), note_id))


def opened(world: World, visibility: str) -> Note:
    return world.write("reviewer", owner="billing", visibility=visibility)


@pytest.mark.parametrize("visibility", ["source", "vendor", "space"])
def test_a_note_is_read_by_its_readers_alone_in_every_way(world: World, visibility: str) -> None:
    note = opened(world, visibility)
    ways: list[Callable[[str], bool]] = [
        lambda who: reads(world, who, note.note_id) == "ok",
        lambda who: note.note_id in lists(world, who),
        lambda who: note.note_id in searches(world, who),
        lambda who: code(partial(service.versions, world.kernel, world.caller(who), note.note_id)) == "ok",
    ]
    for way in ways:
        assert {who for who in READERS["space"] if way(who)} == READERS[visibility]
    helped = Outcome(helped=True)
    told = {
        who: code(partial(service.record_outcome, world.kernel, world.caller(who), note.note_id, helped))
        for who in AGENTS
    }
    readers = READERS[visibility]
    assert told == {who: "ok" if who in readers else "not_found" for who in AGENTS}


def test_a_member_reads_no_notes_and_only_agents_tell_outcomes(world: World) -> None:
    note = opened(world, "space")
    assert reads(world, "member", note.note_id) == "scope_missing"
    assert code(lambda: lists(world, "member")) == "scope_missing"
    assert code(lambda: searches(world, "member")) == "scope_missing"
    tell = partial(service.record_outcome, world.kernel)
    for who in ("admin", *PEOPLE, "member"):
        caller = world.caller(who)
        assert code(partial(tell, caller, note.note_id, Outcome(helped=True))) == "scope_missing"


@pytest.mark.parametrize("visibility", ["source", "vendor", "space"])
def test_another_agents_note_is_not_owned_where_it_is_read_and_unknown_where_it_is_not(
    world: World, visibility: str
) -> None:
    note = opened(world, visibility)
    for who in ("support", "courier"):
        expected = "not_owner" if who in READERS[visibility] else "not_found"
        assert edits(world, who, note.note_id) == expected
        assert retires(world, who, note.note_id) == expected
    for who in ("manager", "operator", "auditor", "member"):
        assert edits(world, who, note.note_id) == "scope_missing"
        assert retires(world, who, note.note_id) == "scope_missing"
    for who in ("owner", "reviewer", "admin"):
        mine = opened(world, visibility)
        assert edits(world, who, mine.note_id) == "ok"
        assert retires(world, who, opened(world, visibility).note_id) == "ok"


@pytest.mark.parametrize("note_id", [UNKNOWN, "no-id", "", "01900000-0000-7000-8000-00000000000\0"])
def test_a_note_that_may_not_be_known_is_like_one_that_does_not_exist(world: World, note_id: str) -> None:
    hidden = opened(world, "source").note_id
    other = world.caller("courier")
    acts: list[Callable[[str], object]] = [
        lambda one: service.get(world.kernel, other, one),
        lambda one: service.versions(world.kernel, other, one),
        lambda one: service.edit(world.kernel, other, one, Changes(body="Another.")),
        lambda one: service.retire(world.kernel, other, one),
        lambda one: service.record_outcome(world.kernel, other, one, Outcome(helped=True)),
    ]
    for act in acts:
        unknown = refusal(partial(act, note_id))
        unseen = refusal(partial(act, hidden))
        assert (unseen.code, unseen.detail, unseen.extra) == ("not_found", unknown.detail, unknown.extra)


def test_an_old_version_is_read_only_where_it_and_the_head_allow(world: World) -> None:
    first = opened(world, "source")
    second = service.edit(world.kernel, world.caller("reviewer"), first.note_id, Changes(visibility="space"))
    assert reads(world, "courier", first.note_id) == "not_found"
    assert reads(world, "courier", second.kept.note_id) == "ok"
    seen = service.versions(world.kernel, world.caller("courier"), second.kept.note_id).notes
    assert [note.version for note in seen] == [2]
    closing = Changes(visibility="vendor", body="Closed again.")
    third = service.edit(world.kernel, world.caller("reviewer"), second.kept.note_id, closing).kept
    assert reads(world, "courier", second.kept.note_id) == "not_found"
    assert reads(world, "courier", third.note_id) == "not_found"
    seen = service.versions(world.kernel, world.caller("support"), third.note_id).notes
    assert [note.version for note in seen] == [2, 3]
    # Whoever may see it all sees every version from any of them, oldest first.
    for note_id in (first.note_id, third.note_id):
        seen = service.versions(world.kernel, world.caller("auditor"), note_id).notes
        assert [(n.version, n.status) for n in seen] == [(1, "retired"), (2, "retired"), (3, "active")]


def test_closing_a_note_takes_it_out_of_the_search_of_others(world: World) -> None:
    note = opened(world, "space")
    assert searches(world, "courier") == [note.note_id]
    service.edit(world.kernel, world.caller("reviewer"), note.note_id, Changes(visibility="source"))
    assert searches(world, "courier") == []
    assert len(searches(world, "billing")) == 1


@pytest.mark.parametrize(
    ("scopes", "may_read", "may_write"),
    [
        ("agent_memory", True, False),
        ("context", True, False),
        ("track", False, False),
        ("agent_memory:write", False, True),
        ("agent_memory agent_memory:write", True, True),
    ],
)
def test_scopes_of_a_key(world: World, scopes: str, may_read: bool, may_write: bool) -> None:
    note = world.write("billing")
    world.add_key("narrow", "billing", scopes)
    assert reads(world, "narrow", note.note_id) == ("ok" if may_read else "scope_missing")
    assert code(lambda: world.write("narrow")) == ("ok" if may_write else "scope_missing")
    offered = [tool["function"]["name"] for tool in service.tools(world.kernel, world.caller("narrow"))]
    assert offered == ["search_agent_memory"] * may_read + ["remember"] * may_write


def test_while_off_an_agent_is_given_nothing_and_people_still_see(world: World) -> None:
    note = opened(world, "space")
    world.set(enabled=False)
    assert lists(world, "billing") == []
    assert searches(world, "billing") == searches(world, "owner") == []
    assert reads(world, "billing", note.note_id) == "not_found"
    assert reads(world, "auditor", note.note_id) == "ok"
    assert lists(world, "owner") == [note.note_id]
    for who in ("billing", "owner", "admin"):
        assert edits(world, who, note.note_id) == "agent_memory_off"
    assert retires(world, "billing", note.note_id) == "agent_memory_off"
    assert code(lambda: world.write("billing")) == "agent_memory_off"
    assert code(lambda: opened(world, "source")) == "agent_memory_off"
    assert retires(world, "reviewer", note.note_id) == "ok"
    world.set(enabled=True)
    assert reads(world, "billing", note.note_id) == "ok"
