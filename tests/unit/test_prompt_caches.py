"""The model of providers' prompt caches, against examples worked out by hand, and the page that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from measure import cache
from measure.cache_rules import Block, Cache, Piece, Price, Use
from measure.cache_work import CUSTOMERS, PLACEMENTS, REQUESTS, turns

pytestmark = pytest.mark.promise("cache-computed")

ROOT = Path(__file__).parents[2]
PREFIX = Price("p", "prefix", input=2.0, read=0.25, write=0.0, minimum=1024, ttl=300, step=128)
CLAUDE = Price("c", "blocks", input=3.0, read=0.1, write=1.25, minimum=1024, ttl=300)
OPENAI = Price("o", "breakpoints", input=2.0, read=0.1, write=1.25, minimum=1024, ttl=1800, implicit=True)
STORED = Price("s", "stored", input=0.3, read=0.1, write=1.0, minimum=2048, ttl=3600, storage=1.0)


def block(name: str, tokens: int, *, marked: bool = False, turn: bool = False) -> Block:
    return Block((Piece(name, tokens),), marked, turn)


def test_a_beginning_is_found_in_whole_steps_from_the_minimum_on() -> None:
    known = Cache(PREFIX)
    assert known.ask([block("a", 1100), block("x", 50)], 0) == Use(plain=1150)
    # 1,100 tokens are common, eight whole steps of 128 and 76 tokens more.
    assert known.ask([block("a", 1100), block("y", 50)], 10) == Use(read=1024, plain=126)
    assert known.ask([block("b", 1000), block("x", 50)], 10) == Use(plain=1050)
    assert known.ask([block("b", 1000), block("y", 50)], 11) == Use(plain=1050)
    assert known.ask([block("a", 1100)], 311) == Use(plain=1100)


def test_a_mark_is_written_once_and_read_by_the_next_customer() -> None:
    known = Cache(CLAUDE)
    first = [block("notes", 2000, marked=True), block("one", 300, marked=True)]
    other = [block("notes", 2000, marked=True), block("two", 300, marked=True)]
    assert known.ask(first, 0) == Use(written=2300)
    assert known.ask(other, 1) == Use(read=2000, written=300)
    # 2,000 at a tenth and 300 at one and a quarter of three dollars for a million.
    assert Use(read=2000, written=300).cost(CLAUDE) == pytest.approx(575 * 3 / 1e6)


def test_nothing_is_found_where_nothing_was_written() -> None:
    known = Cache(CLAUDE)
    assert known.ask([block("notes", 2000), block("one", 300, marked=True)], 0) == Use(written=2300)
    assert known.ask([block("notes", 2000), block("two", 300, marked=True)], 1) == Use(written=2300)


def test_below_the_minimum_nothing_is_kept() -> None:
    known = Cache(CLAUDE)
    for at in (0, 1):
        assert known.ask([block("notes", 1023, marked=True), block("one", 10)], at) == Use(plain=1033)


def test_twenty_blocks_are_looked_at_with_the_marked_one() -> None:
    for blocks, read in ((19, 2000), (20, 0)):
        known = Cache(CLAUDE)
        known.ask([block("notes", 2000, marked=True)], 0)
        more = [block(f"{number}", 1) for number in range(blocks - 1)]
        asked = [block("notes", 2000), *more, block("end", 1, marked=True)]
        assert known.ask(asked, 1).read == read


def test_of_five_marks_the_first_is_not_written() -> None:
    known = Cache(CLAUDE)
    known.ask([block(f"{number}", 2000, marked=True) for number in range(5)], 0)
    assert known.ask([block("0", 2000, marked=True)], 1).read == 0
    known = Cache(OPENAI)
    known.ask([*(block(f"{number}", 2000, marked=True) for number in range(4)), block("q", 9, turn=True)], 0)
    assert known.ask([block("0", 2000, marked=True)], 1).read == 0
    assert known.ask([block("0", 2000), block("1", 2000, marked=True)], 1).read == 4000


def test_what_is_read_lives_on_and_what_is_not_ends() -> None:
    known = Cache(CLAUDE)
    for at, read in ((0, 0), (299, 2000), (598, 2000), (899, 0)):
        assert known.ask([block("notes", 2000, marked=True)], at).read == read


def test_a_conversation_is_found_at_the_breakpoint_that_openai_set() -> None:
    known = Cache(OPENAI)
    system = block("system", 1500)
    known.ask([system, block("q1", 100, turn=True)], 0)
    again = [system, block("q1", 100, turn=True), block("a1", 50), block("q2", 100, turn=True)]
    assert known.ask(again, 60) == Use(read=1600, written=150)
    # Another customer shares the system text alone, and nothing was kept at its end.
    assert known.ask([system, block("q9", 100, turn=True)], 61) == Use(written=1600)


def test_a_mark_keeps_what_customers_share_with_openai() -> None:
    known = Cache(OPENAI)
    system = block("system", 1500, marked=True)
    known.ask([system, block("q1", 100, turn=True)], 0)
    assert known.ask([system, block("q9", 100, turn=True)], 61) == Use(read=1500, written=100)


def test_only_the_latest_eighty_breakpoints_are_looked_at() -> None:
    for later, read in ((79, 2000), (80, 0)):
        known = Cache(OPENAI)
        known.ask([block("notes", 2000, marked=True)], 0)
        turns_after = [block(f"{number}", 1, turn=True) for number in range(later)]
        assert known.ask([block("notes", 2000, marked=True), *turns_after], 1).read == read


def test_a_store_is_paid_for_by_the_hour() -> None:
    known = Cache(STORED)
    asked = [block("notes", 3000, marked=True), block("one", 100)]
    made = known.ask(asked, 0)
    assert made == Use(read=3000, written=3000, plain=100, stored=3000.0)
    # 3,000 written, 300 for reading them and 100 plain at 0.3, and a dollar for a million tokens and an hour.
    assert made.cost(STORED) == pytest.approx((3400 * 0.3 + 3000) / 1e6)
    assert known.ask(asked, 3600) == Use(read=3000, plain=100)
    assert known.ask(asked, 3601).written == 3000
    assert known.ask([block("short", 2047, marked=True)], 1) == Use(plain=2047)


def test_the_requests_are_the_same_in_each_run_and_as_many_as_told() -> None:
    asked = turns()
    assert asked == turns()
    assert (len(asked), len({turn.customer.name for turn in asked})) == (REQUESTS, CUSTOMERS)
    assert [turn.at for turn in asked] == sorted(turn.at for turn in asked)
    assert [turn.approved for turn in asked].count(True) == REQUESTS // 2


def test_every_placement_sends_the_same_tokens_and_two_marks() -> None:
    notes = Piece("notes", 1000)
    for turn in turns()[:50]:
        sent = [place(turn, notes) for place in PLACEMENTS.values()]
        pieces = [sorted(piece.name for block in blocks for piece in block.pieces) for blocks in sent]
        assert pieces[0] == pieces[1] == pieces[2]
        assert [sum(block.marked for block in blocks) for blocks in sent] == [2, 2, 2]


def test_every_price_names_its_pages_and_the_day_they_were_read() -> None:
    for model in cache.models():
        assert model["source"], model["name"]
        assert all(url.startswith("https://") for url in model["source"])
        assert model["seen"].year >= 2026


def test_the_page_and_the_readmes_say_what_was_computed() -> None:
    found = cache.rows()
    assert (ROOT / "docs" / "cache-measured.md").read_text() == cache.page(found)
    after, joined = cache.figures(found)
    for name in ("README.md", "README.pt-BR.md"):
        told = (ROOT / name).read_text()
        assert f"{after}%" in told
        assert f"{joined}%" in told
        assert "docs/cache-measured.md" in told
