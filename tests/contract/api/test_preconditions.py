"""What a caller says beside the request: the version that it has seen, and who it is, each once."""

import pytest

from tests.contract.api.served import UNKNOWN, Api
from tests.e2e.company import MEMORY, Company
from tests.problems import assert_problem

pytestmark = pytest.mark.promise("stale-version-refused")


@pytest.mark.parametrize("stale", [UNKNOWN, f'"{UNKNOWN}"', 'W/"x", "y"', '""'])
@pytest.mark.parametrize(("method", "path"), [("PATCH", ""), ("POST", "/retire"), ("POST", "/outcomes")])
def test_a_stale_if_match_changes_nothing(
    api: Api, company: Company, method: str, path: str, stale: str
) -> None:
    note = api.write(company)
    before = api.actions(company)
    body = (
        {"PATCH": {"body": "Lock it first."}, "POST": {"helped": True}}[method] if path != "/retire" else None
    )
    url = f"{MEMORY}/notes/{note['note_id']}{path}"
    answer = api.call(company, "billing", method, url, json=body, headers={"If-Match": stale})
    assert_problem(answer, "precondition_failed", 412, public=("x", "y"))
    assert api.actions(company) == before


@pytest.mark.parametrize("form", ["{}", '"{}"', '"x", W/"{}"', "*"])
def test_the_version_that_was_seen_may_be_changed(api: Api, company: Company, form: str) -> None:
    note_id = api.write(company)["note_id"]
    answer = api.call(
        company,
        "billing",
        "PATCH",
        f"{MEMORY}/notes/{note_id}",
        json={"body": "Lock it first."},
        headers={"If-Match": form.format(note_id)},
    )
    assert answer.status_code == 200
    assert answer.json()["version"] == 2


def test_settings_have_no_version_that_could_be_named(api: Api, company: Company) -> None:
    change = {"agent_memory": {"title_max": 100}}
    path = "/v1/admin/settings"
    answer = api.call(company, "owner", "PATCH", path, json=change, headers={"If-Match": '"old"'})
    assert_problem(answer, "precondition_failed", 412)


@pytest.mark.parametrize("path", [f"{MEMORY}/block", f"{MEMORY}/notes"])
def test_two_keys_in_one_request_are_nobody(api: Api, company: Company, path: str) -> None:
    good = company.headers("billing")["authorization"]
    for pair in ([good, "Bearer nonsense"], ["Bearer nonsense", good]):
        answer = api.http.get(path, headers=[("Authorization", value) for value in pair])
        assert answer.status_code == 401


@pytest.mark.parametrize("query", ["view=%zz", "view=%00", "view=%", "max_tokens=300%0a"])
def test_the_block_reads_its_query_as_strictly_as_the_rest(api: Api, company: Company, query: str) -> None:
    assert api.call(company, "billing", "GET", f"{MEMORY}/block?{query}").status_code == 422
