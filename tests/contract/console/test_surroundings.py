"""What all pages have in common: looks, keys, what is said after a form, and how it is said that something is wrong."""

from __future__ import annotations

from tests.contract.console.visitor import Office


def test_letters_alone_are_turned_off_for_a_browser_and_on_again(office: Office) -> None:
    one = office.enter("auditor")
    assert "data-keys" not in one.open("/notes").text
    one.follow(one.send("/looks/keys", keys="off", next="/notes"))
    assert '<html lang="en" data-theme="auto" data-keys="off">' in one.page
    one.follow(one.send("/looks/keys", keys="on", next="/notes"))
    assert "data-keys" not in one.page


LARGE = "x" * (1024 * 1024 + 1)


def test_what_can_not_be_read_is_refused_on_a_page_in_the_visitors_language(office: Office) -> None:
    one, guest = office.enter("owner"), office.browser("es")
    one.open("/account")
    one.follow(one.send("/account/language", language="pt"))
    for answer, status, words in (
        (one.open("/notes?q=%ff"), 400, "O formulário não pode ser lido."),
        (one.open("/notes?text=%00"), 422, "um caractere que não pode ser guardado"),
        (one.open("/agents/%00"), 404, "Não há nada neste endereço."),
        (one.send("/notes/new", body=LARGE), 413, "Pode ter até 1048576 bytes."),
        (one.open("/static/none.css"), 404, "Não há nada neste endereço."),
        (guest.open("/sign-in?next=%ff"), 400, "El formulario no se puede leer."),
        (guest.http.post("/console/sign-in", content=b"{", headers=guest.headers), 415, "El formulario"),
    ):
        assert answer.status_code == status, answer.url
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert words in answer.text
        assert "content-security-policy" in answer.headers


def test_a_script_of_ours_gets_a_part_that_says_what_is_wrong(office: Office) -> None:
    one = office.enter("owner")
    headers = {"hx-request": "true"}
    answer = one.http.post("/console/inbox/check", data={"body": LARGE}, headers=headers)
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert answer.text.startswith('<div class="notice bad"')


def test_what_was_done_is_said_to_who_did_it_and_by_no_link_of_others(office: Office) -> None:
    one, other = office.enter("owner"), office.enter("auditor")
    words = "Language changed."
    one.open("/account")
    sent = one.send("/account/language", language="en")
    one.follow(sent)
    assert words in one.page
    to = sent.headers["location"].removeprefix("/console")
    assert "done=account.done_language~" in to
    assert words not in other.open(to).text
    for forged in (
        "account.done_language",
        "account.done_language~",
        "account.done_language~00",
        "sign_in.done_out",
    ):
        assert 'role="status"' not in one.open(f"/account?done={forged}").text
    one.open("/account")
    one.follow(one.send("/sign-out"))
    assert 'role="status"' in one.page


def test_the_address_alone_leads_people_to_the_console_and_programs_nowhere(office: Office) -> None:
    http = office.api.http
    led = http.get("/", headers={"accept": "text/html,application/xhtml+xml"})
    assert (led.status_code, led.headers["location"]) == (303, "/console")
    for accept in ("application/json", "*/*"):
        assert http.get("/", headers={"accept": accept}).status_code == 404
    assert http.post("/", headers={"accept": "text/html"}).status_code in {404, 405}
