"""Following the log: in its order, without a gap, whoever writes meanwhile, and without feeding on itself."""

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tarimba.cli import cli
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.receipts import stream
from tarimba.receipts.reading import LogReader
from tarimba.receipts.stream import Pulled, pull
from tests.contract.receipts.world import World


def stored(world: World) -> list[dict[str, Any]]:
    """The log as it lies in the database."""
    with world.kernel.database.read() as connection:
        span = LogReader(connection, world.space_id, world.kernel.cold).span(0, world.size)
        return [one.as_json() for one in span]


def told(pulled: Pulled | Sequence[bytes]) -> list[dict[str, Any]]:
    lines = pulled.lines if isinstance(pulled, Pulled) else pulled
    return [json.loads(line) for line in lines]


def pages(world: World, after: int = -1, limit: int = 7) -> Iterator[Pulled]:
    """Every page that there is by now."""
    while (pulled := pull(world.kernel, world.auditor, after, limit)).lines:
        yield pulled
        after = pulled.last


def act(world: World, number: int = 0) -> None:
    world.act(world.receipt("note.create", number=number))


@pytest.mark.promise("log-followed")
def test_a_follower_gets_the_whole_log_in_order(world: World) -> None:
    for number in range(20):
        act(world, number)
    lines = [line for page in pages(world) for line in page.lines]
    everything = stored(world)
    assert told(lines) == everything[: len(lines)]
    # What the pulls left is no news: it is still to come.
    assert {document["action"] for document in everything[len(lines) :]} == {"receipts.search"}
    assert sum(document["action"] == "note.create" for document in told(lines)) == 20
    assert [document["seq"] for document in told(lines)] == list(range(len(lines)))


@pytest.mark.promise("log-followed")
def test_two_followers_beside_writers_miss_nothing_and_get_nothing_twice(world: World) -> None:
    writing = threading.Event()

    def write(_writer: int) -> None:
        for number in range(40):
            act(world, number)

    def follow(_follower: int) -> list[bytes]:
        lines: list[bytes] = []
        after = -1
        # Once more when the last writer has ended.
        for _ in count():
            is_last = writing.is_set()
            for page in pages(world, after, 5):
                lines += page.lines
                after = page.last
            if is_last:
                return lines
        raise AssertionError

    with ThreadPoolExecutor(6) as pool:
        followers = [pool.submit(follow, number) for number in range(2)]
        list(pool.map(write, range(4)))
        writing.set()
        found = [follower.result() for follower in followers]
    everything = stored(world)
    for lines in found:
        assert told(lines) == everything[: len(lines)]
        assert {document["action"] for document in everything[len(lines) :]} <= {"receipts.search"}
        assert sum(document["action"] == "note.create" for document in told(lines)) >= 160


@pytest.mark.promise("log-followed")
def test_each_pull_leaves_a_receipt_and_pulls_alone_are_no_news(world: World) -> None:
    act(world)
    before = world.size
    first = pull(world.kernel, world.auditor)
    assert first.recorded is not None
    own = stored(world)[first.recorded.seq]
    assert (own["action"], own["detail"]) == (
        "receipts.search",
        {"asked": {"after": -1}, "returned": before},
    )
    # Any number of followers at rest leave the log at rest.
    for _ in range(3):
        again = pull(world.kernel, world.auditor, first.last)
        assert (again.lines, again.last, again.recorded) == ((), first.last, None)
    assert world.size == before + 1
    act(world)
    after = told(pull(world.kernel, world.auditor, first.last))
    assert [document["action"] for document in after] == ["receipts.search", "note.create"]


def test_a_page_as_small_as_a_pull_goes_on_to_the_news(world: World) -> None:
    act(world)
    first = pull(world.kernel, world.auditor)
    act(world)
    second = pull(world.kernel, world.auditor, first.last, 1)
    third = pull(world.kernel, world.auditor, second.last, 1)
    assert [told(page)[0]["action"] for page in (second, third)] == ["receipts.search", "note.create"]


def test_a_page_ends_before_it_is_too_large(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        act(world, number)
    monkeypatch.setattr(stream, "BYTES_MAX", 10)
    page = pull(world.kernel, world.auditor)
    assert (len(page.lines), page.last) == (1, 0)


def test_a_log_that_is_shorter_than_what_was_followed_is_told(world: World) -> None:
    act(world)
    with pytest.raises(Refusal) as refused:
        pull(world.kernel, world.auditor, world.size)
    assert refused.value.code == "conflict"
    assert not pull(world.kernel, world.auditor, world.size - 1).lines


@pytest.mark.promise("log-followed")
def test_a_log_that_was_put_back_and_has_grown_since_is_told_by_the_leaf(world: World) -> None:
    act(world)
    page = pull(world.kernel, world.auditor)
    assert page.leaf == stored(world)[page.last]["leaf"]
    act(world)
    assert pull(world.kernel, world.auditor, page.last, leaf=page.leaf).lines
    with pytest.raises(Refusal) as refused:
        pull(world.kernel, world.auditor, page.last, leaf="0" * 64)
    assert refused.value.code == "conflict"


def run(world: World, *arguments: str) -> str:
    """What the command prints."""
    settings = world.kernel.settings
    place = ["--data", str(settings.data), "--db", settings.url]
    assert settings.master_key is not None
    key = {"TARIMBA_MASTER_KEY": settings.master_key.get_secret_value()}
    done = CliRunner().invoke(cli, ["receipts", "follow", *place, "--once", *arguments], env=key)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.promise("log-followed")
def test_the_command_goes_on_from_where_its_file_says(world: World, tmp_path: Path, kernel: Kernel) -> None:
    state = tmp_path / "place"
    act(world, 1)
    first = told(run(world, "--json", "--state", str(state)).encode().splitlines())
    assert state.read_text() == f"{first[-1]['seq']} {first[-1]['leaf']}\n"
    assert not run(world, "--json", "--state", str(state))
    act(world, 2)
    second = told(run(world, "--json", "--state", str(state)).encode().splitlines())
    assert first + second == stored(world)[: len(first) + len(second)]
    assert len(run(world, "--after", "0").splitlines()) >= len(first)


def test_a_file_that_holds_no_place_is_told(world: World, tmp_path: Path) -> None:
    state = tmp_path / "place"
    state.write_text("not a number")
    done = CliRunner().invoke(cli, ["receipts", "follow", "--once", "--state", str(state)])
    assert done.exit_code == 1
    assert "holds no place" in done.stderr
