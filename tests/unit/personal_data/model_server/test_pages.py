"""Texts put together for a model, and its answers brought back to them."""

from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.model import Finding
from tarimba.personal_data.model_server.contract import TEXT_MAX, Entity
from tarimba.personal_data.model_server.pages import Page, pages


def _back(page: Page, part: str) -> list[tuple[int, Finding]]:
    start = page.text.index(part)
    return list(page.findings(Entity("PERSON", start, start + len(part), 1.0), "name", "x"))


def _parts(texts: list[str], found: list[tuple[int, Finding]]) -> list[tuple[int, str]]:
    return [(number, texts[number][one.start : one.end]) for number, one in found]


def test_a_note_is_one_page() -> None:
    texts = ["Emitir segunda via", "Falar com a Ana Prado.", "", "boleto", "2026"]
    (page,) = pages(texts)
    assert page.text == "Emitir segunda via\n\nFalar com a Ana Prado.\n\nboleto"
    assert _parts(texts, _back(page, "Ana Prado")) == [(1, "Ana Prado")]


def test_what_covers_two_texts_is_found_in_both() -> None:
    texts = ["pedir a Ana", "Prado disse", "x"]
    (page,) = pages(texts)
    assert _parts(texts, _back(page, "Ana\n\nPrado")) == [(0, "Ana"), (1, "Prado")]
    assert _back(page, "\n\n") == []


def test_disguises_are_read_and_brought_back_to_the_original() -> None:
    texts = ["falar com Mar\u200bia So\u200buza", "cliente &#65;na <b>Pra</b>do"]
    (page,) = pages(texts)
    assert _parts(texts, _back(page, "Maria Souza")) == [(0, "Mar\u200bia So\u200buza")]
    assert _parts(texts, _back(page, "Ana Prado")) == [(1, "&#65;na <b>Pra</b>do")]


def test_offsets_are_code_points() -> None:
    texts = ["🙂👩🏽‍💻 da Ana Prado 🙂"]
    (page,) = pages(texts)
    assert _parts(texts, _back(page, "Ana Prado")) == [(0, "Ana Prado")]


def test_nothing_is_asked_about_texts_without_letters() -> None:
    assert pages(["", "123", "  \n"]) == []


def test_a_long_text_is_read_in_windows_and_a_name_on_a_border_is_whole_in_one() -> None:
    text = "a " * (TEXT_MAX // 2 - 3) + "Ana Prado" + " b" * TEXT_MAX
    read = pages([text])
    assert all(len(page.text) <= TEXT_MAX for page in read)
    whole = [found for page in read if "Ana Prado" in page.text for found in _back(page, "Ana Prado")]
    assert {(one.start, one.end) for _, one in whole} == {(text.index("Ana"), text.index("Ana") + 9)}


@given(
    st.lists(st.text(st.characters(categories=["Ll", "Lu", "Zs", "Nd"]), max_size=30), max_size=6), st.data()
)
def test_every_answer_lies_inside_the_texts(texts: list[str], data: st.DataObject) -> None:
    for page in pages(texts):
        start = data.draw(st.integers(0, len(page.text) - 1))
        end = data.draw(st.integers(start + 1, len(page.text)))
        for number, one in page.findings(Entity("PERSON", start, end, 1.0), "name", "x"):
            assert 0 <= one.start < one.end <= len(texts[number])
