"""Spaces take turns, and none crowds the others out."""

import pytest

from tarimba.turns import Turns


@pytest.mark.promise("fair-between-spaces")
def test_a_quiet_space_waits_for_one_turn_of_a_busy_one() -> None:
    turns: Turns[str] = Turns(100)
    for at in range(50):
        assert turns.put("busy", f"busy {at}")
    assert turns.put("quiet", "quiet 0")
    assert turns.take(3) == ["busy 0", "quiet 0", "busy 1"]
    assert turns.take(2) == ["busy 2", "busy 3"]
    assert len(turns) == 46


@pytest.mark.promise("fair-between-spaces")
def test_a_full_queue_has_room_for_whoever_has_less_than_their_share() -> None:
    turns: Turns[int] = Turns(10)
    assert [turns.put("busy", at) for at in range(12)] == [True] * 10 + [False] * 2
    assert [turns.put("quiet", at) for at in range(6)] == [True] * 5 + [False]
    assert [turns.put("third", at) for at in range(4)] == [True] * 3 + [False]
    assert not turns.put("busy", 12)
    assert len(turns) == 18


def test_however_many_spaces_there_are_never_twice_as_many_wait() -> None:
    turns: Turns[int] = Turns(10)
    for space in range(100):
        for at in range(20):
            turns.put(str(space), at)
    assert len(turns) == 20


def test_what_is_put_back_is_first_of_its_space_again() -> None:
    turns: Turns[int] = Turns(10)
    for at in range(4):
        turns.put("one", at)
    taken = turns.take(3)
    turns.put_back("one", taken[1:])
    assert len(turns) == 3
    assert turns.take(9) == [1, 2, 3]
    turns.put_back("one", [])
    assert turns.take(1) == []
