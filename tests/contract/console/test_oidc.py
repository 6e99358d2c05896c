"""Coming in by a provider of OpenID Connect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyotp
import pytest
from joserfc.jwk import ECKey
from pydantic import ValidationError

from tarimba.settings import Settings
from tests.contract.api.served import Api, serving
from tests.contract.console.provider import CLIENT, SECRET, Provider, providing
from tests.contract.console.visitor import Office, Visitor
from tests.e2e.company import Place, log_of

MISFITS: tuple[dict[str, Any], ...] = (
    {"email_verified": False},
    {"email_verified": "true"},
    {"email": "stranger@elsewhere.example"},
    {"nonce": "another"},
    {"aud": "another"},
    {"aud": [CLIENT, "another"], "azp": "another"},
    {"iss": "https://login.example"},
    {"exp": 1_000_000_000},
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Provider]:
    with providing() as provider:
        yield provider


@pytest.fixture
def provider(shared: Provider) -> Iterator[Provider]:
    key = shared.key
    yield shared
    shared.key, shared.claims, shared.published, shared.named = key, {}, None, None


@pytest.fixture(scope="module")
def api(place: Place, shared: Provider) -> Iterator[Api]:
    options = {"oidc_issuer": shared.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
    with serving(place, **options) as running:
        yield running


def go(one: Visitor, office: Office, wanted: str = "") -> str:
    """Where the browser is sent by the link of the sign-in page."""
    one.open("/sign-in")
    assert "/console/oidc" in one.page
    answer = one.open(f"/oidc?space={office.company.slug}&next={wanted}")
    assert answer.status_code == 303
    return str(answer.headers["location"])


@pytest.mark.promise("console-oidc")
def test_whoever_has_the_verified_address_comes_in_where_they_wanted(
    office: Office, provider: Provider
) -> None:
    one = office.browser()
    back = provider.let_in(go(one, office, "/inbox"), "Owner@acme.example")
    answer = one.open(back)
    assert answer.headers["location"] == "/console/inbox"
    assert one.open("/inbox").status_code == 200
    logins = [
        one.document for one in log_of(office.api.kernel, office.company) if one.document["action"] == "login"
    ]
    assert [login["detail"]["proof"] for login in logins] == ["oidc"]
    # The answer opens nothing a second time: its code is spent, and so is the cookie that goes with it.
    assert one.open(back).status_code == 401


@pytest.mark.promise("console-oidc")
def test_who_came_in_once_is_known_by_their_account_and_not_by_their_address(
    office: Office, provider: Provider
) -> None:
    one, kernel = office.browser(), office.api.kernel
    provider.claims = {"sub": f"a {office.company.slug}"}
    assert one.open(provider.let_in(go(one, office), "auditor@acme.example")).status_code == 303
    # Somebody whom the provider gave the address since is somebody else.
    provider.claims = {"sub": f"b {office.company.slug}"}
    other = office.browser()
    answer = other.open(provider.let_in(go(other, office), "auditor@acme.example"))
    assert answer.status_code == 401
    assert "Another account of the sign-in provider" in answer.text
    # And who was bound stays who they are, whatever address the provider tells.
    provider.claims = {"sub": f"a {office.company.slug}"}
    again = office.browser()
    assert again.open(provider.let_in(go(again, office), "owner@acme.example")).status_code == 303
    assert "auditor@acme.example" in again.open("/account").text
    said = [one.document["detail"].get("change") for one in log_of(kernel, office.company)]
    assert said.count("provider-bound") == 1
    office.link("auditor", drops_provider=True)
    provider.claims = {"sub": f"b {office.company.slug}"}
    assert other.open(provider.let_in(go(other, office), "auditor@acme.example")).status_code == 303


@pytest.mark.promise("console-oidc")
def test_an_answer_counts_in_the_browser_that_left_and_nowhere_else(
    office: Office, provider: Provider
) -> None:
    one, other = office.browser(), office.browser()
    back = provider.let_in(go(one, office))
    before = provider.redeemed
    assert other.open(back).status_code == 401
    go(other, office)
    assert other.open(back).status_code == 401
    assert one.open(back.partition("&state=")[0] + "&state=another").status_code == 401
    assert provider.redeemed == before
    assert "login" not in office.api.actions(office.company)


@pytest.mark.promise("console-oidc")
def test_a_token_that_does_not_fit_lets_nobody_in(office: Office, provider: Provider) -> None:
    one = office.browser()
    for claims in MISFITS:
        provider.claims = claims
        answer = one.open(provider.let_in(go(one, office)))
        assert answer.status_code == 401, claims
        assert 'role="alert"' in answer.text
        assert "stranger" not in answer.text
        assert one.open("/inbox").status_code == 303
    people = office.api.call(office.company, "owner", "GET", "/v1/admin/people").json()["items"]
    assert not [person for person in people if "elsewhere" in person["email"]]


@pytest.mark.promise("console-oidc")
def test_a_token_of_another_key_or_provider_lets_nobody_in(office: Office, provider: Provider) -> None:
    one = office.browser()
    back = provider.let_in(go(one, office))
    provider.published = ECKey.generate_key("P-256", {"kid": "one"})
    assert one.open(back).status_code == 401
    refused = one.open("/oidc/callback?error=access_denied&state=x")
    assert refused.status_code == 401
    provider.named = "https://login.example"
    assert one.open("/oidc").status_code == 503


@pytest.mark.promise("console-oidc")
def test_a_second_factor_of_ours_is_asked_for_all_the_same(office: Office, provider: Provider) -> None:
    one = office.enter("reviewer")
    one.open("/account")
    one.send("/account/second-factor/start")
    seed = one.open("/account/second-factor").text.partition("<code")[2].partition(">")[2].partition("<")[0]
    now = office.api.kernel.clock.now_us() // 1_000_000
    one.send("/account/second-factor", code=pyotp.TOTP(seed.replace(" ", "")).at(now - 30))
    other = office.browser()
    answer = other.open(provider.let_in(go(other, office), "reviewer@acme.example"))
    assert answer.status_code == 200
    assert other.open("/inbox").status_code == 303
    other.page = answer.text
    sent = other.send("/sign-in/code", code=pyotp.TOTP(seed.replace(" ", "")).at(now + 30))
    assert sent.status_code == 303, sent.text
    login = log_of(office.api.kernel, office.company)[-1].document
    assert (login["detail"]["proof"], login["detail"]["second_factor"]) == ("oidc", True)


@pytest.mark.promise("console-oidc")
def test_who_has_no_password_turns_the_second_factor_off_by_a_code(
    office: Office, provider: Provider
) -> None:
    one = office.browser()
    assert one.open(provider.let_in(go(one, office), "operator@acme.example")).status_code == 303
    one.open("/account")
    one.send("/account/second-factor/start")
    seed = one.open("/account/second-factor").text.partition("<code")[2].partition(">")[2].partition("<")[0]
    code = pyotp.TOTP(seed.replace(" ", ""))
    now = office.api.kernel.clock.now_us() // 1_000_000
    assert one.send("/account/second-factor", code=code.at(now)).status_code == 303
    assert 'name="code"' in one.open("/account").text
    for wrong in ("", "000000", code.at(now)):
        assert one.send("/account/second-factor/remove", password="", code=wrong).status_code == 422
    # Nor by setting a password first.
    sent = one.send("/account/password", password="four bananas sing out loud")
    assert sent.status_code == 422
    assert one.send("/account/second-factor/remove", code=code.at(now + 30)).status_code == 303
    assert one.open("/account/second-factor").status_code == 409


@pytest.mark.promise("console-oidc")
def test_one_address_in_several_spaces_is_asked_which(office: Office, provider: Provider) -> None:
    second = office.api.found()
    one = office.browser()
    back = provider.let_in(str(one.open("/oidc?next=//elsewhere.example").headers["location"]))
    page = one.open(back)
    assert page.status_code == 200
    assert f"/console/oidc?space={second.slug}" in page.text
    answer = one.open(provider.let_in(str(one.open(f"/oidc?space={second.slug}").headers["location"])))
    assert answer.headers["location"] == "/console"


@pytest.mark.promise("console-oidc")
def test_a_provider_is_reached_over_tls_unless_it_is_on_this_machine(tmp_path: Path) -> None:
    for issuer in ("http://login.example", "ftp://login.example", "https://a@login.example"):
        with pytest.raises(ValidationError):
            Settings(data=tmp_path, oidc_issuer=issuer)
    Settings(data=tmp_path, oidc_issuer="https://login.example/tenant")
