"""Vendors, agents and keys."""

import pytest

from tarimba.errors import Refusal
from tarimba.identity.service import authenticate
from tests.contract.identity.company import Company
from tests.problems import assert_problem

NEW_KEY = {"name": "second", "scopes": ["track", "agent_memory"]}


def test_a_vendor_and_its_agent_are_made_and_listed(company: Company) -> None:
    vendor = company.ask("manager", "POST", "vendors", {"slug": "sul", "name": "Sul Agentes"}).json()
    answer = company.ask("manager", "POST", "agents", {"slug": "entrega", "vendor": "sul"})
    agent = answer.json()
    assert answer.status_code == 201
    assert agent["vendor_id"] == vendor["vendor_id"]
    assert (agent["vendor"], agent["name"], agent["harness"]) == ("sul", "entrega", "generic")
    assert company.ask("manager", "GET", "vendors").json()["items"][-1] == vendor
    assert company.ask("manager", "GET", "agents").json()["items"][-1] == agent
    assert company.receipt_of(answer)["agent"] == agent["source_id"]


def test_names_never_reach_the_log(company: Company) -> None:
    company.ask("owner", "POST", "vendors", {"slug": "sulista", "name": "Sul Agentes"})
    body = {"slug": "entregador", "vendor": "sulista", "name": "Entregador"}
    made = company.ask("owner", "POST", "agents", body).json()
    company.ask("owner", "PATCH", f"agents/{made['source_id']}", {"name": "Motoqueiro"})
    company.ask("owner", "POST", "keys", {"name": "painel-antigo", "scopes": ["admin"]})
    log = str(company.receipts())
    words = ("sulista", "Sul Agentes", "entregador", "Motoqueiro", "painel-antigo")
    assert [word for word in words if word in log] == []


def test_each_vendor_and_agent_reads_from_a_pool_of_its_own(company: Company) -> None:
    company.ask("owner", "POST", "vendors", {"slug": "sul"})
    made = company.ask("owner", "POST", "agents", {"slug": "entrega", "vendor": "sul"}).json()
    key = company.ask("owner", "POST", f"agents/{made['source_id']}/keys", NEW_KEY).json()["key"]
    theirs = authenticate(company.kernel, key, "http").pools
    ours = authenticate(company.kernel, company.bearers["agent"], "http").pools
    assert len(set(theirs + ours)) == 5
    assert theirs[0] == ours[0] == 0


def test_a_slug_has_one_form(company: Company) -> None:
    for slug in ("", "-a", "Sul", "a_b", "a" * 64, "ação", "a\n"):
        assert_problem(company.ask("owner", "POST", "vendors", {"slug": slug}), "invalid_input")


def test_a_slug_is_taken_once(company: Company) -> None:
    assert_problem(company.ask("owner", "POST", "vendors", {"slug": "norte"}), "conflict")
    body = {"slug": "cobranca", "vendor": "norte"}
    assert_problem(company.ask("owner", "POST", "agents", body), "conflict")


def test_the_vendor_of_an_agent_never_changes(company: Company) -> None:
    company.ask("owner", "POST", "vendors", {"slug": "sul"})
    url = f"agents/{company.source_id}"
    assert_problem(company.ask("owner", "PATCH", url, {"vendor": "sul"}), "invalid_input")
    assert company.ask("owner", "GET", "agents").json()["items"][0]["vendor"] == "norte"


def test_an_unknown_vendor_and_an_unknown_agent(company: Company) -> None:
    body = {"slug": "entrega", "vendor": "nobody-here"}
    assert_problem(company.ask("owner", "POST", "agents", body), "invalid_input")
    unknown = "01900000-0000-7000-8000-000000000001"
    assert_problem(company.ask("owner", "PATCH", f"agents/{unknown}", {"name": "x"}), "not_found")
    assert_problem(company.ask("owner", "GET", f"agents/{unknown}/keys"), "not_found")
    assert_problem(company.ask("owner", "POST", f"agents/{unknown}/keys", NEW_KEY), "not_found")
    assert_problem(company.ask("owner", "POST", f"keys/{unknown}/revoke"), "not_found")


