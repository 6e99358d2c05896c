"""Every route of administration asked by every kind of caller."""

from typing import Any

import pytest

from tarimba.identity.routes import ROUTES
from tests.contract.identity.company import ROLES, Company
from tests.problems import assert_problem

FLEET = frozenset({"owner", "manager", "admin"})
OWNER = frozenset({"owner"})
# Who may, and a body that succeeds.
ASKED: list[tuple[str, str, frozenset[str], Any]] = [
    ("GET", "settings", OWNER, None),
    ("PATCH", "settings", OWNER, {"agent_memory": {"enabled": True}}),
    ("GET", "vendors", FLEET, None),
    ("POST", "vendors", FLEET, {"slug": "sul"}),
    ("GET", "agents", FLEET, None),
    ("POST", "agents", FLEET, {"slug": "suporte", "vendor": "norte"}),
    ("PATCH", "agents/{source_id}", FLEET, {"name": "Outro nome"}),
    ("GET", "agents/{source_id}/keys", FLEET, None),
    ("POST", "agents/{source_id}/keys", FLEET, {"name": "second", "scopes": ["track"]}),
    ("GET", "keys", FLEET, None),
    ("POST", "keys", frozenset({"owner", "admin"}), {"name": "second", "scopes": ["admin"]}),
    ("POST", "keys/{key_id}/revoke", FLEET, None),
    ("GET", "people", OWNER, None),
    ("POST", "people", OWNER, {"slug": "bia", "email": "bia@acme.example"}),
    ("PATCH", "people/{person_id}", OWNER, {"name": "Outra"}),
    ("GET", "subscriptions", OWNER, None),
    ("POST", "subscriptions", OWNER, {"slug": "matriz"}),
]
CALLERS = (*ROLES, "agent", "admin")


def test_every_route_is_in_the_table() -> None:
    asked = {(method, f"/v1/admin/{path}") for method, path, _, _ in ASKED}
    assert asked == {(route.method, route.path) for route in ROUTES if "/admin/" in route.path}


@pytest.mark.promise("administration-by-role")
def test_who_may_not_is_refused_and_leaves_nothing(company: Company) -> None:
    before = company.receipts()
    for method, path, allowed, body in ASKED:
        for who in CALLERS:
            if who not in allowed:
                assert_problem(company.ask(who, method, _url(company, path), body), "scope_missing")
    assert company.receipts() == before


@pytest.mark.promise("administration-by-role")
def test_who_may_is_served(company: Company) -> None:
    for method, path, allowed, body in ASKED:
        for who in sorted(allowed):
            answer = company.ask(who, method, _url(company, path), _own(body, who))
            assert answer.status_code in (200, 201), answer.text
    assert company.is_sound()


def _url(company: Company, path: str) -> str:
    key_id = company.bearers["agent"].split("_")[3]
    return path.format(source_id=company.source_id, key_id=key_id, person_id=company.person_id("member"))


def _own(body: Any, who: str) -> Any:
    """A slug can be taken once: each caller takes another."""
    return body | {"slug": f"{body['slug']}-{who}"} if body and "slug" in body else body


def test_a_manager_of_a_subscription_is_no_manager_of_the_space(company: Company) -> None:
    company.ask("owner", "POST", "subscriptions", {"slug": "matriz"})
    body = {"roles": ["manager@matriz"]}
    company.ask("owner", "PATCH", f"people/{company.person_id('manager')}", body)
    assert_problem(company.ask("manager", "GET", "agents"), "scope_missing")


def test_nothing_is_told_without_a_key(company: Company) -> None:
    company.bearers["stranger"] = "tar_sk_live_0123456789abcdef_" + "x" * 32
    for method, path, _, body in ASKED:
        assert_problem(company.ask("stranger", method, path, body), "unauthenticated")


@pytest.mark.promise("settings-by-people")
def test_a_task_section_is_a_setting_so_no_key_turns_it_on(company: Company) -> None:
    url = f"agents/{company.source_id}"
    new = {"slug": "suporte", "vendor": "norte", "task_section": True}
    for who in ("admin", "manager"):
        assert_problem(company.ask(who, "PATCH", url, {"task_section": True}), "scope_missing")
        assert_problem(company.ask(who, "POST", "agents", new), "scope_missing")
    answer = company.ask("owner", "PATCH", url, {"task_section": True, "name": "Cobrança"})
    assert answer.json()["task_section"] is True
    receipt = company.receipt_of(answer)
    assert receipt["action"] == "settings.change"
    assert receipt["detail"] == {"setting": "agent_memory.task_section", "old": False, "new": True}


def test_every_change_keeps_its_receipt_and_the_log_verifies(company: Company) -> None:
    for method, path, _, body in ASKED:
        if method == "GET" or "revoke" in path:
            continue
        url = path.format(source_id=company.source_id, person_id=company.person_id("member"))
        answer = company.ask("owner", method, url, body)
        route = next(r for r in ROUTES if r.path == f"/v1/admin/{path}" and r.method == method)
        assert company.receipt_of(answer)["action"] == route.receipt
    assert company.is_sound()
