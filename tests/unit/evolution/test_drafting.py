"""The words around the operations are nobody's data, in any language, however many operations there are."""

from __future__ import annotations

import pytest

from tarimba.evolution import drafting, rules
from tarimba.personal_data.detectors import Detectors

WORK = (
    ("invoice.void", "order.reopen"),
    ("pedido.cancelar", "cliente.avisar", "reembolso.criar"),
    ("factura.anular", "pedido.reabrir"),
    ("search_orders", "refund_payment", "send_email"),
    tuple(f"step.number-{'x' * number}" for number in range(1, 61)),
)


@pytest.mark.parametrize("language", ["pt", "en", "es"])
@pytest.mark.parametrize("operations", WORK)
def test_our_own_words_pass_the_review(language: str, operations: tuple[str, ...]) -> None:
    skill = drafting.skill_of(operations, 12, 10, language)
    assert rules.gated(skill) == skill
    assert rules.names_only(skill, operations)
    fields = {"title": skill.description, "body": skill.body, "tags": [skill.name]}
    assert Detectors.local().check(fields, language=language).clean


def test_what_does_not_fit_is_counted() -> None:
    skill = drafting.skill_of([f"a{number}" for number in range(50)], 2, 2, "en")
    assert skill.body.endswith("40. `a39`\n(and 10 more operations)")
    assert skill.description.endswith("then ….")


@pytest.mark.parametrize(
    ("operations", "language", "name"),
    [
        (("invoice.void",), "en", "invoice-void"),
        (("Невзгода",), "es", "procedimiento"),
        (("x" * 60,), "en", "x" * 40),
        (("a" * 39, "bcd"), "en", "a" * 39),
        (("shared content",), "pt", "procedimento"),
    ],
)
def test_the_name_is_made_of_whole_words(operations: tuple[str, ...], language: str, name: str) -> None:
    assert drafting.skill_of(operations, 2, 2, language).name == name
