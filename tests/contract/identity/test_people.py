"""People, their roles and tokens, and subscriptions."""

import pytest

from tarimba.errors import Refusal
from tarimba.identity import hosting
from tests.contract.identity.company import Company
from tests.problems import assert_problem

BIA = {"slug": "bia", "email": "Bia@Acme.Example", "name": "Bia", "roles": ["reviewer", "owner"]}


def test_a_person_is_made_with_a_folded_address(company: Company) -> None:
    answer = company.ask("owner", "POST", "people", BIA)
    made = answer.json()
    assert made["email"] == "bia@acme.example"
    assert made["roles"] == ["owner", "reviewer"]
    assert made["language"] == "pt"
    receipt = company.receipt_of(answer)
    assert receipt["person_id"] == made["person_id"]
    assert receipt["detail"] == {"change": "create", "roles": ["owner", "reviewer"]}
    assert company.ask("owner", "GET", "people").json()["items"][-1] == made


def test_one_mailbox_is_one_person(company: Company) -> None:
    body = {"slug": "bia", "email": "OWNER@acme.example"}
    assert_problem(company.ask("owner", "POST", "people", body), "conflict")
    url = f"people/{company.person_id('member')}"
    assert_problem(company.ask("owner", "PATCH", url, {"email": "Owner@ACME.example"}), "conflict")
    assert_problem(company.ask("owner", "POST", "people", BIA | {"slug": "p-owner"}), "conflict")


def test_what_is_no_person_is_refused(company: Company) -> None:
    url = f"people/{company.person_id('member')}"
    changes: list[dict[str, object]] = [
        {"email": "bia"},
        {"email": "a b@c"},
        {"roles": ["king"]},
        {"roles": ["manager@nowhere"]},
        {"language": "fr"},
    ]
    for change in changes:
        assert_problem(company.ask("owner", "POST", "people", BIA | change), "invalid_input")
        assert_problem(company.ask("owner", "PATCH", url, change), "invalid_input")


def test_an_address_of_somebody_settled_is_theirs_and_the_hosts_alone(company: Company) -> None:
    url = f"people/{company.person_id('member')}"
    refused = company.ask("owner", "PATCH", url, {"email": "another@acme.example"})
    assert_problem(refused, "conflict")
    assert company.ask("owner", "PATCH", url, {"name": "Another"}).status_code == 200
    bia = company.ask("owner", "POST", "people", BIA).json()["person_id"]
    answer = company.ask("owner", "PATCH", f"people/{bia}", {"email": "bia@elsewhere.example"})
    assert answer.status_code == 200


@pytest.mark.promise("last-owner-stays")
def test_the_last_owner_stays_the_owner(company: Company) -> None:
    url = f"people/{company.person_id('owner')}"
    changes: list[dict[str, object]] = [{"roles": ["manager"]}, {"roles": []}, {"disabled": True}]
    for change in changes:
        assert_problem(company.ask("owner", "PATCH", url, change), "conflict")
    second = company.ask("owner", "POST", "people", BIA).json()["person_id"]
    company.ask("owner", "PATCH", f"people/{second}", {"disabled": True})
    assert_problem(company.ask("owner", "PATCH", url, {"roles": []}), "conflict")
    company.ask("owner", "PATCH", f"people/{second}", {"disabled": False})
    assert company.ask("owner", "PATCH", url, {"roles": ["member"]}).json()["roles"] == ["member"]
    assert_problem(company.ask("owner", "GET", "people"), "scope_missing")


def test_two_owners_can_not_both_leave_at_once(company: Company) -> None:
    from concurrent.futures import ThreadPoolExecutor

    second = company.ask("owner", "POST", "people", BIA).json()["person_id"]
    urls = [f"people/{company.person_id('owner')}", f"people/{second}"]
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(company.ask, "owner", "PATCH", url, {"roles": []}) for url in urls]
        statuses = sorted(answer.result().status_code for answer in asked)
    host = hosting.host_of(company.kernel, None)
    owners = [person for person in hosting.all_people(company.kernel, host) if "owner" in person["roles"]]
    assert len(owners) == 1
    # The loser finds an owner missing, or that the caller is none any more.
    assert statuses[0] == 200
    assert statuses[1] in (401, 403, 409)


