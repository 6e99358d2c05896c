"""One person is one value: telephones, addresses, documents and names as they are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.personal_data.handles import HANDLE_TYPES, full_name, handle, phones_in

MOBILE = "+5511987654321"
SAME = (
    "11 98765-4321",
    "(11) 98765-4321",
    "(11) 8765-4321",
    "1187654321",
    "011 98765-4321",
    "0xx11 98765-4321",
    "015 11 98765-4321",
    "+55 11 98765-4321",
    "+55 (011) 98765.4321",
    "0055 11 98765 4321",
    "55 11 8765-4321",
    "tel:+5511987654321",
    "whatsapp:+5511987654321",
    "5511987654321@s.whatsapp.net",
    "5511987654321:12@s.whatsapp.net",
    "551187654321@c.us",
    "１１ ９８７６５−４３２１",
    "11 98765-4321 ramal 22",
)


def value(kind: str, written: str) -> str | None:
    found = handle(kind, written)
    return found.value if found else None


@pytest.mark.parametrize("written", SAME)
def test_a_brazilian_mobile_is_one_number(written: str) -> None:
    assert value("phone", written) == value("whatsapp", written) == MOBILE


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("11 3333-4444", "+551133334444"),
        ("551133334444", "+551133334444"),
        ("+1 (212) 555-0123", "+12125550123"),
        ("+351 912 345 678", "+351912345678"),
        ("5491155551234@c.us", "+5491155551234"),
        ("5215512345678@c.us", "+525512345678"),
        ("+52 55 1234 5678", "+525512345678"),
    ],
)
def test_other_numbers_become_e164(written: str, expected: str) -> None:
    assert value("phone", written) == expected


@pytest.mark.parametrize(
    "written",
    [
        "",
        "190",
        "98765-4321",
        "+999 123 456 789",
        "11 98887-76653",
        "120363041234567890@g.us",
        "ana@acme.example",
        "1" * 16,
    ],
)
def test_what_is_no_number_is_none(written: str) -> None:
    assert value("phone", written) is None


def test_a_mailbox_is_one_address() -> None:
    assert value("email", " Ana.Cruz@ACME.example ") == "ana.cruz@acme.example"
    assert value("email", "mailto:ana.cruz+loja@acme.example") == "ana.cruz+loja@acme.example"
    assert value("email", "A.na.Cruz+loja@googlemail.com") == value("email", "anacruz@gmail.com")
    assert value("email", "ａｎａ@acme.example") == "ana@acme.example"
    for nothing in ("ana", "ana@acme", "a b@acme.example", "+x@gmail.com"):
        assert value("email", nothing) is None


def test_a_document_is_its_digits_and_letters() -> None:
    assert value("cpf", "529.982.247-25") == value("cpf", "52998224725") == "52998224725"
    assert value("cpf", "1234567890") == "01234567890"
    assert value("cnpj", "12.abc.345/01de-35") == "12ABC34501DE35"
    assert value("passport", "fr 512 347-8") == "FR5123478"
    for kind, nothing in (("cpf", "5299822472599"), ("rg", "1234567"), ("passport", "ABCDEFGH"), ("rg", "")):
        assert value(kind, nothing) is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Ana da Cruz", "ana cruz"),
        ("ÁNA  CRUZ", "ana cruz"),
        ("D'Ávila, José-Luís", "avila jose luis"),
        ("A B C D E F G H", "a b c f g h"),
        ("Um Dois Três Quatro Cinco Seis Sete", None),
        ("Cruz", None),
        ("da Cruz", None),
        ("Ana com Cruz", None),
        ("123 456", None),
    ],
)
def test_a_full_name_has_two_words_that_tell(written: str, expected: str | None) -> None:
    found = full_name(written)
    assert (found.value if found else None) == expected


def test_a_finding_is_named_after_what_it_is() -> None:
    kinds = {kind: handle(kind, "11987654321") for kind in HANDLE_TYPES - {"email", "cnpj"}}
    assert {kind: found.kind for kind, found in kinds.items() if found} == {
        kind: "phone" if kind == "whatsapp" else kind for kind in kinds
    }


def test_a_bare_number_may_be_at_home_in_several_countries() -> None:
    assert set(phones_in("2125550123")) == {"+552125550123", "+2125550123", "+12125550123"}
    assert MOBILE in set(phones_in("1187654321"))
    assert "+34612345678" in set(phones_in("612345678"))


@given(st.sampled_from(sorted(HANDLE_TYPES)), st.text(max_size=60))
def test_whatever_is_written_has_one_value_or_none(kind: str, written: str) -> None:
    found = handle(kind, written)
    if found is not None:
        # What was folded once stays as it is.
        again = handle(kind, found.value)
        assert again == found
