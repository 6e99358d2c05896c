"""Who is let in to `/v1/mcp`, and that everybody else learns nothing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest
import structlog
from pydantic import SecretStr, ValidationError

from tarimba.cli import run
from tarimba.errors import Refusal
from tarimba.graph import access
from tarimba.graph.tokens import Claim, mint
from tarimba.identity.rules import GRANTS, may
from tarimba.identity.seats import working_at
from tarimba.settings import Settings
from tests.contract.api.served import Api, serving
from tests.contract.graph_mcp.team import SECRET, Team, entity, found_team
from tests.e2e.company import MASTER_KEY, Place
from tests.problems import assert_problem

UNIT = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
OTHER = "another secret that is long enough"


def claim_of(team: Team) -> Claim:
    scope = team.scope()
    with team.api.kernel.database.read() as connection:
        ids = (scope.space_id, scope.subscription_id, scope.source_id, scope.person_id)
        found = working_at(connection, *ids, "mcp")
    assert found is not None
    assert found.epoch is not None
    return Claim(*ids, epoch=found.epoch)


def forged(team: Team) -> dict[str, str | None]:
    """Everything that is no token of this server for this team."""
    claim, token = claim_of(team), team.token()
    payload, _, signature = token.partition(".")
    raw = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    empty = base64.urlsafe_b64encode(hmac.new(b"", raw, hashlib.sha256).digest()).rstrip(b"=").decode()
    other = mint(SECRET.encode(), replace(claim, person_id=team.people["owner"]))
    return {
        "none": None,
        "nonsense": "nonsense",
        "a key": team.company.bearers["billing"],
        "a person's token": team.company.bearers["member"],
        "cut": token[:-1],
        "without its signature": f"{payload}.",
        "padded": f"{token}=",
        "changed": f"{payload[:-2]}AA.{signature}",
        "signed with another secret": mint(OTHER.encode(), claim),
        "signed with no secret": f"{payload}.{empty}",
        "of an epoch before": mint(SECRET.encode(), replace(claim, epoch=claim.epoch - 1)),
        "of an epoch to come": mint(SECRET.encode(), replace(claim, epoch=claim.epoch + 1)),
        "of somebody who is no member": other,
        "of an agent that is not there": mint(
            SECRET.encode(), replace(claim, source_id=team.people["owner"])
        ),
        "of another space": mint(SECRET.encode(), replace(claim, space_id=team.people["owner"])),
    }


def assert_unknown(response: httpx.Response, why: str = "") -> None:
    assert (response.status_code, response.content) == (401, b""), why
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert "content-type" not in response.headers


@pytest.mark.promise("graph-tokens")
def test_no_other_token_opens_and_the_log_has_one_line_without_it(team: Team) -> None:
    for why, token in forged(team).items():
        with structlog.testing.capture_logs() as logged:
            assert_unknown(team.post(token, LIST), why)
        assert [line["event"] for line in logged] == ["workspace_token.refused"], why
        assert token is None or token not in json.dumps(logged)
    for why, token in forged(team).items():
        if token is not None:
            assert_unknown(team.turn("start", token, conversation_id="c"), why)
    assert team.post(team.token(), LIST).status_code == 200


@pytest.mark.promise("graph-tokens")
def test_no_token_is_in_a_log_of_calls_that_go_well(team: Team) -> None:
    token = team.token()
    with structlog.testing.capture_logs() as logged:
        team.call("create_entities", token, entities=[entity("Ledger")])
        team.refused("archive_entity", token, name="Nowhere")
        team.turn("start", token, conversation_id="c")
    assert token not in json.dumps(logged)
    assert token.partition(".")[2] not in json.dumps(logged)


@pytest.mark.promise("graph-tokens")
def test_a_membership_that_is_taken_away_and_given_again_revives_no_token(team: Team) -> None:
    path = f"/v1/admin/subscriptions/{team.subscription_id}/members/{team.people['member']}"
    first = team.token()
    for _ in range(2):
        gone = team.api.call(team.company, "owner", "DELETE", path)
        assert (gone.status_code, gone.json()["members"]) == (200, ["auditor"])
    assert_unknown(team.post(first, LIST))
    for _ in range(2):
        back = team.api.call(team.company, "owner", "PUT", path)
        assert (back.status_code, back.json()["members"]) == (200, ["auditor", "member"])
    assert_unknown(team.post(first, LIST))
    second = team.token()
    assert second != first
    assert team.post(second, LIST).status_code == 200
    actions = team.api.actions(team.company)
    assert actions[-4:].count("person.change") == 2, "what changes nothing leaves no receipt"


@pytest.mark.promise("graph-tokens")
def test_revoking_ends_every_token_of_that_membership_and_no_other(team: Team) -> None:
    mine, other_agent, theirs = team.token(), team.token(agent="courier"), team.token("auditor")
    path = f"/v1/admin/subscriptions/{team.subscription_id}/members/{team.people['member']}/revoke-tokens"
    assert_problem(team.api.call(team.company, "manager", "POST", path), "scope_missing")
    revoked = team.api.call(team.company, "operator", "POST", path)
    assert revoked.json() == {
        "subscription_id": team.subscription_id,
        "person_id": team.people["member"],
    }
    assert_unknown(team.post(mine, LIST))
    assert_unknown(team.post(other_agent, LIST))
    assert team.post(theirs, LIST).status_code == 200
    assert team.post(team.token(), LIST).status_code == 200
    stranger = path.replace(team.people["member"], team.people["owner"])
    assert_problem(team.api.call(team.company, "operator", "POST", stranger), "not_found")


def test_a_disabled_member_is_out_until_they_are_back(team: Team) -> None:
    token, path = team.token(), f"/v1/admin/people/{team.people['member']}"
    for disabled, status in ((True, 401), (False, 200)):
        assert team.api.call(team.company, "owner", "PATCH", path, json={"disabled": disabled}).is_success
        assert team.post(token, LIST).status_code == status


@UNIT
@pytest.mark.promise("graph-scope")
def test_a_workspace_may_do_nothing_that_others_are_granted(team: Team) -> None:
    workspace = access.authenticate(team.api.kernel, team.token(), "http")
    assert workspace.kind == "workspace"
    assert not [act for act in GRANTS if may(workspace, act)]
    for path in ("/v1/agent-memory/block", "/v1/sources/me", "/v1/admin/people", "/v1/skills/index"):
        assert_problem(team.api.http.get(path, headers=_bearer(team.token())), "unauthenticated")
    assert_problem(team.api.http.post("/mcp", json=LIST, headers=_bearer(team.token())), "unauthenticated")


def test_members_are_named_by_owners_alone_and_must_be_there(team: Team) -> None:
    path = f"/v1/admin/subscriptions/{team.subscription_id}/members/"
    for who in ("manager", "reviewer", "admin", "billing", "operator"):
        refused = team.api.call(team.company, who, "PUT", path + team.people["reviewer"])
        assert_problem(refused, "scope_missing")
    unknown = "01900000-0000-7000-8000-000000000000"
    for method in ("PUT", "DELETE"):
        assert_problem(team.api.call(team.company, "owner", method, path + unknown), "not_found")
        other = f"/v1/admin/subscriptions/{unknown}/members/{team.people['member']}"
        assert_problem(team.api.call(team.company, "owner", method, other), "not_found")


@UNIT
@pytest.mark.promise("graph-tokens")
def test_a_secret_of_before_is_taken_while_it_is_named(team: Team) -> None:
    """The same membership, asked by servers with other secrets."""
    token, kernel = team.token(), team.api.kernel

    def known(**secrets: str) -> bool:
        named = {name: SecretStr(value) for name, value in secrets.items()}
        settings = kernel.settings.model_copy(update={"mcp_token_secret_previous": None, **named})
        try:
            found = access.authenticate(replace(kernel, settings=settings), token, "mcp")
        except Refusal as refusal:
            return refusal.status != 401
        return found.kind == "workspace"

    assert known()
    assert known(mcp_token_secret=OTHER, mcp_token_secret_previous=SECRET)
    assert not known(mcp_token_secret=OTHER)
    assert not known(mcp_token_secret=OTHER, mcp_token_secret_previous=OTHER)


def test_a_secret_of_before_that_is_empty_is_none_and_a_short_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TARIMBA_MCP_TOKEN_SECRET", SECRET)
    monkeypatch.setenv("TARIMBA_MCP_TOKEN_SECRET_PREVIOUS", "")
    assert Settings().mcp_token_secret_previous is None
    monkeypatch.setenv("TARIMBA_MCP_TOKEN_SECRET_PREVIOUS", "x" * 31)
    with pytest.raises(ValidationError, match="must have at least 32 bytes") as refused:
        Settings()
    assert "xxx" not in str(refused.value.errors(include_input=False)[0]["msg"])
    monkeypatch.setenv("TARIMBA_MCP_TOKEN_SECRET_PREVIOUS", "x" * 32)
    assert Settings().mcp_token_secret_previous is not None


@UNIT
def test_the_front_is_that_of_the_other_server(team: Team) -> None:
    token = team.token()
    for method in ("GET", "DELETE", "PUT"):
        response = team.api.http.request(method, "/v1/mcp", headers={"accept": "text/event-stream"})
        assert response.headers["allow"] == "POST"
        assert_problem(response, "method_not_allowed")
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
        assert_problem(team.post(token, LIST, origin=origin), "invalid_input", 403)
    assert team.post(token, LIST, origin="http://localhost:1").status_code == 200
    assert team.post(token, LIST, host="memory.acme.example").status_code == 200
    assert_problem(team.post(token, LIST, host="evil.example"), "invalid_input", 421)
    assert_problem(team.post(token, b'"' + b"x" * 1024 * 1024 + b'"'), "too_large")
    assert_problem(team.post(token, b"{"), "invalid_input", 400)
    assert_problem(
        team.api.http.post("/v1/mcp?scope=all", json=LIST, headers=_bearer(token)), "invalid_input"
    )
    assert team.api.http.post("/v1/mcp/", json=LIST, headers=_bearer(token)).status_code == 200


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}


@UNIT
def test_what_the_resource_is_is_published_where_clients_look(team: Team) -> None:
    refused = team.post(None, LIST)
    beyond = "https://memory.acme.example/.well-known/oauth-protected-resource/tarimba/v1/mcp"
    assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{beyond}"'
    root = "/.well-known/oauth-protected-resource"
    for path in (root, f"{root}/v1/mcp", f"{root}/tarimba/v1/mcp"):
        answer = team.api.http.get(path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == {
            "resource": "https://memory.acme.example/tarimba/v1/mcp",
            "resource_name": "Tarimba memory graph",
            "bearer_methods_supported": ["header"],
        }
        assert team.api.http.post(path).status_code == 405


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(Place(tmp_path_factory.mktemp("without"), None)) as api:
        yield api


@UNIT
@pytest.mark.promise("graph-optional")
def test_without_a_secret_there_is_no_graph_and_nothing_else_is_missing(api: Api, without: Api) -> None:
    token = found_team(api, api.found()).token()
    for path in ("/v1/mcp", "/v1/turns/start", "/v1/turns/end"):
        assert_problem(
            without.http.post(path, json={"conversation_id": "c"}, headers=_bearer(token)), "not_found"
        )
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/v1/mcp"):
        assert_problem(without.http.get(path), "not_found")
    with pytest.raises(Refusal) as refused:
        found_team(without, without.found()).token()
    assert "TARIMBA_MCP_TOKEN_SECRET" in refused.value.detail
    company = without.found()
    assert without.write(company)["note_id"]
    assert "result" in without.tool(company, "billing", "search_agent_memory", query="invoices").json()
    assert without.http.get("/openapi.json").json() == api.http.get("/openapi.json").json()


@UNIT
def test_the_host_prints_a_token_and_ends_it(
    team: Team, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # By the name that units of the family have already.
    monkeypatch.setenv("CRAB_MCP_TOKEN_SECRET", SECRET)
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)
    where = ["--data", str(team.api.place.data), "--space", team.company.slug]
    seat = ["--subscription", team.slug, "--member", "member"]

    def told(*arguments: str) -> str:
        assert run(["workspace", *arguments, *seat, *where]) == 0
        return capsys.readouterr().out.strip()

    token = told("token", "--agent", "billing")
    assert token == team.token()
    assert json.loads(told("token", "--agent", "billing", "--json")) == {
        "subscription_id": team.subscription_id,
        "source_id": team.company.sources["billing"],
        "person_id": team.people["member"],
        "token": token,
    }
    assert team.post(token, LIST).status_code == 200
    assert "nothing any more" in told("revoke-tokens")
    assert_unknown(team.post(token, LIST))
    assert team.api.actions(team.company).count("workspace.read") >= 2
    monkeypatch.setenv("CRAB_MCP_TOKEN_SECRET", "short")
    assert run(["workspace", "token", "--agent", "billing", *seat, *where]) == 1
    said = capsys.readouterr().err
    assert said == "CRAB_MCP_TOKEN_SECRET: must have at least 32 bytes, or be left out.\n"
    monkeypatch.setenv("CRAB_MCP_TOKEN_SECRET", "")
    assert run(["workspace", "token", "--agent", "billing", *seat, *where]) == 1
    assert "TARIMBA_MCP_TOKEN_SECRET" in capsys.readouterr().err


def test_the_scope_is_told_by_nothing_but_the_token(team: Team) -> None:
    team.call("create_entities", team.token("auditor"), entities=[entity("Theirs")])
    team.call("create_entities", entities=[entity("Mine")])
    answer = team.call("read_graph", person_id=team.people["auditor"])
    assert [one["name"] for one in answer["entities"]] == ["Mine"]
    assert answer["ignored"] == 1
