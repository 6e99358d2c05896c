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
