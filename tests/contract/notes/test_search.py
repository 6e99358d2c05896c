"""Search finds by words in three languages, ranks by integers, and never falls over a query."""

import re
from functools import partial

import pytest
from sqlalchemy import Connection, insert, text

from tarimba.clock import HOUR
from tarimba.notes import ranking, search_store, service
from tarimba.notes.model import Changes, Evidence, Question
from tarimba.storage.tables import note_term
from tests.contract.notes.world import World, code

HOSTILE = [
    '"', "'", "*", "%", "_", ":", "NEAR", "NEAR(a b)", "a AND b", "OR", "NOT", "-ledger", "title:ledger", "^", "()",
    "ledger*", "\\", "; DROP TABLE note_term", "' OR 1=1 --", "\0", "\u200b", "😀", "a" * 500, "é" * 500,
    " ".join("abcdefghij"[n % 10] * 3 for n in range(120)), "$1", ":no", "?", "{}", "\u202eabc", "١٢٣",
]  # fmt: skip


def search(
    world: World, query: str, who: str = "billing", limit: int = 20, tags: tuple[str, ...] = ()
) -> list[str]:
    asked = Question(query, tags, limit)
    return [note.title for note in service.search(world.kernel, world.caller(who), asked).notes]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Como emitir faturas", "fatura"),
        ("A ação do sistema", "acao"),
        ("Ações do sistema", "ação"),
        ("Refunding an invoice", "refund invoices"),
        ("Devoluciones de pedidos", "devolución pedido"),
        ("Use post_credit before closing", "post_credit"),
        ("CRÉDITO em conta", "credito"),
    ],
)
def test_inflections_accents_and_case_do_not_matter(world: World, title: str, query: str) -> None:
    world.set(writes_per_hour=100)
    world.write("billing", title, body="Something else entirely.")
    world.write("billing", "Unrelated", body="Nothing of it.")
    assert search(world, query) == [title]


def test_word_order_is_free_and_body_and_tags_are_searched(world: World) -> None:
    world.write("billing", "A", body="Close the ledger on Friday.")
    world.write("billing", "B", body="Text.", tags=("gateway",))
    assert search(world, "friday ledger") == search(world, "ledger friday") == ["A"]
    assert search(world, "gateway") == ["B"]


def test_no_query_is_an_error(world: World) -> None:
    world.write("billing", "Close the ledger")
    for query in HOSTILE:
        assert code(partial(search, world, query)) == "ok", query


def test_the_best_comes_first_and_ties_break_by_version_then_age(world: World) -> None:
    world.set(writes_per_hour=100)
    world.write("billing", "Other", body="The ledger is mentioned here.")
    first = world.write("billing", "Ledger one", body="Text.")
    world.write("billing", "Ledger two", body="Text.")
    assert search(world, "ledger") == ["Ledger one", "Ledger two", "Other"]
    revised = world.write("billing", "Ledger three", body="Text.")
    service.edit(world.kernel, world.caller("billing"), revised.note_id, Changes(body="Texts."))
    assert search(world, "ledger") == ["Ledger three", "Ledger one", "Ledger two", "Other"]
    assert search(world, "ledger", limit=2) == ["Ledger three", "Ledger one"]
    service.retire(world.kernel, world.caller("billing"), first.note_id)
    assert search(world, "ledger") == ["Ledger three", "Ledger two", "Other"]


def test_tags_must_be_shared_and_are_exact(world: World) -> None:
    world.write("billing", "Ledger A", tags=("erp", "close"))
    world.write("billing", "Ledger B", tags=("erp.cloud",))
    world.write("billing", "Ledger C")
    assert search(world, "ledger", tags=("erp",)) == ["Ledger A"]
    assert search(world, "ledger", tags=("other", "erp.cloud")) == ["Ledger B"]
    assert search(world, "ledger", tags=("other",)) == []
    assert search(world, "unknown", tags=("erp",)) == []
    assert code(lambda: search(world, "ledger", tags=("No Tag",))) == "invalid_input"


def test_an_old_text_is_not_found_any_more(world: World) -> None:
    note = world.write("billing", "Ledger")
    service.edit(world.kernel, world.caller("billing"), note.note_id, Changes(title="Gateway"))
    assert (search(world, "ledger"), search(world, "gateway")) == ([], ["Gateway"])


def test_an_ended_note_is_not_found(world: World) -> None:
    world.write("billing", "Ledger", valid_until=world.kernel.clock.now_us() + HOUR)
    assert search(world, "ledger") == ["Ledger"]
    world.kernel.clock.offset_us += 2 * HOUR
    assert search(world, "ledger") == []


