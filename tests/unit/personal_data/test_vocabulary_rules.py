"""What may stand in a vocabulary and what its entries cover, over any text."""

from typing import get_args

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.cli.vocabulary import vocabulary
from tarimba.errors import Refusal
from tarimba.personal_data.handles import HANDLE_TYPES
from tarimba.personal_data.model import Finding
from tarimba.personal_data.requests import HandleType, Reason
from tarimba.personal_data.vocabulary_rules import REASONS, Term, Vouched, checked_term, fold_term

WORD = st.text("abcç é&.-", min_size=1, max_size=6)


def term(text: str, reason: str = "company", *, confirmed: bool = False) -> Term:
    return checked_term(text, reason, confirmed=confirmed, is_first_name={"maria", "ana"}.__contains__)


def vouched(*entries: tuple[str, str]) -> Vouched:
    return Vouched(lambda: [(fold_term(text), reason) for text, reason in entries])


def pardons(known: Vouched, text: str, piece: str, kind: str = "name") -> bool:
    start = text.index(piece)
    return known.pardons(text, Finding(kind, start, start + len(piece), "names"))


def refused(text: str, reason: str = "company", *, confirmed: bool = False) -> str:
    with pytest.raises(Refusal) as raised:
        term(text, reason, confirmed=confirmed)
    assert raised.value.status == 422
    return raised.value.detail


def test_a_term_keeps_its_letters_and_is_compared_folded() -> None:
    assert term("  São  Brás & Filhos!") == Term("São Brás & Filhos!", "sao bras & filhos", "company")


def test_a_first_name_alone_is_vouched_for() -> None:
    assert refused("Maria").startswith("confirmed: must be true")
    assert refused("(MARIA)").startswith("confirmed: must be true")
    assert term("Maria", confirmed=True).confirmed
    assert term("Maria Fumaça").folded == "maria fumaca"


@pytest.mark.parametrize("reason", REASONS)
def test_personal_data_is_no_word_of_a_space(reason: str) -> None:
    for text in ("Ana 11 98765-4321", "529.982.247-25"):
        assert "term: must" in refused(text, reason)
        assert text not in refused(text, reason)


def test_what_requests_and_commands_take_is_what_the_rules_know() -> None:
    (choice,) = [option.type for option in vocabulary.commands["add"].params if option.name == "reason"]
    assert isinstance(choice, click.Choice)
    assert get_args(Reason) == tuple(choice.choices) == REASONS
    assert set(get_args(HandleType)) == HANDLE_TYPES


def test_the_vocabulary_is_read_when_it_is_needed_and_once() -> None:
    reads: list[int] = []

    def load() -> list[tuple[str, str]]:
        reads.append(1)
        return [("zuleide sistemas", "company")]

    known = Vouched(load)
    assert not pardons(known, "11 98765-4321", "98765", "phone")
    assert reads == []
    for _ in range(2):
        assert pardons(known, "Na Zuleide Sistemas", "Zuleide")
    assert reads == [1]


def test_an_entry_covers_what_lies_inside_its_own_letters() -> None:
    known = vouched(("Zuleide Sistemas", "system_name"), ("Rosa & Irmãos", "company"))
    assert pardons(known, "Na ZULEIDE\tsistemas, hoje", "ZULEIDE")
    assert pardons(known, "Rosa & Irmaos.", "Rosa & Irmaos.")
    assert not pardons(known, "Zuleide tem sistemas", "Zuleide")
    assert not pardons(known, "Rosa e Irmãos", "Rosa")
    assert not pardons(known, "Azuleide Sistemas", "zuleide")
    assert not pardons(known, "Zuleide Sistemas Souza", "Sistemas Souza")


def test_a_mailbox_covers_itself_and_no_name() -> None:
    known = vouched(("suporte@acme.example", "role_mailbox"), ("ana@acme.example", "company"))
    assert pardons(known, "a Suporte@ACME.example!", "Suporte@ACME.example", "email")
    assert not pardons(known, "a suporte@acme.example", "suporte")
    assert not pardons(known, "a ana@acme.example", "ana@acme.example", "email")


@given(st.lists(WORD, min_size=1, max_size=4), st.lists(WORD, max_size=3), st.lists(WORD, max_size=3))
def test_a_term_is_found_between_any_words(words: list[str], before: list[str], after: list[str]) -> None:
    text = " ".join(words)
    folded = fold_term(text)
    if not folded:
        return
    whole = " | ".join([*before, text, *after])
    start = len(" | ".join([*before, ""]))
    known = Vouched(lambda: [(folded, "company")])
    assert known.pardons(whole, Finding("name", start, start + len(text), "names"))


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5))
def test_a_stretch_is_always_a_term(text: str, terms: list[str]) -> None:
    folded = [fold_term(one) for one in terms if fold_term(one)]
    known = Vouched(lambda: [(one, "company") for one in folded])
    for start in range(0, len(text), 7):
        for end in range(start + 1, min(len(text), start + 12)):
            if known.pardons(text, Finding("name", start, end, "names")):
                inner = fold_term(text[start:end])
                assert any(inner in one for one in folded)
