"""What a reviewer is shown beside a text: what says the same, and what tells the opposite."""

import pytest

from tarimba.notes import rules
from tarimba.notes.model import Draft
from tarimba.notes.words import Words

WORDS = Words()


def opposed(left: str, right: str, language: str = "en") -> bool:
    told = [rules.instructions([text], language, WORDS.query_terms) for text in (left, right)]
    return rules.is_opposed(*told)


def likeness(left: str, right: str) -> int:
    terms = [frozenset(WORDS.weighted("", text, ())) for text in (left, right)]
    return rules.likeness(*terms)


@pytest.mark.parametrize(
    ("language", "left", "right"),
    [
        ("en", "Never void an invoice in a closed period.", "Always void the invoice in the closed period."),
        ("en", "Don't retry the payment gateway.", "Retry the payment gateway twice."),
        ("en", "Open the ledger. Avoid `post_credit` with cents.", "Send cents to `post_credit`."),
        ("pt", "Nunca reenvie o boleto vencido.", "Sempre reenvie boletos vencidos pelo ERP."),
        (
            "pt",
            "Não feche o período no ERP antes da conciliação.",
            "Feche o período no ERP; depois, a conciliação.",
        ),
        ("es", "No anule facturas del periodo cerrado.", "Anule las facturas del periodo cerrado."),
        ("es", "Nunca cierre el lote antes de enviar.", "Siempre cierre el lote antes de enviar."),
    ],
)
def test_one_forbids_what_the_other_tells_to_do(language: str, left: str, right: str) -> None:
    assert opposed(left, right, language)
    assert opposed(right, left, language)


@pytest.mark.parametrize(
    ("language", "left", "right"),
    [
        ("en", "Never void an invoice in a closed period.", "Never void invoices of a closed period."),
        ("en", "Never share the queue with a batch.", "Void the invoice in the ledger."),
        # `no` is a preposition in Portuguese, and a noun phrase in English.
        ("pt", "No ERP, feche o período da fatura.", "Feche o período da fatura no ERP."),
        ("en", "With no open invoice close the period.", "Close the period with an open invoice."),
        ("en", "", "Never void an invoice."),
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_left_alone(language: str, left: str, right: str) -> None:
    assert not opposed(left, right, language)


def test_texts_are_alike_by_their_words_whatever_their_form() -> None:
    text = "Close the period first, then void each invoice of the month."
    assert likeness(text, "close the PERIODS first; then void each invoice of the month") >= 90
    assert likeness(text, "Then each invoice of the month, void; first close the period!") == 100
    assert likeness(text, "Send reminders by the queue.") < rules.SIMILAR
    assert rules.likeness(frozenset(), frozenset()) == 0


def test_a_note_names_operations_by_tags_and_by_words_that_are_written_like_them() -> None:
    draft = Draft("tool_note", "POST_CREDIT wants cents", "Call erp.ledger after it, then wait.", ("erp",))
    assert rules.operations(draft) == {"erp", "post_credit", "erp.ledger"}