@pytest.mark.promise("keys-shown-once")
def test_a_key_is_shown_once_and_stored_as_a_digest(company: Company) -> None:
    url = f"agents/{company.source_id}/keys"
    first = company.ask("manager", "POST", url, NEW_KEY, Idempotency_Key="one")
    secret = first.json()["key"]
    assert authenticate(company.kernel, secret, "http").scopes == {"track", "agent_memory"}
    assert secret.startswith(f"tar_sk_live_{first.json()['key_id']}_")
    again = company.ask("manager", "POST", url, NEW_KEY, Idempotency_Key="one")
    assert again.status_code == 201
    assert again.json() == first.json() | {"key": None}
    assert again.headers["tarimba-receipt"] == first.headers["tarimba-receipt"]
    listed = company.ask("manager", "GET", url).json()["items"]
    assert [key["name"] for key in listed] == ["prod", "second"]
    assert all("key" not in key for key in listed)
    assert secret.rsplit("_", maxsplit=1)[1] not in company.dump()


def test_scopes_are_those_of_the_kind_of_key(company: Company) -> None:
    of_agent = f"agents/{company.source_id}/keys"
    for path, scopes in (
        (of_agent, []),
        (of_agent, ["admin"]),
        (of_agent, ["track", "everything"]),
        ("keys", ["track"]),
        ("keys", ["admin", "track"]),
    ):
        answer = company.ask("owner", "POST", path, {"name": "second", "scopes": scopes})
        assert "scopes" in assert_problem(answer, "invalid_input")["detail"]


def test_a_revoked_key_opens_nothing_from_then_on(company: Company) -> None:
    key_id = company.bearers["agent"].split("_")[3]
    assert company.ask("agent", "GET", "/v1/sources/me").status_code == 200
    first = company.ask("admin", "POST", f"keys/{key_id}/revoke")
    assert first.json()["revoked_at"] is not None
    assert company.receipt_of(first)["action"] == "key.revoke"
    assert_problem(company.ask("agent", "GET", "/v1/sources/me"), "unauthenticated")
    before = len(company.receipts())
    again = company.ask("admin", "POST", f"keys/{key_id}/revoke")
    assert again.json() == first.json()
    assert len(company.receipts()) == before


def test_a_revoked_key_is_refused_under_the_lock_too(company: Company) -> None:
    from tarimba.identity.service import recheck

    principal = authenticate(company.kernel, company.bearers["agent"], "http")
    key_id = company.bearers["agent"].split("_")[3]
    company.ask("owner", "POST", f"keys/{key_id}/revoke")
    with pytest.raises(Refusal) as refused:
        company.kernel.writer.commit(company.space_id, lambda tx: recheck(tx, principal))
    assert refused.value.code == "unauthenticated"


def test_an_end_that_has_passed_is_refused_and_one_to_come_is_kept(company: Company) -> None:
    url = f"agents/{company.source_id}/keys"
    for moment in ("2020-01-01T00:00:00Z", "2090-01-01", "2090-01-01T00:00:00", "soon"):
        assert_problem(company.ask("owner", "POST", url, NEW_KEY | {"expires_at": moment}), "invalid_input")
    made = company.ask("owner", "POST", url, NEW_KEY | {"expires_at": "2090-01-01T03:00:00+03:00"}).json()
    assert made["expires_at"] == "2090-01-01T00:00:00.000000Z"


def test_lists_go_on_where_the_page_ended_whatever_was_added(company: Company) -> None:
    for at in range(4):
        company.ask("owner", "POST", "vendors", {"slug": f"v{at}"})
    first = company.ask("owner", "GET", "vendors?limit=3").json()
    company.ask("owner", "POST", "vendors", {"slug": "latest"})
    url = f"vendors?limit=3&cursor={first['next_cursor']}"
    second = company.ask("owner", "GET", url).json()
    slugs = [vendor["slug"] for vendor in first["items"] + second["items"]]
    assert slugs == ["norte", "v0", "v1", "v2", "v3", "latest"]
    assert "next_cursor" not in second
    cursor = first["next_cursor"]
    for stolen in (f"agents?cursor={cursor}", "vendors?cursor=AAAA", f"vendors?cursor={cursor}x"):
        assert_problem(company.ask("owner", "GET", stolen), "invalid_input", public=("cursor",))
    assert_problem(company.ask("manager", "GET", url), "invalid_input", public=("cursor",))


def test_the_keys_of_the_space_are_one_list(company: Company) -> None:
    listed = company.ask("admin", "GET", "keys").json()["items"]
    assert {(key["name"], key["source_id"]) for key in listed} == {("prod", company.source_id), ("ops", None)}


def test_two_agents_of_one_slug_at_once_are_one(company: Company) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        body = {"slug": "entrega", "vendor": "norte"}
        asked = [pool.submit(company.ask, "owner", "POST", "agents", body) for _ in range(8)]
        codes = sorted(answer.result().status_code for answer in asked)
    assert codes == [201] + [409] * 7
    assert company.is_sound()
