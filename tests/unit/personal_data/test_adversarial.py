"""Sixteen families of disguise over values that nobody has seen: each is still refused, and pointed at."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from stdnum.br import cpf as cpf_rules
from stdnum.luhn import calc_check_digit

from tests.unit.personal_data.sets import detectors


class Secret(NamedTuple):
    """A value with the words that lead to it."""

    kind: str
    cue: str
    value: str


class Disguised(NamedTuple):
    """The value as it is written now; `fields` when it is spread over a note, else it stands in the body."""

    text: str
    fields: Mapping[str, str | list[str]] | None = None


Family = Callable[[DrawFn, Secret], Disguised]

DIGITS = "0123456789"
AREAS: Final = (11, 21, 31, 41, 51, 61, 71, 81)
LOOKALIKES: Final = str.maketrans("aeocpxyiBMHT", "аеосрхуіВМНТ")
INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
MARKS: Final = "\u0300\u0301\u0308\u0332\u0336\u20dd"
DASHES: Final = "‐‑‒–—−﹣－"
SCRIPTS: Final = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0x1D7CE, 0x1D7F6, 0xFF10)
WORDS: Final = {
    "pt": "zero um dois três quatro cinco seis sete oito nove".split(),
    "en": "zero one two three four five six seven eight nine".split(),
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve".split(),
}
TAGS: Final = ("<b>{}</b>", "<span class='x'>{}</span>", "**{}**", "`{}`", "<i>{}</i>")


@st.composite
def cpfs(draw: DrawFn) -> Secret:
    nine = draw(st.text(DIGITS, min_size=9, max_size=9).filter(lambda digits: len(set(digits)) > 3))
    value = cpf_rules.format(nine + cpf_rules._calc_check_digits(nine))
    return Secret("cpf", draw(st.sampled_from(["CPF ", "o cpf é ", "CPF do titular: "])), value)


@st.composite
def phones(draw: DrawFn) -> Secret:
    # Numbers of few different digits are examples, and pass.
    rest = draw(st.text(DIGITS, min_size=7, max_size=7).filter(lambda digits: len(set(digits)) > 3))
    area = draw(st.sampled_from(AREAS))
    value = f"({area}) 9{draw(st.sampled_from('6789'))}{rest[:3]}-{rest[3:]}"
    return Secret("phone", draw(st.sampled_from(["ligar ", "telefone ", "celular: ", "call "])), value)


@st.composite
def cards(draw: DrawFn) -> Secret:
    digits = "4" + draw(st.text(DIGITS, min_size=14, max_size=14).filter(lambda text: len(set(text)) > 3))
    digits += calc_check_digit(digits)
    value = " ".join(digits[at : at + 4] for at in range(0, 16, 4))
    return Secret("credit_card", draw(st.sampled_from(["cartão ", "card ", "tarjeta "])), value)


@st.composite
def mails(draw: DrawFn) -> Secret:
    name = draw(st.from_regex(r"[a-z]{3,8}\.[a-z]{3,8}", fullmatch=True))
    host = draw(st.sampled_from(["gmail.com", "uol.com.br", "outlook.com", "acme.io"]))
    return Secret("email", draw(st.sampled_from(["mandar para ", "e-mail ", "write to "])), f"{name}@{host}")


NUMBERS: Final = (cpfs(), phones(), cards())
ALL: Final = (*NUMBERS, mails())


def homoglyphs(_draw: DrawFn, secret: Secret) -> Disguised:
    return Disguised(secret.value.translate(LOOKALIKES))


def fullwidth(_draw: DrawFn, secret: Secret) -> Disguised:
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}
    return Disguised(secret.value.translate(wide))


def zero_width(draw: DrawFn, secret: Secret) -> Disguised:
    return Disguised(_between(secret.value, lambda: draw(st.text(INVISIBLE, max_size=2))))


def combining_marks(draw: DrawFn, secret: Secret) -> Disguised:
    return Disguised(_between(secret.value, lambda: draw(st.text(MARKS, max_size=2))))


def spaced_letters(draw: DrawFn, secret: Secret) -> Disguised:
    gap = draw(st.sampled_from([" ", "_", "-", "*", "|"] if secret.kind != "email" else [" ", "*", "|"]))
    return Disguised(gap.join(char for char in secret.value if char.isalnum() or secret.kind == "email"))


def digit_words(draw: DrawFn, secret: Secret) -> Disguised:
    words = WORDS[draw(st.sampled_from(sorted(WORDS)))]
    gap = draw(st.sampled_from([" ", ", ", "-"]))
    return Disguised(gap.join(words[int(char)] for char in secret.value if char.isdigit()))


def html_entities(draw: DrawFn, secret: Secret) -> Disguised:
    shape = draw(st.sampled_from(["&#{};", "&#x{:x};", "&#{:05d};", "&#X{:X};"]))
    return Disguised("".join(shape.format(ord(char)) for char in secret.value))


def percent_encoding(draw: DrawFn, secret: Secret) -> Disguised:
    encoded = "".join(f"%{ord(char):02X}" for char in secret.value)
    shapes = [encoded, encoded.lower()]
    # Encoded twice, even a harmless number is a row of digits as long as a card's.
    shapes += [encoded.replace("%", "%25")] if secret.kind != "none" else []
    return Disguised(draw(st.sampled_from(shapes)))


def unicode_escapes(draw: DrawFn, secret: Secret) -> Disguised:
    shape = draw(st.sampled_from(["\\u{:04x}", "\\x{:02x}", "\\u{{{:x}}}", "\\U{:08x}"]))
    return Disguised("".join(shape.format(ord(char)) for char in secret.value))


def base64_tokens(draw: DrawFn, secret: Secret) -> Disguised:
    raw = f"{secret.cue}{secret.value}".encode()
    encode = draw(st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]))
    token = encode(raw).decode()
    return Disguised(draw(st.sampled_from([token, token.rstrip("=")])))


def hexadecimal(draw: DrawFn, secret: Secret) -> Disguised:
    raw = f"{secret.cue}{secret.value}".encode()
    return Disguised(draw(st.sampled_from([raw.hex(), raw.hex(" "), raw.hex().upper(), f"0x{raw.hex()}"])))


def markup_inside(draw: DrawFn, secret: Secret) -> Disguised:
    at = draw(st.integers(1, len(secret.value) - 2))
    cut = draw(st.integers(at + 1, len(secret.value)))
    inside = draw(st.sampled_from(TAGS)).format(secret.value[at:cut])
    return Disguised(secret.value[:at] + inside + secret.value[cut:])


def line_splits(draw: DrawFn, secret: Secret) -> Disguised:
    gap = draw(st.sampled_from(["\n", "\n ", "\r\n"]))
    places = [at for at, char in enumerate(secret.value) if not char.isalnum() and at]
    at = draw(st.sampled_from(places))
    return Disguised(secret.value[: at + 1] + gap + secret.value[at + 1 :])


def dashes(draw: DrawFn, secret: Secret) -> Disguised:
    dash = draw(st.sampled_from(DASHES))
    return Disguised("".join(char if char.isdigit() else dash for char in secret.value.strip("(")))


def other_digits(draw: DrawFn, secret: Secret) -> Disguised:
    zero = draw(st.sampled_from(SCRIPTS))
    return Disguised(secret.value.translate({48 + digit: chr(zero + digit) for digit in range(10)}))


def split_fields(draw: DrawFn, secret: Secret) -> Disguised:
    groups = "".join(char if char.isdigit() else " " for char in secret.value).split()
    cut = draw(st.integers(1, len(groups) - 1))
    first, last = " ".join(groups[:cut]), " ".join(groups[cut:])
    notes: list[dict[str, str | list[str]]] = [
        {"title": f"{secret.cue}{first}", "body": last, "tags": []},
        {"title": "x", "body": f"Ver as etiquetas: {secret.cue}", "tags": groups},
        {"title": f"{secret.cue}{first}", "body": "Se a nota não sair, seguir o passo.", "tags": [last]},
    ]
    return Disguised("", draw(st.sampled_from(notes)))


def _between(value: str, more: Callable[[], str]) -> str:
    return "".join(char + more() for char in value[:-1]) + value[-1]


FAMILIES: Final[Mapping[str, tuple[Family, tuple[SearchStrategy[Secret], ...]]]] = {
    "homoglyphs": (homoglyphs, (mails(),)),
    "fullwidth": (fullwidth, ALL),
    "zero-width": (zero_width, ALL),
    "combining marks": (combining_marks, ALL),
    "spaced letters": (spaced_letters, ALL),
    "digit words": (digit_words, NUMBERS),
    "html entities": (html_entities, ALL),
    "percent-encoding": (percent_encoding, ALL),
    "unicode escapes": (unicode_escapes, ALL),
    "base64": (base64_tokens, ALL),
    "hexadecimal": (hexadecimal, ALL),
    "markup inside": (markup_inside, ALL),
    "line splits": (line_splits, NUMBERS),
    "dashes": (dashes, NUMBERS),
    "other digits": (other_digits, NUMBERS),
    "split over fields": (split_fields, NUMBERS),
}


def test_there_are_sixteen_families() -> None:
    assert len(FAMILIES) == 16


@pytest.mark.promise("disguises-refused")
@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())
@given(data=st.data())
def test_a_disguised_value_is_refused_where_it_stands(
    family: tuple[Family, tuple[SearchStrategy[Secret], ...]], data: st.DataObject
) -> None:
    disguise, secrets = family
    secret = data.draw(st.one_of(*secrets))
    written = data.draw(st.composite(lambda draw: disguise(draw, secret))())
    if written.fields is not None:
        assert secret.kind in detectors().check(written.fields).kinds
        return
    before = data.draw(st.sampled_from(["", "Se a nota não sair, ", "😀 If it fails, "])) + secret.cue
    body = f"{before}{written.text} agora."
    place = range(len(before), len(before) + len(written.text))
    found = [f for f in detectors().check({"body": body}).findings if f.start in place or f.end - 1 in place]
    assert found, "nothing points at the value"
    assert all(finding.field == "body" for finding in found)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())
@given(data=st.data())
def test_an_ordinary_text_under_the_same_disguise_passes(
    family: tuple[Family, tuple[SearchStrategy[Secret], ...]], data: st.DataObject
) -> None:
    disguise, _ = family
    number = data.draw(st.sampled_from(["1042 7", "11-2026", "404 500", "12.5-3"]))
    harmless = Secret("none", "a fila ", number)
    written = data.draw(st.composite(lambda draw: disguise(draw, harmless))())
    fields = written.fields or {"body": f"Reabrir a fila {written.text} e seguir o passo."}
    assert detectors().check(fields).clean


@given(st.one_of(*ALL))
def test_the_sources_of_the_families_are_found_as_they_are(secret: Secret) -> None:
    verdict = detectors().check({"body": f"{secret.cue}{secret.value}"})
    assert verdict.kinds == (secret.kind,)
    assert detectors().check({"body": f"{secret.cue}{html.escape(secret.value)}"}).kinds == (secret.kind,)