def test_a_change_of_roles_says_which_and_no_name(company: Company) -> None:
    company.ask("owner", "POST", "subscriptions", {"slug": "matriz-sul"})
    subscription_id = company.ask("owner", "GET", "subscriptions").json()["items"][0]["subscription_id"]
    new = {"slug": "p-new", "email": "new@acme.example", "roles": ["member"]}
    url = f"people/{company.ask('owner', 'POST', 'people', new).json()['person_id']}"
    body = {"roles": ["manager@matriz-sul", "auditor"], "name": "Nome Novo", "email": "novo@acme.example"}
    receipt = company.receipt_of(company.ask("owner", "PATCH", url, body))
    assert receipt["detail"] == {
        "change": "update",
        "fields": ["name", "email"],
        "roles_added": ["auditor", f"manager@{subscription_id}"],
        "roles_removed": ["member"],
    }
    log = str(company.receipts())
    assert [word for word in ("matriz-sul", "Nome Novo", "acme.example", "p-new") if word in log] == []


def test_a_role_taken_counts_from_the_next_request(company: Company) -> None:
    assert company.ask("manager", "GET", "agents").status_code == 200
    company.ask("owner", "PATCH", f"people/{company.person_id('manager')}", {"roles": ["auditor"]})
    assert_problem(company.ask("manager", "GET", "agents"), "scope_missing")


def test_a_disabled_person_is_nobody(company: Company) -> None:
    url = f"people/{company.person_id('manager')}"
    answer = company.ask("owner", "PATCH", url, {"disabled": True})
    assert answer.json()["disabled"] is True
    assert company.receipt_of(answer)["detail"] == {"change": "update", "disabled": True}
    assert_problem(company.ask("manager", "GET", "agents"), "unauthenticated")
    host = hosting.host_of(company.kernel, "acme")
    with pytest.raises(Refusal) as refused:
        hosting.issue_token(company.kernel, host, "manager@acme.example", None)
    assert refused.value.code == "conflict"


def test_a_token_leaves_a_receipt_and_ends_when_revoked(company: Company) -> None:
    host = hosting.host_of(company.kernel, "acme")
    made = hosting.issue_token(company.kernel, host, "Owner@acme.example", None)
    receipt = company.receipts()[-1]
    assert (receipt["action"], receipt["via"], receipt["actor"]) == (
        "person.token",
        "cli",
        {"type": "system", "id": "cli"},
    )
    assert (receipt["person_id"], receipt["token_id"]) == (company.person_id("owner"), made["token_id"])
    assert made["token"].rsplit("_", maxsplit=1)[1] not in company.dump()
    assert hosting.revoke_tokens(company.kernel, host, "owner@acme.example")["revoked"] == 2
    assert_problem(company.ask("owner", "GET", "people"), "unauthenticated")


def test_a_subscription_has_members(company: Company) -> None:
    body = {"slug": "matriz", "name": "Matriz", "members": ["p-member", "p-auditor", "p-member"]}
    answer = company.ask("owner", "POST", "subscriptions", body)
    made = answer.json()
    assert made["members"] == ["p-auditor", "p-member"]
    assert company.ask("owner", "GET", "subscriptions").json() == {"items": [made]}
    ids = sorted([company.person_id("member"), company.person_id("auditor")])
    assert company.receipt_of(answer)["detail"]["members_added"] == ids
    assert_problem(company.ask("owner", "POST", "subscriptions", body), "conflict")
    strange = {"slug": "filial", "members": ["nobody-here"]}
    assert_problem(company.ask("owner", "POST", "subscriptions", strange), "invalid_input")
