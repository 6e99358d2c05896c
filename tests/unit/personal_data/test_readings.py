"""Readings: what was written otherwise is found, and where it was written."""

import base64
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.fold import fold, plain
from tarimba.personal_data.reading import readings
from tests.unit.personal_data.sets import detectors

VALUES = [
    ("529.982.247-25", "o CPF é "),
    ("52998224725", "cpf "),
    ("(11) 98765-4321", "ligar para "),
    ("+5511987654321", "ligar "),
    ("maria.souza@gmail.com", "mandar para "),
    ("4539 1488 0343 6467", "cartão "),
    ("219-09-9999", "SSN "),
]
INVISIBLE = ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\u0332"]
WIDE = str.maketrans(
    {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)} | dict(zip("-", "\u2013", strict=True))
)
SAID = "um um nove oito sete meia cinco quatro três dois um"
DOUBLE = "four one five double five five two six seven one"
TENS = "seis doce treinta y cuatro cincuenta y seis setenta y ocho"
HUNDREDS = "quinhentos e vinte e nove, 982, 247, vinte e cinco"
DIGITS = [
    str.maketrans("0123456789", "".join(chr(zero + place) for place in range(10)))
    for zero in (0x0660, 0x0966, 0x1D7CE, 0xFF10)
]


@given(
    st.sampled_from(VALUES),
    st.lists(st.tuples(st.integers(1, 40), st.sampled_from(INVISIBLE)), max_size=8),
    st.sampled_from([None, WIDE, *DIGITS]),
    st.sampled_from(["", "Se a nota não sair, ", "😀 ", "e\u0301 ", "** ", "&amp; "]),
)
def test_a_decorated_value_is_found_where_it_stands(
    value: tuple[str, str],
    invisible: list[tuple[int, str]],
    script: dict[int, str] | None,
    before: str,
) -> None:
    text, cue = value
    decorated = text.translate(script) if script else text
    for place, char in invisible:
        at = min(place, len(decorated) - 1)
        decorated = decorated[:at] + char + decorated[at:]
    start = len(before + cue)
    whole = f"{before}{cue}{decorated} agora."
    spans = [(f.start, f.end) for f in detectors().spans(whole)]
    assert any(a <= start and start + len(decorated) <= b for a, b in spans), spans


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        ("email", "escreva: maria&#64;gmail&#46;com, hoje", "maria&#64;gmail&#46;com"),
        ("email", "abrir /c?email=maria.souza%40gmail.com", "maria.souza%40gmail.com"),
        ("email", "nota: maria\\u0040gmail.com", "maria\\u0040gmail.com"),
        ("cpf", "CPF 529.<b>982</b>.247-25 ok", "529.<b>982</b>.247-25"),
        ("cpf", "CPF **529**.982.**247**-25 ok", "529**.982.**247**-25"),
        ("cpf", "CPF 5 2 9 9 8 2 2 4 7 2 5 ok", "5 2 9 9 8 2 2 4 7 2 5"),
        ("phone", f"ligar {SAID} já", SAID),
        ("phone", "ligar onze 98765 quarenta e três vinte e um", "onze 98765 quarenta e três vinte e um"),
        ("phone", f"call {DOUBLE} now", DOUBLE),
        ("phone", f"teléfono {TENS}", TENS),
        ("cpf", f"CPF {HUNDREDS}", HUNDREDS),
        ("phone", "ligar (11) 98O65-4O21", "(11) 98O65-4O21"),
        ("cpf", "CPF 529.98Z.Z47-Z5", "529.98Z.Z47-Z5"),
        ("cpf", "CPF \u202e52-742.289.925\u202c.", "\u202e52-742.289.925"),
        ("email", "m a r i a @ g m a i l . c o m", "m a r i a @ g m a i l . c o m"),
    ],
)  # fmt: skip
def test_another_writing_is_found_in_full(kind: str, text: str, written: str) -> None:
    start = text.index(written)
    found = [(f.kind, f.start, f.end) for f in detectors().spans(text)]
    assert (kind, start, start + len(written)) in found


@pytest.mark.parametrize("secret", ["maria.souza@gmail.com", "cpf 529.982.247-25", "telefone 11 98765-4321"])
def test_an_encoded_value_is_found_as_its_token(secret: str) -> None:
    encoded = base64.b64encode(secret.encode()).decode()
    for token in (encoded, encoded.rstrip("="), secret.encode().hex()):
        text = f"o dado {token} veio"
        assert [(f.start, f.end) for f in detectors().spans(text)] == [(7, 7 + len(token))]


def test_words_that_only_look_like_numbers_or_addresses_pass() -> None:
    for text in (
        "Etiqueta nove oito sete é da doca.",
        "Enviar para a arroba do canal e aguardar o ponto de controle.",
        "SGVsbG8gd29ybGQgcHJvY2VkaW1lbnRv é o cabeçalho base64.",
        "um ou dois minutos; três tentativas; quatro horas; cinco dias",
    ):
        assert detectors().spans(text) == ()


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


@given(st.text())
def test_the_plain_form_keeps_every_offset(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text())
def test_every_view_maps_into_the_text(text: str) -> None:
    for reading in readings(text):
        view = reading.view
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert list(view.starts) == sorted(view.starts)
        assert list(view.ends) == sorted(view.ends)
        assert all(0 <= a < b <= len(text) for a, b in zip(view.starts, view.ends, strict=True))


PIECES = ["529.982.247-25", "11 98765-4321", "cpf", "tel", "@", "a@b.com", " ", "\n", "&#64;", "%40", "<b>",
          "**", "nove ", "1", "O", "\u202e", "\u0301", "５", "=", "NTI5OTgyMjQ3MjU=", "chave pix "]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30))
def test_spans_are_sorted_apart_and_inside(pieces: list[str]) -> None:
    text = "".join(pieces)
    spans = [(f.start, f.end) for f in detectors().spans(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert detectors().spans(text) == detectors().spans(text)
