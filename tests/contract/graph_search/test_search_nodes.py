"""Search by words: what is found, in which order, for whom, and that the index never knows more or less."""

import itertools
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from tarimba.graph import service, wire
from tarimba.graph.model import Addition, Deletion, NewObservation, Sight
from tarimba.graph.store import graph_of
from tarimba.kernel import Kernel
from tarimba.storage.tables import graph_posting, graph_word
from tests.contract.graph_search.desk import Desk, desk_of
from tests.contract.notes.world import World, code

PANEL, ROUTE, STORE = "Painel de Cobrança", "Rota Sul", "Depósito"
FINDS = {
    "COBRANCA": [PANEL],
    "cobrança": [PANEL],
    "nel de cob": [PANEL],
    "boleto pago": [PANEL],
    "conciliando um boleto às terças": [],
    "servidor antigo sistema": [PANEL],
    "itajai rotas": [ROUTE],
    "email": [ROUTE],
    "e-mail": [ROUTE],
    "post_credit": [PANEL],
    "ost_cred": [PANEL],
    "post credit": [PANEL],
    "7h;": [PANEL],
    # By the name before anything else.
    "de": [PANEL, STORE, ROUTE],
    "rota": [ROUTE, PANEL],
    "armazém  de\tItajaí": [ROUTE],
    "": [],
    " \n": [],
}


@pytest.mark.promise("graph-search-words")
def test_what_is_found(desk: Desk) -> None:
    assert desk.names("rota") == []
    desk.know(
        PANEL, "sistema", "Concilia os boletos pagos às 7h; usa post_credit.", "Roda no servidor antigo"
    )
    desk.know(ROUTE, "caminho", "Passa pelo armazém de Itajaí", "Avisa por e-mail")
    desk.know(STORE, "local", "Fica fechado")
    more = [Addition(PANEL, (NewObservation("Cobra a rota"),))]
    service.add_observations(desk.kernel, desk.scope, desk.by, more)
    assert {query: desk.names(query) for query in FINDS} == FINDS


OPERATORS = (
    "%",
    "_",
    "*",
    '"',
    "'",
    "painel OR rota",
    "NEAR(a b)",
    "pain*",
    "-ot*",
    "a:b",
    "\\",
    "^ota",
    "(",
    "!!",
)


@pytest.mark.promise("graph-search-words")
def test_no_operator_means_anything(desk: Desk) -> None:
    desk.know("Painel", "sistema", "liga")
    desk.know("Rota", "caminho", "corre")
    assert {query: desk.names(query) for query in OPERATORS} == {query: [] for query in OPERATORS}
    desk.know("100%_a*b", "sinal")
    assert [desk.names(query) for query in ("%", "_", "*", "%_", "a*b", "\\")] == [["100%_a*b"]] * 5 + [[]]


NAMES = ("Ação", "acao nova", "Base_A", "base-b", "Ções", "Ánodo 12", "post_x", "ab")
TEXTS = (
    "nova ação", "Bases e mais bases", "base", "a-b c", "AB", "12%", "anodos em base", "post x", "x", "coes; ab", "é",
)  # fmt: skip
KINDS = ("base", "Nó", "x")
QUERIES = (
    "acao", "AÇÃO NOVA", "base", "bases", "a b", "ab", "a", "12", "anodo base", "t_", "post x", "base-b", "_", "%",
    "co", "nova base", "o n", "e", "no x", "de", ";",
)  # fmt: skip
ENTITY = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(KINDS), st.lists(st.sampled_from(TEXTS), max_size=3)
)
STEP = st.one_of(
    st.tuples(st.just("know"), ENTITY),
    st.tuples(st.just("add"), st.tuples(st.sampled_from(NAMES), st.sampled_from(TEXTS))),
    st.tuples(st.just("unsay"), st.tuples(st.sampled_from(NAMES), st.sampled_from(TEXTS))),
    st.tuples(st.just("forget"), st.sampled_from(NAMES)),
    st.tuples(st.just("archive"), st.sampled_from(NAMES)),
    st.tuples(st.just("merge"), st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))),
)


@pytest.mark.promise("graph-search-exact")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=1, max_size=10), query=st.sampled_from(QUERIES))
def test_the_index_finds_what_going_through_everything_finds(
    world: World, steps: list[tuple[str, Any]], query: str
) -> None:
    _agrees(desk_of(world), steps, [query])


@pytest.mark.nightly
@pytest.mark.promise("graph-search-exact")
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=1, max_size=25))
def test_the_index_finds_what_going_through_everything_finds_for_long(
    world: World, steps: list[tuple[str, Any]]
) -> None:
    _agrees(desk_of(world), steps, QUERIES)


def _agrees(desk: Desk, steps: list[tuple[str, Any]], queries: Any) -> None:
    for act, value in steps:
        code(lambda act=act, value=value: _do(desk, act, value))  # type: ignore[misc]
    for query in queries:
        assert desk.all_names(query, limit=3) == _by_hand(desk, query)
    desk.forget(NAMES)
    assert _left(desk) == (0, 0)