def test_what_others_keep_does_not_move_an_answer(world: World) -> None:
    world.set(writes_per_hour=100)
    for title in ("Ledger and gateway", "Gateway", "Ledger"):
        world.write("billing", title, body="Text.")
    before = search(world, "ledger gateway")
    for number in range(15):
        world.write("courier", f"Gateway {number}", body="gateway gateway")
    assert search(world, "ledger gateway") == before


@pytest.mark.parametrize("rows_max", [1, 4, 12, ranking.ROWS_MAX])
def test_common_words_only_add_to_what_rarer_ones_find(
    world: World, monkeypatch: pytest.MonkeyPatch, rows_max: int
) -> None:
    world.set(writes_per_hour=100)
    for number in range(8):
        world.write("billing", f"Ledger {number}", body="Text.", tags=("erp",))
    world.write("billing", "Ledger gateway", body="Text.", tags=("erp", "net"))
    monkeypatch.setattr(ranking, "ROWS_MAX", rows_max)
    monkeypatch.setattr("tarimba.notes.searching.ROWS_MAX", rows_max)
    assert search(world, "ledger gateway")[0] == "Ledger gateway"
    assert search(world, "ledger", tags=("net",)) == ["Ledger gateway"]
    assert search(world, "gateway", tags=("erp",)) == ["Ledger gateway"]
    # Whatever is looked at, the order of what is found is the same.
    assert search(world, "ledger", limit=1) == ["Ledger 0"]


def test_a_rare_word_that_finds_nothing_to_show_hides_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tarimba.notes.ranking.ROWS_MAX", "tarimba.notes.searching.ROWS_MAX"):
        monkeypatch.setattr(name, 1)
    for number in range(3):
        world.write("billing", f"Ledger {number}", body="Text.", tags=("erp", "net"))
    world.write("billing", "Gateway", body="Text.", valid_until=world.kernel.clock.now_us() + HOUR)
    assert search(world, "ledger gateway") == ["Gateway"]
    assert search(world, "ledger gateway", tags=("erp", "net"))[0] == "Ledger 0"
    world.kernel.clock.offset_us += 2 * HOUR
    assert search(world, "ledger gateway")[0] == "Ledger 0"


def test_a_search_leaves_no_word_in_the_log(world: World) -> None:
    note = world.write("billing", "Zzyzx road", tags=("erp",))
    asked = Question("zzyzx", ("erp",), 5, Evidence("conv-1"))
    read = service.search(world.kernel, world.caller("billing"), asked)
    entry = world.receipts("notes.search")[-1]
    key = world.kernel.keys.of(world.space_id)
    assert entry["id"] == read.receipt.id
    assert entry["detail"] == {
        "query": key.commit("zzyzx"),
        "tags": [key.commit("erp")],
        "notes": [note.note_id],
        "limit": 5,
        "conversation": key.commit("conv-1"),
    }


def test_the_index_holds_active_heads_alone(world: World) -> None:
    note = world.write("billing", "Ledger", body="Many other words in here.")
    assert world.count(note_term) > 3
    head = service.edit(world.kernel, world.caller("billing"), note.note_id, Changes(body="Text.")).kept
    service.retire(world.kernel, world.caller("billing"), head.note_id)
    assert world.count(note_term) == 0


def test_terms_are_found_by_the_primary_key(world: World, database: str) -> None:
    with world.kernel.database.write() as connection:
        # So many rows that no planner reads the whole table.
        connection.execute(insert(note_term), [_term_row(number) for number in range(20_000)])
        connection.execute(text("ANALYZE note_term"))
    with world.kernel.database.read() as connection:
        plans = [_plan(connection, database, statement) for statement in _statements(connection)]
    for plan in plans:
        if database == "sqlite":
            assert "SEARCH note_term USING PRIMARY KEY (space_no=? AND term=? AND pool=?" in plan
        else:
            assert "pk_note_term" in plan
            assert re.search(r"Index Cond: .*space_no = 1.*term = ANY .*pool = ANY", plan)


def _term_row(number: int) -> dict[str, int]:
    term, place = divmod(number, 20)
    return {"space_no": 1, "term": term, "pool": place, "age": number, "weight": 1, "version": 1}


def _statements(connection: Connection) -> list[str]:
    """The statements as the database gets them, with values in their places."""
    shown = []
    for query in (search_store.COMMON, search_store.BEST, search_store.OF_NOTES):
        bound = search_store.within(query, [0, 1, 2]).params(no=1, terms=[1, 2], ages=[21, 41], most=5)
        shown.append(str(bound.compile(connection, compile_kwargs={"literal_binds": True})))
    return shown


def _plan(connection: Connection, database: str, statement: str) -> str:
    explain = "EXPLAIN QUERY PLAN" if database == "sqlite" else "EXPLAIN"
    return "\n".join(str(row[-1]) for row in connection.execute(text(f"{explain} {statement}")))
