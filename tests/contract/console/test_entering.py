"""Coming in and going out."""

from __future__ import annotations

import re

import pyotp
import pytest

from tarimba.identity.links import first_link
from tests.contract.api.served import serving
from tests.contract.console.visitor import PASSWORD, Office, Visitor
from tests.e2e.company import Company, Place, log_of

ACCOUNT = "/account"
_NONE = Company("", "", {}, {})


def sign_in(one: Visitor, slug: str, who: str = "owner", password: str = PASSWORD) -> int:
    one.open("/sign-in")
    form = {"email": f"{who}@acme.example", "password": password, "space": slug}
    return one.send("/sign-in", **form).status_code


@pytest.mark.promise("console-entering")
def test_opening_a_link_spends_nothing_and_sending_its_form_does(office: Office) -> None:
    path, one = office.link("owner"), office.browser()
    for _ in range(2):
        assert one.open(path).status_code == 200
    sent = one.send(path, password=PASSWORD)
    assert sent.status_code == 303
    assert one.open(ACCOUNT).status_code == 200
    other = office.browser()
    assert other.open(path).status_code == 404


@pytest.mark.promise("console-entering")
def test_a_password_opens_a_session_that_ends_when_its_person_goes(office: Office) -> None:
    office.enter("owner")
    one = office.browser()
    assert sign_in(one, office.company.slug, password="a wrong one that is long") == 401
    assert sign_in(one, office.company.slug) == 303
    before = one.http.cookies["tarimba_session"]
    assert one.open(ACCOUNT).status_code == 200
    assert one.send("/sign-out").status_code == 303
    gone = office.browser()
    gone.http.cookies.set("tarimba_session", before, path="/console")
    assert gone.open(ACCOUNT).headers["location"].startswith("/console/sign-in")


