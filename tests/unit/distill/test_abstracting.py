"""Values of a case become placeholders; what belongs to the work stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.distill.abstracting import abstracted, rest_abstracted

CASES = [
    ("pt", "Reabra o pedido 48213 e confira", "Reabra o pedido {pedido} e confira"),
    ("pt", "Reabra o pedido nº 48213.", "Reabra o pedido nº {pedido}."),
    ("pt", "Estorne R$ 1.234,56 até 12/03/2026.", "Estorne {valor} até {data}."),
    ("pt", "Paga 150 reais em 12 de março de 2026", "Paga {valor} em {data}"),
    ("en", "Void order #4711 of 2026-03-12 for $10.50", "Void order #{order id} of {date} for {amount}"),
    ("en", "Ticket INV-2024-0093 moved on March 3, 2026", "Ticket {ticket id} moved on {date}"),
    ("en", "Reopen INV-2024-0093 first", "Reopen {id} first"),
    ("en", "Key 0f8fad5b-d9cb-469f-a165-70867728950e", "Key {id}"),
    ("en", "Batch 73214 closes", "Batch {number} closes"),
    ("es", "El pedido 88231 cuesta 40 euros", "El pedido {pedido} cuesta {importe}"),
    ("es", "Desde el 03.03.2026", "Desde el {fecha}"),
    ("es", "Desde el 3 de marzo de 2026", "Desde el {fecha}"),
]
KEPT = [
    "Try 3 times, then wait 30 minutes.",
    "A 404 means that it is closed; 500 passes.",
    "Use SHA-256 and ISO-8601; ORA-00942 is a missing table.",
    "`ledger.close` before `invoice.void`, version 2.14.3",
    "The host 10.1.12.40 is slow since 2.14.03-patch4.",
    "Fill {order id} and {amount}.",
]


@pytest.mark.promise("distill-abstracts")
@pytest.mark.parametrize(("language", "text", "wanted"), CASES)
def test_a_value_of_one_case_becomes_its_placeholder(language: str, text: str, wanted: str) -> None:
    assert abstracted(text, language) == wanted


@pytest.mark.parametrize("text", KEPT)
@pytest.mark.parametrize("language", ["pt", "en", "es"])
def test_what_belongs_to_the_work_stays(language: str, text: str) -> None:
    assert abstracted(text, language) == text


def test_numbers_that_could_be_somebodys_wait_for_the_detectors() -> None:
    assert abstracted("Call 11955501234 first", "en") == "Call 11955501234 first"
    assert rest_abstracted("Count 20250001234 first", "en") == "Count {number} first"


@given(st.text(alphabet="pedido 0123456789./-#R$€ºINV\n", max_size=60), st.sampled_from(["pt", "en", "es"]))
def test_once_is_enough(text: str, language: str) -> None:
    once = abstracted(text, language)
    assert abstracted(abstracted(once, language), language) == abstracted(once, language)
