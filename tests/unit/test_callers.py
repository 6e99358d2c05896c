"""The pace of keys, and the space that a key was last let into."""

import pytest

from tarimba import callers
from tarimba.callers import BURST_SECONDS, Callers, known_by
from tarimba.errors import Refusal


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def admitted(made: Callers, key: bytes, asked: int) -> int:
    """How many of so many reads in a row were let in."""
    count = 0
    for _ in range(asked):
        try:
            made.admit(key)
        except Refusal:
            continue
        count += 1
    return count


@pytest.mark.promise("read-pace")
def test_a_key_has_its_burst_and_then_its_pace() -> None:
    clock = Clock()
    made = Callers(8, clock)
    burst = int(8 * BURST_SECONDS) + 1
    assert admitted(made, b"one", 100) == burst
    with pytest.raises(Refusal, match="too often") as refused:
        made.admit(b"one")
    assert (refused.value.code, refused.value.status, refused.value.retry_after) == ("rate_limited", 429, 1)
    # Refused ones do not count: a second later there is room for a second's reads.
    clock.now += 1.0
    assert admitted(made, b"one", 100) == 8
    assert admitted(made, b"two", 100) == burst


def test_without_a_pace_nothing_is_counted() -> None:
    assert admitted(Callers(), b"one", 5000) == 5000


@pytest.mark.promise("read-pace")
def test_what_is_kept_of_keys_is_bounded_and_forgets_none_that_is_ahead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(callers, "KEYS_MAX", 3)
    clock = Clock()
    made = Callers(1, clock)
    assert admitted(made, b"ahead", 9) == 3
    clock.now += 1.0
    for name in (b"a", b"b", b"c", b"d"):
        made.admit(name)
        made.learn(name, name.decode())
        clock.now += 0.3
    assert admitted(made, b"ahead", 9) == 2
    assert [made.space_of(name) for name in (b"a", b"b", b"c", b"d")] == ["", "b", "c", "d"]


def test_no_secret_is_kept() -> None:
    assert b"tar_sk_" not in known_by("tar_sk_live_x")