@pytest.mark.promise("console-entering")
def test_who_is_not_in_is_sent_to_sign_in_and_back_to_a_place_of_ours_alone(office: Office) -> None:
    one = office.browser()
    to = one.open("/account?x=1").headers["location"]
    assert to == "/console/sign-in?next=%2Faccount%3Fx%3D1"
    office.enter("owner")
    one.open(to.removeprefix("/console"))
    form = {"email": "owner@acme.example", "password": PASSWORD, "space": office.company.slug}
    assert one.send("/sign-in", next="/account", **form).headers["location"] == "/console/account"
    for elsewhere in ("//evil.example/", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        again = office.browser()
        again.open("/sign-in")
        assert again.send("/sign-in", next=elsewhere, **form).headers["location"] == "/console"


@pytest.mark.promise("console-walls")
def test_a_form_of_somebody_elses_page_changes_nothing(office: Office) -> None:
    one = office.enter("owner")
    one.open(ACCOUNT)
    form = {"language": "es"}
    token = re.search(r'form_token" value="([^"]+)"', one.page)
    assert token is not None
    for headers, sent in (
        ({}, form),
        ({}, form | {"form_token": "made up"}),
        ({"origin": "https://evil.example"}, form | {"form_token": token[1]}),
        ({"sec-fetch-site": "cross-site"}, form | {"form_token": token[1]}),
        ({"origin": "null"}, form | {"form_token": token[1]}),
    ):
        answer = one.http.post("/console/account/language", data=sent, headers=headers)
        assert answer.status_code == 403, headers
    other = office.enter("auditor")
    other.open(ACCOUNT)
    stolen = other.http.post("/console/account/language", data=form | {"form_token": token[1]})
    assert stolen.status_code == 403


@pytest.mark.promise("console-walls")
def test_a_session_that_somebody_brings_is_never_the_one_that_is_opened(office: Office) -> None:
    office.enter("owner")
    one = office.browser()
    one.http.cookies.set("tarimba_session", "chosen-by-somebody.else", path="/console")
    one.open("/sign-in")
    form = {"email": "owner@acme.example", "password": PASSWORD, "space": office.company.slug}
    cookies = one.send("/sign-in", **form).headers.get_list("set-cookie")
    session = next(one for one in cookies if one.startswith("tarimba_session="))
    assert "chosen-by-somebody" not in session


@pytest.mark.promise("console-walls")
def test_every_answer_has_its_walls_and_cookies_are_out_of_reach(office: Office) -> None:
    one = office.browser()
    answer = one.open("/sign-in")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    path = office.link("owner")
    one.open(path)
    cookies = one.send(path, password=PASSWORD).headers.get_list("set-cookie")
    session = next(one for one in cookies if one.startswith("tarimba_session="))
    assert {"HttpOnly", "SameSite=Lax", "Path=/console"} <= set(session.split("; "))
    assert one.open("/nowhere").status_code == 404
    assert one.http.delete("/console/account").status_code == 404


@pytest.mark.promise("console-entering")
def test_who_fails_often_waits(office: Office) -> None:
    office.enter("owner")
    one = office.browser()
    statuses = [sign_in(one, office.company.slug, "nobody", "wrong, wrong and wrong") for _ in range(8)]
    assert statuses[:5] == [401] * 5
    assert statuses[-1] == 429
    assert re.search(r"again in \d+ second", one.page)


@pytest.mark.promise("console-entering")
def test_a_second_factor_is_asked_for_and_each_code_opens_once(office: Office) -> None:
    one = office.enter("owner")
    other = office.enter("owner")
    other.open(ACCOUNT)
    one = other
    one.send(f"{ACCOUNT}/second-factor/start")
    one.open(f"{ACCOUNT}/second-factor")
    seed = re.search(r"<code>([A-Z2-7]{32})</code>", one.page)
    assert seed is not None
    code = pyotp.TOTP(seed[1])
    assert one.send(f"{ACCOUNT}/second-factor", code="000000").status_code == 422
    now = office.api.kernel.clock.now_us() // 1_000_000
    assert one.send(f"{ACCOUNT}/second-factor", code=code.at(now)).status_code == 303
    again = office.browser()
    assert sign_in(again, office.company.slug) == 200
    assert "tarimba_session" not in again.http.cookies
    assert again.send("/sign-in/code", code=code.at(now)).status_code == 401
    assert again.send("/sign-in/code", code=code.at(now + 30)).status_code == 303
    # A link lets nobody around the second factor.
    third, path = office.browser(), office.link("owner")
    third.open(path)
    assert third.send(path).headers["location"].startswith("/console/sign-in")


@pytest.mark.promise("console-entering")
def test_a_new_password_ends_every_other_session(office: Office) -> None:
    first, second = office.enter("owner"), office.enter("owner")
    assert first.open(ACCOUNT).headers["location"].startswith("/console/sign-in")
    second.open(ACCOUNT)
    for weak in ("short", "owner@acme.example", "aaaaaaaaaaaaaaaa", "password1234"):
        assert second.send(f"{ACCOUNT}/password", old=PASSWORD, password=weak).status_code == 422
    assert (
        second.send(f"{ACCOUNT}/password", old="not this one", password="another four words").status_code
        == 422
    )
    assert second.send(f"{ACCOUNT}/password", old=PASSWORD, password="another four words").status_code == 303
    assert second.open(ACCOUNT).status_code == 200


@pytest.mark.promise("console-entering")
def test_coming_in_leaves_a_receipt_without_a_secret(office: Office) -> None:
    one = office.enter("owner")
    kept = [stored.document for stored in log_of(office.api.kernel, office.company)]
    login = next(document for document in reversed(kept) if document["action"] == "login")
    assert (login["via"], login["detail"]) == ("console", {"proof": "link", "second_factor": False})
    cookie = one.http.cookies["tarimba_session"]
    assert cookie not in str(kept)
    assert PASSWORD not in str(kept)


@pytest.mark.promise("console-entering")
def test_an_owner_makes_no_link_for_somebody_who_has_a_password(office: Office) -> None:
    from tarimba.errors import Refusal
    from tarimba.identity import links
    from tarimba.identity.service import authenticate

    office.enter("member")
    owner = authenticate(office.api.kernel, office.company.bearers["owner"], "http")
    member = authenticate(office.api.kernel, office.company.bearers["member"], "http")
    with pytest.raises(Refusal, match="has a password"):
        links.make_link(office.api.kernel, owner, member.id)


@pytest.mark.promise("console-first")
def test_the_first_owner_founds_the_first_space_once(bare_place: Place) -> None:
    with serving(bare_place) as api:
        secret = first_link(api.kernel)
        assert secret is not None
        office = Office(api, _NONE)
        one = office.browser("pt-BR")
        assert "O primeiro espaço" in one.open(f"/first/{secret}").text
        form = {
            "space": "Acme",
            "slug": "acme",
            "language": "pt",
            "name": "Rita",
            "email": "rita@acme.example",
        }
        assert one.send(f"/first/{secret}", password="short", **form).status_code == 422
        assert one.send(f"/first/{secret}", password=PASSWORD, **form).status_code == 303
        assert one.open(ACCOUNT).status_code == 200
        assert one.open(f"/first/{secret}").status_code == 404
        assert first_link(api.kernel) is None
        office.close()


def test_a_page_speaks_the_language_that_the_browser_asks_for(office: Office) -> None:
    said = {"pt-BR,pt;q=0.9": "Entrar", "en-GB": "Sign in", "es;q=0.5,fr": "Entrar", "de": "Entrar"}
    for accept, title in said.items():
        assert f"<h1>{title}</h1>" in office.browser(accept).open("/sign-in").text
