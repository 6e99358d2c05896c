"""Every name and number of a text is seen where it stands, and seeing grows with the text and no faster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.handles import full_name, phone
from tarimba.personal_data.sightings import Candidate, sightings

WORDS = ("Otacilia", "Bramante", "Rocha", "da", "de", "pediu", "ontem", "que", "com", "Zuleide", "fatura")


def places(text: str, candidate: Candidate) -> list[str]:
    """What stands where the candidate was seen."""
    return [text[start:end] for start, end in sightings(text).spans({candidate}).get(candidate, [])]


def test_a_name_is_seen_in_its_words_and_nothing_around() -> None:
    text = "Fatura de Otacília da Rocha, e outra de OTACILIA ROCHA."
    assert places(text, ("name", "otacilia rocha")) == ["Otacília da Rocha", "OTACILIA ROCHA"]


def test_a_single_word_and_a_piece_of_a_sentence_are_no_names() -> None:
    names = sightings("Otacília pediu que Bramante viesse").values["name"]
    assert set(names) == {"otacilia pediu", "bramante viesse"}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Protocolo 11 98765 4321 9", "11 98765 4321"),
        ("nº 1 1 9 8 7 6 5 4 3 2 1", "1 1 9 8 7 6 5 4 3 2 1"),
        ("(11) 98765\n4321", "11) 98765\n4321"),
        (
            "onze nove oito sete seis cinco quatro três dois um",
            "onze nove oito sete seis cinco quatro três dois um",
        ),
        ("&#49;1987654321", "&#49;1987654321"),
    ],
)
def test_a_number_is_seen_however_it_is_parted(text: str, seen: str) -> None:
    assert seen in places(text, ("phone", "+5511987654321"))


def test_codes_and_addresses_are_seen() -> None:
    text = "Passaporte FR-512.3478; escreva a Ana.Cruz@acme.example."
    assert places(text, ("document", "FR5123478")) == ["FR-512.3478"]
    assert places(text, ("email", "ana.cruz@acme.example")) == ["Ana.Cruz@acme.example"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), st.data())
def test_what_an_import_would_take_is_seen_wherever_it_stands(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, min(len(words), start + 6)))
    name = full_name(" ".join(words[start:end]))
    if name:
        assert name.value in sightings(" ".join(words)).values["name"]


@given(st.integers(1, 99), st.integers(0, 999_999_999), st.sampled_from((" ", "-", ") ", ".", "")))
def test_a_number_that_an_import_would_take_is_seen(area: int, number: int, between: str) -> None:
    written = f"{area}{between}{number}"
    found = phone(written)
    if found and len(f"{area}{number}") >= 8:
        assert found in sightings(f"Pedido {written} pago").values["phone"]


@pytest.mark.parametrize(
    "piece", ["11 98765-4321 ", "ab cd ", "a1b2c3d4 ", "a@b.example ", "1 ", "x@", "A" * 30, "9" * 30]
)
def test_candidates_grow_with_the_text_and_no_faster(piece: str) -> None:
    def seen(times: int) -> int:
        return sum(map(len, sightings(piece * times).values.values()))

    small, large = seen(50), seen(200)
    assert large <= 4 * small + 200
