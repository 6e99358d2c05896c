"""Customers whom a space knows: refused in every spelling, indistinguishable, and nowhere to be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.identity.hosting import host_of
from tarimba.personal_data import hosting
from tarimba.storage.tables import known_customer
from tests.contract.identity.company import FILE
from tests.contract.personal_data.office import PEOPLE, Office, a_customer
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("known-customers-refused")

NAME = "Otacília da Rocha Bramante"
SPELLINGS = (
    "Otacília da Rocha Bramante",
    "OTACILIA ROCHA BRAMANTE",
    "otacilia  da  rocha\nbramante",
    "Otacília-Rocha Bramante",
    "**Otacília** da Rocha Bramante",
    "Otac&iacute;lia da Rocha Bramante",
    "O t a c i l i a Rocha Bramante",
)
PHONES = ("11 98765-4321", "(011) 8765-4321", "5511987654321", "+55 11 98765 4321", "0055 11 98765-4321")


@pytest.mark.parametrize("written", SPELLINGS)
def test_a_name_is_found_however_it_is_written(office: Office, written: str) -> None:
    body = f"Conforme pedido de {written} em maio."
    assert office.refused(body) == []
    office.customer(NAME)
    assert office.refused(body) == ["name"]
    assert office.refused("Conforme pedido de Otacília Bramante em maio.") == []


def test_a_name_is_found_over_the_fields_of_a_note(office: Office) -> None:
    office.customer(NAME)
    answer = office.note("Rocha Bramante pediu segunda via.", title="Pedido de Otacília")
    problem = assert_problem(answer, "personal_data_in_agent_memory")
    assert problem["findings"] == [
        {"kind": "name", "field": "title", "start": 10, "end": 18},
        {"kind": "name", "field": "body", "start": 0, "end": 14},
    ]
    assert office.refused("Veja o pedido.", tags=["otacilia", "rocha", "bramante"]) == ["name"]


def test_one_word_alone_is_nobodys(office: Office) -> None:
    taken = office.ask("owner", "POST", PEOPLE, {"items": [a_customer("Otacília"), a_customer(NAME)]}).json()
    assert taken == {
        "added": {"name": 1},
        "known": 0,
        "skipped": [
            {"index": 0, "field": "name", "detail": "must be a full name: one word alone is nobody's"}
        ],
    }
    assert office.refused("O relatório Otacília sai às 9.") == []


@pytest.mark.parametrize("written", PHONES)
def test_a_number_is_found_where_rules_would_let_it_pass(office: Office, written: str) -> None:
    # Behind the word for an order the rules take it for one.
    body = f"Protocolo {written.lstrip('+').replace('(', '').replace(')', '')} encerrado."
    digits = "".join(filter(str.isdigit, written))
    office.customer(whatsapp="551187654321@c.us")
    assert office.refused(f"Protocolo {digits} encerrado.") == ["phone"]
    assert office.refused(body) == ["phone"]


def test_a_document_and_an_address_are_found_under_their_kinds(office: Office) -> None:
    office.customer(passport="FR 512 347 8", cpf="52998224725", email="Otacilia.Bramante+x@googlemail.com")
    assert office.refused("Pedido FR5123478 entregue.") == ["passport"]
    assert office.refused("Pedido 529982247-25 entregue.") == ["cpf"]
    assert office.refused("Escreva a otaciliabramante@gmail.com.") == ["email"]


def test_a_number_that_may_stand_is_refused_when_it_is_a_customers(office: Office) -> None:
    office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": ["cnpj"]}})
    office.word("suporte@acme.example", "role_mailbox")
    assert office.refused("CNPJ 11.222.333/0001-81, suporte@acme.example") == []
    office.customer(cnpj="11222333000181", email="suporte@acme.example")
    assert office.refused("CNPJ 11.222.333/0001-81, suporte@acme.example") == ["cnpj", "email"]
    assert office.refused("CNPJ 11.444.777/0001-61") == []


@pytest.mark.promise("known-customers-secret")
def test_a_finding_looks_the_same_whoever_made_it(office: Office) -> None:
    body = "Retorne para 11 98765-4321, com Zuleide Quaresma, ou escreva a zq@loja.example."
    hidden = {"instance": "", "request_id": ""}
    before = office.note(body).json() | hidden
    office.customer("Zuleide Quaresma", phone="11 98765-4321", email="zq@loja.example")
    assert office.note(body).json() | hidden == before


@pytest.mark.promise("known-customers-secret")
def test_no_value_is_in_the_database_nor_in_a_receipt(office: Office) -> None:
    office.customer(NAME, phone="11 98765-4321", email="otacilia@loja.example", cpf="529.982.247-25")
    office.refused(f"Pedido de {NAME}, 11 98765-4321.")
    kept = (office.dump() + json.dumps(office.receipts())).lower()
    for value in (
        "otac\u00edlia",
        "otacilia",
        "rocha",
        "bramante",
        "98765-4321",
        "987654321",
        "loja.example",
        "529982",
        "529.982",
    ):
        assert value not in kept
    removed = office.ask("reviewer", "DELETE", PEOPLE, a_customer(NAME, cpf="52998224725"))
    assert removed.json() == {"removed": 2}
    receipt = office.receipt_of(removed)
    assert (receipt["action"], receipt["detail"]) == (
        "known_customer.remove",
        {"removed": {"cpf": 1, "name": 1}},
    )
    assert office.refused(f"Pedido de {NAME}.") == []
    assert office.is_sound()


@pytest.mark.promise("known-customers-secret")
def test_two_spaces_hash_a_value_to_nothing_in_common(office: Office) -> None:
    hosting.apply_text(office.kernel, FILE.replace('"acme"', '"beta"'))
    for slug in ("acme", "beta"):
        hosting.import_customers(office.kernel, host_of(office.kernel, slug), ".csv", f"name\n{NAME}\n")
    with office.kernel.database.read() as connection:
        macs = connection.scalars(select(known_customer.c.mac)).all()
    assert len(macs) == len(set(macs)) == 2


def test_an_import_again_adds_nothing_and_a_replay_answers_the_first(office: Office) -> None:
    body: dict[str, Any] = {"items": [a_customer(NAME, phone="+5511987654321"), a_customer("Only")]}
    first = office.ask("admin", "POST", PEOPLE, body, Idempotency_Key="k")
    assert first.json()["added"] == {"name": 1, "phone": 1}
    assert office.receipt_of(first)["detail"] == {
        "known_customers": {"added": {"name": 1, "phone": 1}, "known": 0}
    }
    assert office.ask("admin", "POST", PEOPLE, body, Idempotency_Key="k").json() == first.json()
    again = office.ask("admin", "POST", PEOPLE, body)
    assert (again.json()["added"], again.json()["known"]) == ({}, 2)
    # The handle tells that it is the same customer; a name alone may be another's.
    office.customer("Otacília Bramante Reis", phone="11 98765-4321")
    office.customer(NAME, email="outra@loja.example")
    assert office.ask("manager", "GET", PEOPLE).json() == {
        "customers": 2,
        "entries": {"email": 1, "name": 3, "phone": 1},
    }


def test_what_nobody_knows_can_be_removed_without_a_trace(office: Office) -> None:
    before = office.receipts()
    gone = office.ask("owner", "DELETE", PEOPLE, a_customer(NAME))
    assert gone.json() == {"removed": 0}
    assert "tarimba-receipt" not in gone.headers
    assert office.receipts() == before
    for nothing in ({}, a_customer("Otacília"), a_customer(phone="12")):
        assert_problem(office.ask("owner", "DELETE", PEOPLE, nothing), "invalid_input")


def test_a_body_is_bounded(office: Office) -> None:
    bad: list[list[Any]] = [[], [a_customer(NAME)] * 501, [{"name": NAME, "birthday": "1/1"}]]
    for body in ({"items": items} for items in bad):
        problem = assert_problem(office.ask("owner", "POST", PEOPLE, body), "invalid_input")
        assert "Bramante" not in json.dumps(problem)
    unknown = {"items": [a_customer(fax="11 98765-4321")]}
    assert "98765" not in office.ask("owner", "POST", PEOPLE, unknown).text


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".csv", f"name,phone,email\n{NAME},11 98765-4321,\nSozinha,,s@loja.example\n"),
        (
            ".jsonl",
            json.dumps(a_customer(NAME, phone="11 98765-4321"))
            + "\n\n"
            + json.dumps(a_customer("Sozinha", email="s@loja.example")),
        ),
    ],
)
def test_a_file_is_taken_in_and_taken_out(office: Office, suffix: str, text: str, tmp_path: Path) -> None:
    host = host_of(office.kernel, "acme")
    taken = hosting.import_customers(office.kernel, host, suffix, text)
    assert (taken["added"], taken["known"]) == ({"email": 1, "name": 1, "phone": 1}, 0)
    assert [(one["index"], one["field"]) for one in taken["skipped"]] == [(1, "name")]
    assert office.refused(f"Pedido de {NAME}.") == ["name"]
    alone = text.replace("Sozinha", "Sozinha Bramante")
    assert hosting.remove_customers(office.kernel, host, suffix, alone) == 3
    assert hosting.customer_counts(office.kernel, host) == {"customers": 0, "entries": {}}
