"""Durable sessions: what was acknowledged stays, a torn line costs nothing else, and folding again adds nothing."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarimba.errors import Refusal
from tarimba.workspaces import sessions
from tarimba.workspaces.session_lines import APART_MAX, LINE_MAX, MARK, read_message, session_key
from tarimba.workspaces.sessions import APART, ROOT, SUFFIX, Shelf

NOW = "2026-01-02T03:04:05.000000Z"
KEY = session_key("member", "session")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return fresh(tmp_path)


def fresh(home: Path) -> Shelf:
    (home / "workspace").mkdir()
    return Shelf(home, home / "workspace")


def file_of(shelf: Shelf) -> Path:
    return shelf.workspace / ROOT / f"{KEY}{SUFFIX}"


def said(text: object, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def contents(shelf: Shelf) -> list[Any]:
    return [one["content"] for one in everything(shelf)]


def everything(shelf: Shelf, limit: int = 200) -> list[Any]:
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = sessions.read(shelf, KEY, after, limit)
        assert page.damaged == 0
        found += page.messages
        after = page.ends_at
    return found


def test_a_key_is_what_harnesses_reckon_too() -> None:
    assert hashlib.sha256(b"member::session").hexdigest()[:32] == KEY


def test_lines_are_added_in_order_each_with_its_time(shelf: Shelf) -> None:
    done = sessions.append(shelf, KEY, [said("a"), said("b\n", created_at="then", id=7)], NOW)
    assert done == sessions.Appended(2, file_of(shelf).stat().st_size)
    first, second = map(json.loads, file_of(shelf).read_text().splitlines())
    assert first == {"created_at": NOW, "role": "user", "content": "a"}
    assert second == {"created_at": "then", "role": "user", "content": "b\n", "id": 7}
    assert file_of(shelf).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b'{"role":"user"}', b'{"content":"x"}', b'{"role":7,"content":"x"}', b"{", b"\xff", b"[" * 99_999,
     b'{"role":"user","content":"x","created_at":1}'],
)  # fmt: skip
def test_what_is_no_message_is_refused_and_not_repeated(text: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        read_message(text)
    assert caught.value.status == 422


@pytest.mark.parametrize("content", ["\ud800", float("nan")])
def test_what_no_line_can_hold_is_refused_before_anything_is_written(shelf: Shelf, content: Any) -> None:
    with pytest.raises(Refusal):
        sessions.append(shelf, KEY, [said("a"), said(content)], NOW)
    assert not file_of(shelf).exists()


@pytest.mark.promise("session-torn-line")
@pytest.mark.parametrize("torn", [b"{", b'{"role":"user","con', b"\0\0\0", b'{"a":"\xc3'])
def test_a_torn_last_line_goes_and_nothing_else(shelf: Shelf, torn: bytes) -> None:
    sessions.append(shelf, KEY, [said("a")], NOW)
    with file_of(shelf).open("ab") as stream:
        stream.write(torn)
    assert contents(shelf) == ["a"]
    sessions.append(shelf, KEY, [said("b")], NOW)
    assert contents(shelf) == ["a", "b"]


def test_a_whole_last_line_without_its_break_is_kept(shelf: Shelf) -> None:
    sessions.append(shelf, KEY, [said("a")], NOW)
    with file_of(shelf).open("a") as stream:
        stream.write(json.dumps(said("by the agent")))
    sessions.append(shelf, KEY, [said("b")], NOW)
    assert contents(shelf) == ["a", "by the agent", "b"]


def test_damaged_lines_are_counted_and_passed_over(shelf: Shelf) -> None:
    sessions.append(shelf, KEY, [said("a")], NOW)
    with file_of(shelf).open("ab") as stream:
        stream.write(b"no json\n" + b"x" * (LINE_MAX + 10) + b"\n[]\n")
    sessions.append(shelf, KEY, [said("b")], NOW)
    first = sessions.read(shelf, KEY)
    assert first.ends_at is not None
    second = sessions.read(shelf, KEY, first.ends_at)
    assert [one["content"] for one in (*first.messages, *second.messages)] == ["a", "b"]
    assert first.damaged + second.damaged == 3


def test_a_long_message_is_stored_apart_and_referred_to(shelf: Shelf) -> None:
    long = "é" * (LINE_MAX // 2)
    for _ in range(2):
        sessions.fold(shelf, KEY, [said("a"), said(long), said("b")], NOW)
    middle = everything(shelf)[1]
    assert (middle["role"], middle["content"], middle["created_at"]) == ("user", "", NOW)
    data = sessions.read_apart(shelf, KEY, middle["apart"]["hash"])
    assert len(data) == middle["apart"]["size"]
    assert json.loads(data)["content"] == long
    assert len(list((file_of(shelf).parent / f"{KEY}{APART}").iterdir())) == 1
    with pytest.raises(Refusal) as caught:
        read_message(b'"' + b"x" * APART_MAX + b'"')
    assert caught.value.code == "too_large"
    for digest in ("../../x", "0" * 64, "/" * 64):
        with pytest.raises(Refusal, match="no such"):
            sessions.read_apart(shelf, KEY, digest)


def test_pages_hold_everything_once(shelf: Shelf) -> None:
    sessions.append(shelf, KEY, [said(str(number) + "x" * 9_000) for number in range(300)], NOW)
    assert [one["content"].rstrip("x") for one in everything(shelf, 7)] == [str(one) for one in range(300)]
    page = sessions.read(shelf, KEY, limit=1000)
    assert page.ends_at is not None
    assert page.ends_at <= 1024 * 1024
    with pytest.raises(Refusal, match="where a line begins"):
        sessions.read(shelf, KEY, 3)


def test_what_is_not_there_is_not_made_by_looking(shelf: Shelf) -> None:
    with pytest.raises(Refusal, match="no such session"):
        sessions.read(shelf, KEY)
    assert list(shelf.workspace.iterdir()) == []
    with pytest.raises(Refusal, match="no such workspace"):
        sessions.append(Shelf(shelf.home, shelf.home / "workspace-none"), KEY, [said("a")], NOW)


@pytest.mark.promise("confined-writes")
def test_nothing_is_written_through_what_the_agent_puts_in_the_way(shelf: Shelf, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / f"{KEY}{SUFFIX}"
    target.write_text("")
    (shelf.workspace / "sessions").mkdir()
    (shelf.workspace / ROOT).symlink_to(outside)
    with pytest.raises(Refusal):
        sessions.append(shelf, KEY, [said("a")], NOW)
    (shelf.workspace / ROOT).unlink()
    (shelf.workspace / ROOT).mkdir()
    for put in (file_of(shelf).symlink_to, file_of(shelf).hardlink_to):
        put(target)
        with pytest.raises(Refusal):
            sessions.append(shelf, KEY, [said("a")], NOW)
        file_of(shelf).unlink()
    os.mkfifo(file_of(shelf))
    with pytest.raises(Refusal):
        sessions.append(shelf, KEY, [said("a")], NOW)
    assert target.read_text() == ""


MESSAGES = st.lists(
    st.sampled_from([said("ok"), said("yes"), said("ok", created_at="t"), said("ok", id=1)]), max_size=6
)


@pytest.mark.promise("session-folds-once")
@settings(max_examples=30, deadline=None)
@given(st.lists(MESSAGES, max_size=4))
def test_folding_keeps_each_message_as_often_as_any_transcript_had_it(
    tmp_path_factory: pytest.TempPathFactory, transcripts: list[list[dict[str, Any]]]
) -> None:
    shelf = fresh(tmp_path_factory.mktemp("home"))
    most: Counter[str] = Counter()
    for transcript in transcripts:
        sessions.fold(shelf, KEY, transcript, NOW)
        most |= Counter(json.dumps({"created_at": NOW} | one, sort_keys=True) for one in transcript)
        assert sessions.fold(shelf, KEY, transcript, "later").lines == 0
    kept = (
        [{name: value for name, value in one.items() if name != MARK} for one in everything(shelf)]
        if most
        else []
    )
    assert Counter(json.dumps(one, sort_keys=True) for one in kept) == most


def test_a_growing_transcript_is_folded_in_its_order_also_after_a_crash_in_the_middle(shelf: Shelf) -> None:
    transcript = [said(str(number % 4)) for number in range(12)]
    sessions.fold(shelf, KEY, transcript[:5], NOW)
    sessions.fold(shelf, KEY, transcript, NOW)
    data = file_of(shelf).read_bytes()
    for cut in range(0, len(data), 37):
        file_of(shelf).write_bytes(data[:cut])
        sessions.fold(shelf, KEY, transcript, NOW)
        assert file_of(shelf).read_bytes() == data


def test_what_was_appended_with_its_time_is_not_folded_in_again(shelf: Shelf) -> None:
    sessions.append(shelf, KEY, [said("a", created_at="t")], NOW)
    assert sessions.fold(shelf, KEY, [said("a", created_at="t"), said("b")], NOW).lines == 1


WRITER = """
import sys
from pathlib import Path
from tarimba.workspaces import sessions
home, key = Path(sys.argv[1]), sys.argv[2]
shelf = sessions.Shelf(home, home / "workspace")
for number in map(int, sys.stdin):
    text = str(number) + "." * (number % 5000)
    sessions.append(shelf, key, [{"role": "user", "content": text}], "now")
    print(number, flush=True)
