"""Words of a space: what they open, what they never open, who may vouch for them and what is left of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tarimba.errors import Refusal
from tarimba.identity import hosting as identity
from tarimba.personal_data import hosting, vocabulary
from tests.contract.identity.company import FILE
from tests.contract.personal_data.office import WORDS, Office
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("vocabulary-bounded")

MAIL = "suporte@acme.example"


def test_an_entry_lets_pass_what_lies_fully_inside_it(office: Office) -> None:
    body = "Abra o chamado no sistema Zuleide Sistemas e aguarde."
    assert office.refused(body) == ["name"]
    assert office.word("ZULEIDE  Sistemas").status_code == 201
    assert office.refused(body) == []
    assert office.refused("Abra em zuleide sistemas, sem pressa. Zuleide\tSistemas: pronto.") == []
    for wider in (
        "Fale com Zuleide e espere.",
        "Zuleide Quaresma Sistemas",
        "Zuleide-Sistemas",
        "Zuleide\nQuaresma",
    ):
        assert office.refused(wider) == ["name"]


def test_an_entry_opens_only_where_all_of_it_stands(office: Office) -> None:
    office.word("Quaresma Norte", "branch")
    # The finding runs over the edge of the entry.
    assert office.refused("A filial Zuleide Quaresma Norte abre às 8.") == ["name"]
    assert office.refused("A filial Quaresma Norte abre às 8.") == []
    assert office.refused("A filial abre às 8.", title="Quaresma") == ["name"]


def test_an_entry_never_holds_nor_opens_what_rules_find(office: Office) -> None:
    for term in ("Plantão 11 98765-4321", "Contato ana@acme.example", "CPF 529.982.247-25", MAIL):
        problem = assert_problem(office.word(term), "invalid_input")
        assert problem["detail"].startswith("term: must hold no personal data (found: ")
        assert term not in json.dumps(problem)
    office.word("98765")
    assert office.refused("Ligue para 11 98765-4321.") == ["phone"]


def test_a_role_mailbox_is_that_address_and_no_other(office: Office) -> None:
    assert office.refused(f"Escreva para {MAIL}.") == ["email"]
    assert office.word(MAIL, "role_mailbox").status_code == 201
    assert office.refused(f"Escreva para {MAIL}, com o número do pedido.") == []
    assert office.refused("Escreva para Suporte@Acme.Example.") == []
    for other in ("suporte@acme.example.com", "ana.suporte@acme.example", "suporte@outra.example"):
        assert office.refused(f"Escreva para {other} hoje.") == ["email"]


@pytest.mark.parametrize("term", ["maria@acme.example", "suporte@gmail.com", "suporte", f"fale com {MAIL}"])
def test_a_role_mailbox_is_nobodys(office: Office, term: str) -> None:
    assert "term" in assert_problem(office.word(term, "role_mailbox"), "invalid_input")["detail"]


def test_a_common_first_name_needs_a_persons_word(office: Office) -> None:
    for who in ("owner", "reviewer", "admin"):
        problem = assert_problem(office.word("Maria", "system_name", who), "invalid_input")
        assert problem["detail"].startswith("confirmed: must be true for a term that is a common first name")
    assert_problem(office.word("Maria", "system_name", "admin", confirmed=True), "person_required")
    made = office.word("Maria", "system_name", "manager", confirmed=True)
    assert (made.status_code, made.json()["confirmed"]) == (201, True)
    assert office.word("Maria Fumaça", "product").status_code == 201


def test_a_known_customer_is_never_opened_nor_written_down(office: Office) -> None:
    office.word("Zuleide Quaresma")
    assert office.refused("O sistema Zuleide Quaresma responde.") == []
    office.customer("Zuleide Quaresma")
    assert office.refused("O sistema Zuleide Quaresma responde.") == ["name"]
    office.customer("Otacília Bramante")
    problem = assert_problem(office.word("Otacilia Bramante Ltda"), "invalid_input")
    assert problem["detail"] == "term: must hold no personal data (found: name)"


@pytest.mark.parametrize(
    ("term", "rule"),
    [
        ("x" * 129, "term: is longer than allowed (limit 128)"),
        ("   ", "term"),
        ("--- !", "term: must hold a letter or a digit"),
        ("a\u202eb", "term: holds a bidirectional override or isolate"),
    ],
)
def test_a_term_passes_the_gate(office: Office, term: str, rule: str) -> None:
    assert assert_problem(office.word(term), "invalid_input")["detail"].startswith(rule)


def test_a_reason_is_one_of_a_few(office: Office) -> None:
    assert_problem(office.word("Acme", "because"), "invalid_input")


def test_a_term_is_there_once_and_there_is_an_end(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.word("São Brás", "branch")
    assert_problem(office.word("SAO  BRAS!", "company"), "conflict")
    monkeypatch.setattr(vocabulary, "ENTRIES_MAX", 2)
    assert office.word("Norte").status_code == 201
    assert_problem(office.word("Sul"), "conflict")


def test_the_list_is_paged_and_complete(office: Office) -> None:
    made = [office.word(f"Sistema {number}").json() for number in range(5)]
    first = office.ask("manager", "GET", f"{WORDS}?limit=3").json()
    assert first["items"] == made[:3]
    url = f"{WORDS}?limit=3&cursor={first['next_cursor']}"
    assert office.ask("manager", "GET", url).json() == {"items": made[3:]}
    assert_problem(office.ask("reviewer", "GET", url), "invalid_input", public=("cursor",))


def test_what_is_removed_is_gone_and_opens_nothing(office: Office) -> None:
    made = office.word("Zuleide Sistemas").json()
    url = f"{WORDS}/{made['entry_id']}"
    assert "Zuleide" in office.dump()
    assert office.ask("manager", "DELETE", url).json() == {"entry_id": made["entry_id"]}
    assert "uleide" not in office.dump()
    assert office.ask("manager", "GET", WORDS).json() == {"items": []}
    assert office.refused("No sistema Zuleide Sistemas.") == ["name"]
    assert_problem(office.ask("manager", "DELETE", url), "not_found")


def test_receipts_hold_ids_and_reasons_and_never_a_term(office: Office) -> None:
    start = len(office.receipts())
    made = [office.word("Zuleide Sistemas", "product"), office.word("Quaresma", "common_word", "reviewer")]
    ids = [answer.json()["entry_id"] for answer in made]
    gone = office.ask("reviewer", "DELETE", f"{WORDS}/{ids[0]}")
    left = [
        (receipt["action"], receipt["entry_id"], receipt["detail"]) for receipt in office.receipts()[start:]
    ]
    assert left == [
        ("vocabulary.change", ids[0], {"change": "add", "reason": "product"}),
        ("pii.overrule", ids[1], {"reason": "common_word"}),
        ("vocabulary.change", ids[0], {"change": "remove", "reason": "product"}),
    ]
    assert office.receipt_of(gone)["actor"]["id"] == office.person_id("reviewer")
    told = json.dumps(office.receipts()).lower()
    assert "zuleide" not in told
    assert "quaresma" not in told
    assert office.is_sound()


def test_a_reviewer_does_not_overrule_rules(office: Office) -> None:
    assert_problem(office.word(MAIL, "role_mailbox", "reviewer"), "scope_missing")


def test_a_repeated_request_happens_once(office: Office) -> None:
    body = {"term": "Zuleide Sistemas", "reason": "company"}
    first = office.ask("owner", "POST", WORDS, body, Idempotency_Key="w1")
    before = len(office.receipts())
    again = office.ask("owner", "POST", WORDS, body, Idempotency_Key="w1")
    assert (again.status_code, again.json()) == (201, first.json())
    assert len(office.receipts()) == before


DECLARED = """
[personal_data]
allow = ["cnpj"]
[[vocabulary]]
term = "Zuleide Sistemas"
reason = "company"
[[vocabulary]]
term = "Maria"
reason = "system_name"
confirmed = true
"""


def test_a_file_declares_terms_and_the_kinds_that_may_stand(office: Office) -> None:
    hosting.apply_text(office.kernel, FILE + DECLARED)
    assert office.refused("Na Zuleide Sistemas, CNPJ 11.222.333/0001-81.") == []
    receipts = len(office.receipts())
    hosting.apply_text(office.kernel, FILE + DECLARED)
    assert len(office.receipts()) == receipts
    hosting.apply_text(office.kernel, FILE + DECLARED.replace("company", "product"))
    items = office.ask("owner", "GET", WORDS).json()["items"]
    assert [(item["term"], item["reason"]) for item in items] == [
        ("Maria", "system_name"),
        ("Zuleide Sistemas", "product"),
    ]
    # What the file does not name stays.
    hosting.apply_text(office.kernel, FILE)
    assert len(office.ask("owner", "GET", WORDS).json()["items"]) == 2


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([("Maria", "company")], "vocabulary[0].confirmed: must be true"),
        (
            [("Acme", "company"), ("11 98765-4321", "branch")],
            "vocabulary[1].term: must hold no personal data",
        ),
        ([("Acme", "company"), ("ACME", "branch")], "vocabulary[1].term: stands in the file twice"),
        ([("Acme", "because")], "vocabulary[0].reason: must be one of"),
    ],
)
def test_a_file_with_a_bad_term_changes_nothing(
    office: Office, entries: list[tuple[str, str]], sentence: str
) -> None:
    before = office.receipts()
    terms = "".join(f'[[vocabulary]]\nterm = "{term}"\nreason = "{reason}"\n' for term, reason in entries)
    # Neither for the space that is there nor for one that would be new.
    for text in (FILE + terms, FILE.replace('"acme"', '"beta"') + terms):
        with pytest.raises(Refusal) as refused:
            hosting.apply_text(office.kernel, text)
        assert refused.value.detail.startswith(sentence)
    assert office.receipts() == before
    assert [space["slug"] for space in identity.spaces(office.kernel)] == ["acme"]


def test_terms_are_never_passed_over(office: Office) -> None:
    with pytest.raises(Refusal, match="vocabulary"):
        identity.apply_text(office.kernel, FILE + DECLARED)


def test_settings_tell_what_may_stand(office: Office) -> None:
    assert office.refused("CNPJ 11.222.333/0001-81") == ["cnpj"]
    changed: dict[str, Any] = {"personal_data": {"allow": ["cnpj"]}}
    answer = office.ask("owner", "PATCH", "settings", changed)
    assert answer.json()["personal_data"] == {"allow": ["cnpj"]}
    assert office.receipt_of(answer)["detail"] == {
        "setting": "personal_data.allow",
        "old": [],
        "new": ["cnpj"],
    }
    assert office.refused("CNPJ 11.222.333/0001-81") == []
    assert office.refused("CNPJ 11.222.333/0001-81 e CPF 529.982.247-25") == ["cpf"]
    refused = office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": ["cpf"]}})
    assert "personal_data.allow" in assert_problem(refused, "invalid_input")["detail"]