def _do(desk: Desk, act: str, value: Any) -> None:
    place = (desk.kernel, desk.scope, desk.by)
    if act == "know":
        desk.know(value[0], value[1], *value[2])
    elif act == "add":
        service.add_observations(*place, [Addition(value[0], (NewObservation(value[1]),))])
    elif act == "unsay":
        service.delete_observations(*place, [Deletion(value[0], (value[1],))])
    elif act == "forget":
        service.delete_entities(*place, [value])
    elif act == "archive":
        service.archive_entity(*place, value)
    else:
        service.merge_entities(*place, *value)


def _by_hand(desk: Desk, query: str) -> list[str]:
    """The definition, over all that is active: in its own words, without any index."""
    folded, forms = _plain(query), desk.kernel.words.forms
    entities = service.get_entity_details(desk.kernel, desk.scope, desk.by, NAMES).entities
    said = [re.findall(r"[^\W_]+", way) for way in dict.fromkeys((folded, folded.replace("-", "")))]
    about = [[word for word in way if word not in _STOP] or way for way in said]
    asked = [[set(forms(word)) for word in way] for way in about]

    def has(texts: list[str]) -> bool:
        plain = [_plain(text) for text in texts]
        joined = [found.replace("-", "") for text in plain for found in re.findall(r"\w+(?:-\w+)+", text)]
        words = {
            form
            for text in [*plain, *joined]
            for word in re.findall(r"[^\W_]+", text)
            for form in forms(word)
        }
        return any(folded in text for text in plain) or any(
            way and all(word & words for word in way) for way in asked
        )

    active = [one for one in sorted(entities, key=lambda one: one.entity_no) if one.status == "active"]
    named = [one.name for one in active if folded and has([one.name])]
    others = [
        one.name
        for one in active
        if folded and has([one.name, one.entity_type, *(each.text for each in one.observations)])
    ]
    return named + [name for name in others if name not in named]


_STOP = {"a", "b", "c", "e", "x", "o", "de", "em", "mais", "n", "t", "no"}


def _plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold())
    return " ".join("".join(char for char in apart if not unicodedata.combining(char)).split())


def _left(desk: Desk) -> tuple[int, int]:
    """Rows of the index of this graph that still say anything."""
    with desk.kernel.database.read() as connection:
        graph = graph_of(connection, desk.scope)
        if graph is None:
            return 0, 0
        posting, word = graph_posting.c, graph_word.c
        sets = select(func.count()).where(
            posting.space_id == graph.space_id, posting.graph_no == graph.graph_no
        )
        words = select(func.count()).where(
            word.space_id == graph.space_id, word.graph_no == graph.graph_no, word.words + word.forms != ""
        )
        return connection.scalar(sets) or 0, connection.scalar(words) or 0


@pytest.mark.promise("graph-search-bounded")
def test_pages_give_everything_once_and_stay_small(desk: Desk) -> None:
    long = "margem " * 700
    desk.know_all(
        {
            f"Nota {number:03}": [f"linha {number}", long if number % 7 == 0 else "curta"]
            for number in range(60)
        }
    )
    desk.know("Razão", "livro", "guarda a linha e a margem")
    desk.relate(*((f"Nota {number:03}", "Razão", "entra em") for number in range(0, 60, 5)))
    pages = desk.pages("linha")
    assert [entity.name for page in pages for entity in page.entities] == [
        *(f"Nota {number:03}" for number in range(60)), "Razão",
    ]  # fmt: skip
    assert max(len(wire.text(wire.sight(page))) for page in pages) < 12_000
    assert [page.truncated for page in pages[:-1]] == [True] * (len(pages) - 1)
    assert pages[-1].next_cursor is None
    shown = {relation.source for relation in pages[0].relations}
    assert shown
    assert shown <= {entity.name for entity in pages[0].entities}


@pytest.mark.promise("graph-search-bounded")
def test_the_relations_of_a_hub_go_on_by_the_cursor_and_then_more_entities(desk: Desk) -> None:
    desk.know("Central", "lugar", "fica no meio")
    desk.know("Central velha", "lugar")
    wanted = [("Central", f"Rota {number:03} {'longa ' * 8}", "serve") for number in range(450)]
    for start in range(0, 450, 90):
        desk.relate(*wanted[start : start + 90])
    pages = desk.pages("central", limit=1)
    assert len(pages) > 4
    found = [one for page in pages for one in page.relations]
    assert [(one.source, one.target, one.relation_type) for one in found] == wanted
    assert [entity.name for page in pages for entity in page.entities] == ["Central", "Central velha"]
    assert all(page.truncated == (page.next_cursor is not None) for page in pages)
    assert max(len(wire.text(wire.sight(page))) for page in pages) < 12_000
    assert len(desk.pages("central", limit=1, with_relations=False)) == 2


