"""The server and its own description agree, whatever is sent and whoever sends it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tarimba.app import all_routes
from tarimba.http import openapi
from tests.contract.api.served import Api
from tests.e2e.company import MEMORY, NOTE, Company, log_of

SCHEMA = schemathesis.openapi.from_dict(openapi.document(all_routes()))
# NUL is refused in every string, which a schema can't say.
SCHEMA.config.generation.update(allow_x00=False)
QUICK = settings(max_examples=8, derandomize=True, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=150, suppress_health_check=list(HealthCheck))


@schemathesis.serializer("application/x-ndjson")
def lines(_context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def company(api: Api) -> Company:
    """Roomy, so that caps hide nothing."""
    return api.found(writes_per_hour=1_000_000, refusals_per_hour=1_000_000)


@pytest.fixture(scope="module")
def ids(api: Api, company: Company) -> Mapping[str, str]:
    """Something for every id that a path can have, none of it needed by the callers."""
    note = api.write(company)
    opening = api.call(
        company, "courier", "POST", f"{MEMORY}/notes", json=NOTE | {"visibility": "space"}
    ).json()
    people = api.call(company, "owner", "GET", "/v1/admin/people").json()["items"]
    (member,) = [person["person_id"] for person in people if person["slug"] == "member"]
    path = f"/v1/admin/agents/{company.sources['courier']}/keys"
    key = api.call(company, "owner", "GET", path).json()["items"][0]["key_id"]
    receipt = log_of(api.kernel, company)[0].document["id"]
    found = {"note_id": note["note_id"], "source_id": company.sources["courier"], "key_id": key}
    return found | {"person_id": member, "receipt_id": receipt, "proposal_id": opening["proposal_id"]}


def require_described(api: Api, company: Company, ids: Mapping[str, str], who: str, case: Case[Any]) -> None:
    for name, value in case.path_parameters.items():
        # Every other case gets to what is behind the 404.
        if name in ids and len(str(value)) % 2:
            case.path_parameters[name] = ids[name]
    # Written like this it is known as the credential, and left out to see that it is asked for.
    headers = {"Authorization": f"Bearer {company.bearers[who]}"}
    # Requests that lose what made them wrong on the way (an empty list in a query) would count as accepted; and
    # settings, cursors and slugs have rules that a schema can't know, so that 422 is right for what it allows.
    excluded: list[Any] = [negative_data_rejection, positive_data_acceptance, not_a_server_error]
    response = case.call_and_validate(
        base_url=str(api.http.base_url), headers=headers, excluded_checks=excluded
    )
    assert response.status_code != httpx.codes.INTERNAL_SERVER_ERROR


# What an answer looks like hangs on no database; at length it is tried on both.
@pytest.mark.promise("description-true")
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("who", ["owner", "billing"])
@SCHEMA.parametrize()
@QUICK
def test_every_answer_is_described(
    api: Api, company: Company, ids: Mapping[str, str], who: str, case: Case[Any]
) -> None:
    require_described(api, company, ids, who, case)


@pytest.mark.nightly
@pytest.mark.promise("description-true")
@pytest.mark.parametrize("who", ["owner", "billing", "admin", "auditor", "member"])
@SCHEMA.parametrize()
@LONG
def test_every_answer_is_described_at_length(
    api: Api, company: Company, ids: Mapping[str, str], who: str, case: Case[Any]
) -> None:
    require_described(api, company, ids, who, case)
