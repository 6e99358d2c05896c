"""Which people of a model's answer count."""

from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.model_server.contract import Entity
from tarimba.personal_data.model_server.rules import people

TEXT = "Hospital Maria Souza e o cliente Maria Souza"


def _entity(kind: str, part: str, text: str = TEXT, score: float = 0.85, *, last: bool = False) -> Entity:
    start = text.rindex(part) if last else text.index(part)
    return Entity(kind, start, start + len(part), score)


FIRST = _entity("PERSON", "Maria Souza")
SECOND = _entity("PERSON", "Maria Souza", last=True)


def test_a_person_inside_a_company_or_place_is_none_and_others_stay() -> None:
    for kind in ("ORGANIZATION", "LOCATION"):
        assert people(TEXT, [FIRST, SECOND, _entity(kind, "Hospital Maria Souza")], 0.35) == [SECOND]
        assert people(TEXT, [_entity(kind, "Maria Souza"), FIRST, SECOND], 0.35) == [SECOND]


def test_a_person_beside_or_across_a_company_stays() -> None:
    half = _entity("ORGANIZATION", "Hospital Maria")
    assert people(TEXT, [half, FIRST, SECOND], 0.35) == [FIRST, SECOND]


def test_other_kinds_veto_nothing() -> None:
    assert people(TEXT, [FIRST, _entity("NRP", "Hospital Maria Souza")], 0.35) == [FIRST]


def test_a_whole_phrase_called_a_company_opens_no_door() -> None:
    whole = Entity("ORGANIZATION", 0, len(TEXT), 1.0)
    assert people(TEXT, [FIRST, SECOND, whole], 0.35) == [FIRST, SECOND]
    for cue in ("Mr. ", "Senhora ", "SRA. ", "paciente ", "Señor "):
        text = f"Banco {cue}Ana Prado"
        found = [_entity("PERSON", "Ana Prado", text), Entity("ORGANIZATION", 0, len(text), 1.0)]
        assert people(text, found, 0.35) == found[:1], cue


def test_a_sentence_or_two_lines_called_a_company_open_no_door() -> None:
    for text in ("Ana Prado " + "nunca recebe o boleto da loja " * 3, "Loja Ana Prado\nCentro"):
        found = [_entity("PERSON", "Ana Prado", text), Entity("ORGANIZATION", 0, len(text), 1.0)]
        assert people(text, found, 0.35) == found[:1]


def test_a_company_across_two_texts_vetoes_nothing() -> None:
    veto = _entity("ORGANIZATION", "Hospital Maria Souza")
    assert people(TEXT, [FIRST, veto], 0.35, [0, 9]) == [FIRST]
    assert people(TEXT, [FIRST, veto], 0.35, [0, 20]) == []


def test_a_score_below_the_threshold_is_no_person() -> None:
    weak = _entity("PERSON", "Maria Souza", score=0.4)
    assert people(TEXT, [weak], 0.35) == [weak]
    assert people(TEXT, [weak], 0.6) == []


spans = st.tuples(st.integers(0, 30), st.integers(1, 10))


@given(st.lists(spans), st.lists(spans))
def test_the_quick_way_finds_what_looking_at_all_pairs_finds(
    persons: list[tuple[int, int]], vetoes: list[tuple[int, int]]
) -> None:
    text = "x" * 40
    found = [Entity("PERSON", at, at + size, 1.0) for at, size in persons]
    veto = [Entity("LOCATION", at, at + size, 1.0) for at, size in vetoes]
    stay = [p for p in found if not any(v.start <= p.start and p.end <= v.end for v in veto)]
    assert people(text, [*veto, *found], 0.35) == stay