"""


@pytest.mark.promise("session-acknowledged-stays")
@pytest.mark.parametrize(
    ("appends", "kills"), [(300, 2), pytest.param(10_000, 20, marks=pytest.mark.nightly)], ids=["few", "many"]
)
def test_kill_9_during_appends_loses_nothing_that_was_acknowledged(
    shelf: Shelf, appends: int, kills: int
) -> None:
    acknowledged: list[int] = []
    draw = random.Random(appends)
    for start in range(0, appends, appends // kills):
        numbers = range(start, min(start + appends // kills, appends))
        acknowledged += killed(shelf, numbers, draw.randrange(1, len(numbers)), draw.random())
    sessions.append(shelf, KEY, [said("last")], NOW)
    lines = file_of(shelf).read_text().splitlines()
    found = [json.loads(line)["content"] for line in lines]
    assert found[-1] == "last"
    numbers_found = [int(text.rstrip(".")) for text in found[:-1]]
    assert numbers_found == sorted(set(numbers_found))
    assert set(acknowledged) <= set(numbers_found)
    assert all(len(text) == len(text.rstrip(".")) + int(text.rstrip(".")) % 5000 for text in found[:-1])


def test_several_that_append_at_once_take_turns(shelf: Shelf) -> None:
    def write(number: int) -> None:
        for turn in range(10):
            sessions.append(shelf, KEY, [said(f"{number}.{turn}")], NOW)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    found = contents(shelf)
    assert len(found) == 40
    for number in range(4):
        mine = [text for text in found if text.startswith(f"{number}.")]
        assert mine == [f"{number}.{turn}" for turn in range(10)]


def killed(shelf: Shelf, numbers: Sequence[int], count: int, fraction: float) -> list[int]:
    """What a writer acknowledged that is killed some time after so many."""
    command = [sys.executable, "-c", WRITER, str(shelf.home), KEY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write("".join(f"{number}\n" for number in numbers))
        writer.stdin.flush()
        read = [int(next(writer.stdout)) for _ in range(count)]
        spin(int(fraction * 20_000))
        writer.kill()
        read += [int(line) for line in writer.stdout if line.endswith("\n")]
    return read


def spin(times: int) -> None:
    """A moment that differs."""
    for _ in range(times):
        pass
