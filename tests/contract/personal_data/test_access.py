"""Every route of words and customers asked by every kind of caller."""

from typing import Any

import pytest

from tarimba.personal_data.routes import ROUTES
from tests.contract.identity.company import ROLES
from tests.contract.personal_data.office import PEOPLE, WORDS, Office, a_customer
from tests.problems import assert_problem

REVIEWING = frozenset({"owner", "manager", "reviewer", "admin"})
MANAGING = REVIEWING - {"reviewer"}
# Who may, and a body that succeeds.
ASKED: list[tuple[str, str, frozenset[str], Any]] = [
    ("GET", WORDS, REVIEWING, None),
    ("POST", WORDS, REVIEWING, {"term": "Sistema {who}", "reason": "system_name"}),
    ("DELETE", WORDS + "/{entry_id}", REVIEWING, None),
    ("GET", PEOPLE, MANAGING, None),
    ("POST", PEOPLE, MANAGING, {"items": [a_customer("Otacília Bramante")]}),
    ("DELETE", PEOPLE, REVIEWING, a_customer("Otacília Bramante")),
]
CALLERS = (*ROLES, "agent", "admin")


def test_every_route_is_in_the_table() -> None:
    assert {(method, path) for method, path, _, _ in ASKED} == {
        (route.method, route.path) for route in ROUTES
    }


@pytest.mark.promise("administration-by-role")
def test_who_may_not_is_refused_and_leaves_nothing(office: Office) -> None:
    entry_id = office.word("Acme").json()["entry_id"]
    before = office.receipts()
    for method, path, allowed, body in ASKED:
        for who in CALLERS:
            if who not in allowed:
                answer = office.ask(who, method, path.format(entry_id=entry_id), body)
                assert_problem(answer, "scope_missing")
    assert office.receipts() == before


@pytest.mark.promise("administration-by-role")
def test_who_may_is_served(office: Office) -> None:
    for method, path, allowed, body in ASKED:
        for who in sorted(allowed):
            entry_id = office.word(f"Acme {method} {path[10]} {who}").json()["entry_id"]
            sent = body | {"term": f"Sistema {who}"} if body and "term" in body else body
            answer = office.ask(who, method, path.format(entry_id=entry_id), sent)
            assert answer.status_code in (200, 201), answer.text
    assert office.is_sound()


def test_a_manager_of_a_subscription_is_no_manager_of_the_space(office: Office) -> None:
    office.ask("owner", "POST", "subscriptions", {"slug": "matriz"})
    office.ask("owner", "PATCH", f"people/{office.person_id('manager')}", {"roles": ["manager@matriz"]})
    assert_problem(office.word("Acme", who="manager"), "scope_missing")
