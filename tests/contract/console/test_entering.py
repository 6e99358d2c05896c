"""Coming in and going out."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pyotp
import pytest
import uvicorn
from pydantic import ValidationError

from tarimba.app import before
from tarimba.clock import Clock
from tarimba.identity import links
from tarimba.identity.links import first_link
from tarimba.settings import Settings
from tests.contract.api.served import Api, serving
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
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"
    # Over plain http a browser would not come back to a server without a certificate.
    assert "strict-transport-security" not in answer.headers
    path = office.link("owner")
    one.open(path)
    cookies = one.send(path, password=PASSWORD).headers.get_list("set-cookie")
    session = next(one for one in cookies if one.startswith("tarimba_session="))
    assert {"HttpOnly", "SameSite=Lax", "Path=/console"} <= set(session.split("; "))
    assert one.open(ACCOUNT).headers["cache-control"] == "no-store"
    assert one.open("/nowhere").status_code == 404
    assert one.http.delete("/console/account").status_code == 404


@pytest.mark.promise("console-entering")
def test_who_fails_often_waits(office: Office) -> None:
    office.enter("owner")
    one = office.browser()
    who = f"nobody-{office.company.slug}"
    statuses = []
    for number in range(7):
        # Whoever says where they come from is not believed.
        one.headers["x-forwarded-for"] = f"192.0.2.{number}"
        statuses.append(sign_in(one, office.company.slug, who, "wrong, wrong and wrong"))
    assert statuses == [401] * 5 + [429] * 2
    assert re.search(r"again in \d+ second", one.page)
    form = {"email": f"{who}@acme.example", "password": "wrong, wrong and wrong"}
    assert int(one.send("/sign-in", **form).headers["retry-after"]) in {1, 2}


@pytest.mark.promise("console-entering")
def test_guesses_made_at_once_are_as_few_as_those_made_in_turn(api: Api) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from tarimba.errors import Refusal
    from tarimba.identity.throttle import Attempt
    from tarimba.ids import new_id

    class Still(Clock):
        def now_us(self) -> int:
            return now

    who, client, now = new_id(), new_id(), api.kernel.clock.now_us()
    kernel = replace(api.kernel, clock=Still())

    def begun(attempt: Attempt) -> bool:
        try:
            attempt.begin()
        except Refusal:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begun, [Attempt(kernel, who, client) for _ in range(16)])) == 5
    # One place may not try everybody, and nobody is tried from everywhere; what succeeds is given back.
    place = [Attempt(kernel, f"{who} {number}", f"{client} a") for number in range(21)]
    for attempt in place:
        assert begun(attempt)
        attempt.succeeded()
    assert [begun(attempt) for attempt in place] == [True] * 20 + [False]
    person = [Attempt(kernel, f"{who} b", f"{client} b{number}") for number in range(51)]
    assert [begun(attempt) for attempt in person] == [True] * 50 + [False]


@pytest.mark.promise("console-entering")
def test_who_has_somebodys_session_does_not_guess_their_password(office: Office) -> None:
    one = office.enter("operator")
    for path in ("/password", "/second-factor/remove"):
        one.open(ACCOUNT)
        form = {"old": "not this one", "password": "not this one"}
        answers = [one.send(f"{ACCOUNT}{path}", **form) for _ in range(7)]
        assert answers[-1].status_code == 429
        assert "retry-after" in answers[-1].headers


@pytest.mark.promise("console-entering")
def test_a_proxy_is_believed_when_the_settings_name_it(tmp_path: Path) -> None:
    def client(proxies: str, proxy: str) -> str:
        """Who the server takes for the client of a request that a proxy passes on."""
        seen: list[Any] = []

        async def app(scope: Any, _receive: Any, _send: Any) -> None:
            seen.append(scope["client"][0])

        settings = Settings(data=tmp_path, trusted_proxies=proxies)
        config = uvicorn.Config(app, lifespan="off", log_config=None, **before(settings))
        config.load()
        headers = [(b"x-forwarded-for", b"192.0.2.1")]
        scope: Any = {"type": "http", "client": (proxy, 1), "headers": headers, "scheme": "http"}
        asyncio.run(config.loaded_app(scope, None, None))
        return str(seen[0])

    assert client("", "127.0.0.1") == "127.0.0.1"
    assert client("10.0.0.2, 10.1.0.0/16", "10.1.2.3") == "192.0.2.1"
    assert client("10.0.0.2, 10.1.0.0/16", "10.2.2.3") == "10.2.2.3"
    with pytest.raises(ValidationError):
        Settings(data=tmp_path, trusted_proxies="*")


@pytest.mark.promise("console-walls")
def test_cookies_of_others_take_none_of_ours_away(office: Office) -> None:
    one = office.enter("auditor")
    session = one.http.cookies["tarimba_session"]
    foreign = ('{"a":1}', "a b=c d", "=", "b[]=1", "expires=x; path", 'q="never closed')
    for odd in foreign:
        headers = {"cookie": f"{odd}; tarimba_session={session}; z={odd}"}
        assert one.http.get("/console/account", headers=headers).status_code == 200, odd


@pytest.mark.promise("console-walls")
def test_an_origin_that_is_none_or_of_another_scheme_is_not_ours() -> None:
    from tarimba.console.walls import is_own_origin, safe_next, walls

    def own(origin: bytes, public: str | None = None, host: bytes = b"a.example") -> bool:
        return is_own_origin({b"origin": origin, b"host": host}, public)

    assert own(b"http://a.example")
    assert not own(b"http://[a.example")
    assert not own(b"http://a.example:port")
    assert own(b"https://a.example", "https://a.example/")
    assert own(b"https://a.example", "https://a.example:443", b"inside:8750")
    assert not own(b"http://a.example", "https://a.example")
    assert not own(b"https://a.example:8443", "https://a.example", b"a.example")
    assert not own(b"https://evil.example", "https://a.example")
    assert own(b"http://inside:8750", "https://a.example", b"inside:8750")
    assert safe_next("//[") == ""
    names = [name for name, _ in walls("https://a.example")]
    assert names.count(b"strict-transport-security") == 1
    assert len(walls("http://a.example")) == len(names) - 1


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
    third = office.browser()
    assert sign_in(third, office.company.slug) == 303
    assert third.open(ACCOUNT).status_code == 200
    second.open(ACCOUNT)
    for weak in ("short", "owner@acme.example", "aaaaaaaaaaaaaaaa", "password1234"):
        assert second.send(f"{ACCOUNT}/password", old=PASSWORD, password=weak).status_code == 422
    assert (
        second.send(f"{ACCOUNT}/password", old="not this one", password="another four words").status_code
        == 422
    )
    assert second.send(f"{ACCOUNT}/password", old=PASSWORD, password="another four words").status_code == 303
    assert second.open(ACCOUNT).status_code == 200
    assert third.open(ACCOUNT).headers["location"].startswith("/console/sign-in")


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
def test_an_owner_makes_no_link_for_somebody_who_is_settled(office: Office) -> None:
    from tarimba.errors import Refusal
    from tarimba.identity import links, people
    from tarimba.identity.drafts import PersonChange
    from tarimba.identity.service import authenticate

    kernel, bearers = office.api.kernel, office.company.bearers
    owner = authenticate(kernel, bearers["owner"], "http")
    # They have neither a password nor a session, and yet a token by which they may have written something.
    member = authenticate(kernel, bearers["member"], "http")
    with pytest.raises(Refusal, match="the host makes the link"):
        links.make_link(kernel, owner, member.id)
    taken = PersonChange.of(email="rita@elsewhere.example")
    with pytest.raises(Refusal, match="change it themselves"):
        people.change_person(kernel, owner, member.id, taken)
    assert not office.enter("member").open(ACCOUNT).text.count("elsewhere")
    people.change_person(kernel, owner, member.id, PersonChange.of(name="Somebody"))
    people.change_person(kernel, owner, owner.id, taken)


@pytest.mark.promise("console-entering")
def test_a_link_that_an_owner_kept_back_opens_nothing_once_its_person_came_in(office: Office) -> None:
    from tarimba.identity import hosting, links, people
    from tarimba.identity.drafts import NewPerson, PersonChange
    from tarimba.identity.service import authenticate

    kernel = office.api.kernel
    owner = authenticate(kernel, office.company.bearers["owner"], "http")
    new = NewPerson.of("desk", PersonChange.of(email="desk@acme.example", roles=["member"]))
    person_id = people.create_person(kernel, owner, new).ids["person_id"]
    moved = PersonChange.of(email="counter@acme.example")
    people.change_person(kernel, owner, person_id, moved)
    kept, one = f"/enter/{links.make_link(kernel, owner, person_id)}", office.browser()
    hosting.issue_token(kernel, hosting.host_of(kernel, office.company.slug), "counter@acme.example", None)
    one.open(kept)
    assert one.send(kept, password=PASSWORD).status_code == 404
    one.open(office.link("counter"))
    assert one.send(office.link("counter"), password=PASSWORD).status_code == 303


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
        assert "Toda nota é de um agente" in one.open("/notes/new").text
        assert one.open(f"/first/{secret}").status_code == 404
        assert first_link(api.kernel) is None
        office.close()


@pytest.mark.promise("console-first")
def test_servers_that_start_at_once_leave_one_link_that_founds(bare_place: Place) -> None:
    with bare_place.kernel() as kernel, ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            together = Barrier(8)

            def start(together: Barrier = together) -> str | None:
                together.wait()
                return first_link(kernel)

            secrets = [one.result() for one in [pool.submit(start) for _ in range(8)]]
            assert sum(links.is_first(kernel, str(one)) for one in secrets) == 1
            with kernel.database.write() as connection:
                connection.exec_driver_sql("DELETE FROM installation")


def test_a_page_speaks_the_language_that_the_browser_asks_for(office: Office) -> None:
    said = {"pt-BR,pt;q=0.9": "Entrar", "en-GB": "Sign in", "es;q=0.5,fr": "Entrar", "de": "Entrar"}
    for accept, title in said.items():
        assert f"<h1>{title}</h1>" in office.browser(accept).open("/sign-in").text
