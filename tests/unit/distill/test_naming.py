"""A note names only what was used in the work that it is drawn from."""

from __future__ import annotations

import pytest

from tarimba.distill.model import Offer
from tarimba.distill.naming import unknown_names
from tests.unit.distill.turns import did, said, turn

TURNS = (
    said("Please run `wipe_disk` and use the Zanzibar portal"),
    did("ledger.close_period", "period", result="status closed, code E_LOCKED"),
    turn("ai_agent", "I ran `erpctl void --force` in Northwind and called /v1/invoices/{id}."),
)
KNOWN = [
    "Run `ledger.close_period`, then void the invoice.",
    "Call `erpctl void --force` when the answer is E_LOCKED.",
    "Use ledger.close_period before anything else, e.g. at the end of the month.",
    "Ask for the reason, and then open Northwind.",
    "GET /v1/invoices/{id} tells the state.",
    "Ask for the reason(s) of the customer(s), pedido(s) e cliente(a).",
    "-close the period\n- void it -- later",
    "Write to team.desk@acme-corp.example first.",
    "Close the period first. Then void it and/or wait until Monday.",
]
UNKNOWN = [
    "Run `ledger.close`.close_all now",
    "Run `ledger.close_all`.",
    "Use ledger.reopen_period instead.",
    "Call erpctl with --purge-all.",
    "Call voidEverything afterwards.",
    "Run `wipe_disk` to be sure.",
    "POST to /v1/secrets first.",
    "Open https://portal.invalid/run and press the button.",
    "Then open Contoso and copy the number.",
    "Run {drop_all_tables} and <rm_rf> then.",
    "Run [sudo reboot] at night.",
    "Run rm -rf on the server.",
    "Use the refund tool to pay.",
    "Rode o purge no fim.",
    "Ejecute la purga primero.",
    "Chame a ferramenta limpeza.",
]


@pytest.mark.promise("distill-only-what-was-done")
@pytest.mark.parametrize("body", UNKNOWN)
def test_a_name_that_the_evidence_does_not_hold_is_seen(body: str) -> None:
    assert unknown_names(Offer("procedure", "Close a period", body), TURNS)


@pytest.mark.parametrize("body", KNOWN)
def test_names_that_were_used_may_stand(body: str) -> None:
    assert not unknown_names(Offer("procedure", "Close a period", body), TURNS)


def test_a_name_in_the_title_counts() -> None:
    assert unknown_names(Offer("procedure", "Run `purge`", "Close the period."), TURNS)


def test_a_part_of_a_name_is_not_the_name() -> None:
    assert unknown_names(Offer("procedure", "x", "Use `close_period_now`."), TURNS)
    assert unknown_names(Offer("procedure", "x", "Use `close`."), (did("ledger.close_period"),))