@pytest.mark.promise("graph-search-bounded")
def test_of_an_observation_that_no_answer_holds_the_beginning_is_shown_as_cut(desk: Desk) -> None:
    # A control character takes six characters to write.
    text = "margem " + "\x01" * 3000
    desk.know("Razão", "livro", text, "outra")
    (page,) = desk.pages("margem")
    (shown,) = wire.sight(page)["entities"]
    assert shown["cut"] is True
    assert text.startswith(shown["observations"][0])
    assert shown["observations"][0].startswith("margem ")
    assert shown["moreObservations"] == 1
    assert (page.truncated, page.next_cursor) == (False, None)


@pytest.mark.promise("graph-search-words")
def test_a_query_of_nothing_but_building_words_looks_for_them(desk: Desk) -> None:
    desk.know("Regra", "norma", "para o que se faz sem pressa")
    desk.know("Outra", "norma", "nada disso")
    assert desk.names("sem que") == ["Regra"]
    assert desk.meant("sem que") == ["Regra"]
    assert desk.names("que nada") == ["Outra"]


@pytest.mark.promise("graph-search-bounded")
def test_the_observations_that_say_most_come_first_and_no_more_than_asked_for(desk: Desk) -> None:
    desk.know("Cais", "local", "a", "tem guindaste", "b", "guindaste verde no cais", "c")
    found = desk.search("guindaste verde", max_observations=2).entities[0]
    assert [one.text for one in found.observations] == ["guindaste verde no cais", "tem guindaste"]
    assert found.observation_count == 5
    assert desk.search("cais", max_observations=0).entities[0].observations == ()


def test_a_cursor_is_good_for_its_own_search_only(desk: Desk) -> None:
    desk.know_all({f"Nota {number}": [] for number in range(4)})
    cursor = desk.search("nota", limit=2).next_cursor
    assert desk.names("NOTA ", cursor=cursor) == ["Nota 2", "Nota 3"]
    assert code(lambda: desk.search("not", cursor=cursor)) == "invalid_input"
    for options in ({"limit": 0}, {"limit": 201}, {"max_observations": -1}, {"cursor": "x"}):
        assert code(lambda options=options: desk.search("nota", **options)) == "invalid_input"  # type: ignore[misc]
    assert code(lambda: desk.search("n" * 2001)) == "invalid_input"


@pytest.mark.promise("graph-search-own")
def test_what_others_store_changes_neither_what_is_found_nor_its_order(world: World, desk: Desk) -> None:
    desk.know_all(
        {"Doca Azul": ["recebe navios"], "Doca Verde": ["recebe navios e trens"], "Trem": ["vai à doca"]}
    )
    queries = ("doca", "navios", "re", "trens na doca", "oca")

    def told() -> list[Any]:
        words = [[_shown(page) for page in desk.pages(query, limit=2)] for query in queries]
        meant = [[(hit.entity.name, hit.score) for hit in desk.mean(query).hits] for query in queries]
        return [words, meant]

    before = told()
    other = desk_of(world)
    other.know_all({f"Doca {number}": ["recebe navios e trens"] for number in range(120)})
    assert told() == before
    assert len(other.all_names("doca", limit=200)) == 120
    assert other.names("azul") == []


def _shown(page: Sight) -> list[tuple[str, list[str]]]:
    return [(entity.name, [one.text for one in entity.observations]) for entity in page.entities]


def test_the_receipt_holds_no_word_of_the_query(world: World, desk: Desk) -> None:
    desk.know("Guindaste", "máquina", "ergue")
    desk.search("guindaste")
    desk.mean("guindaste que ergue")
    said = world.receipts("graph.read")
    assert [(one["detail"]["read"], one["detail"]["hits"]) for one in said] == [
        ("search_nodes", 1),
        ("semantic_search", 1),
    ]
    assert said[0]["detail"]["query"] == desk.kernel.keys.of(world.space_id).commit("guindaste")
    assert "guindaste" not in str(said).lower()


def test_a_part_that_most_words_hold_is_found_by_going_through_all(kernel: Kernel, desk: Desk) -> None:
    tails = ["".join(letters) for letters in itertools.product("bcdfghjklmnpqrs", repeat=3)][:2100]
    for start in range(0, 2100, 700):
        observations = tuple(
            NewObservation(" ".join(f"zu{tail}" for tail in tails[at : at + 70]))
            for at in range(start, start + 700, 70)
        )
        desk.know(f"Lista {start}", "lista")
        service.add_observations(kernel, desk.scope, desk.by, [Addition(f"Lista {start}", observations)])
    desk.know("Outra", "lista", "nada")
    assert desk.all_names("zu", limit=2) == ["Lista 0", "Lista 700", "Lista 1400"]
    assert desk.names("u") == ["Outra", "Lista 0", "Lista 700", "Lista 1400"]
