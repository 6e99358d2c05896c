"""One's own account: password, second factor, sessions, language."""

from __future__ import annotations

from typing import Any, Final

import segno

from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.console.words import LANGUAGES
from tarimba.errors import Refusal
from tarimba.identity import links, people, second_factor, sessions
from tarimba.kernel import Kernel


def _account(kernel: Kernel, visit: Visit, refusal: Refusal | None = None, form: str = "") -> Html:
    values: dict[str, Any] = {
        "sessions": sessions.open_sessions(kernel, visit.principal),
        "has_password": second_factor.has_password(kernel, visit.principal),
        "has_factor": second_factor.is_on(kernel, visit.principal),
        "refusal": refusal,
        "form": form,
    }
    return Html("account.html", values, 200 if refusal is None else refusal.status)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _account(kernel, visit)


def _password(kernel: Kernel, visit: Visit) -> Shown:
    try:
        old, new = visit.form.text("old"), visit.form.text("password")
        code = visit.form.line("code")
        links.change_password(kernel, visit.principal, old, new, client=visit.client, code=code)
    except Refusal as refusal:
        return _account(kernel, visit, refusal, "password")
    return Redirect("/account", "account.done_password")


def _language(kernel: Kernel, visit: Visit) -> Shown:
    people.speak(kernel, visit.principal, visit.form.choice("language", LANGUAGES, "pt"))
    return Redirect("/account", "account.done_language")


def _end(kernel: Kernel, visit: Visit) -> Shown:
    sessions.sign_out(kernel, visit.principal, visit.form.line("session"))
    return Redirect("/account", "account.done_sessions")


def _start_factor(kernel: Kernel, visit: Visit) -> Shown:
    second_factor.start(kernel, visit.principal)
    return Redirect("/account/second-factor")


def _factor(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    enrolment = second_factor.enrolment(kernel, visit.principal)
    picture = segno.make(enrolment.address, error="m").svg_data_uri(
        scale=5, border=2, light="#fff", dark="#111"
    )
    values = {"seed": enrolment.seed, "picture": picture, "refusal": refusal}
    return Html("second_factor.html", values, 200 if refusal is None else refusal.status)


def _show_factor(kernel: Kernel, visit: Visit) -> Shown:
    return _factor(kernel, visit)


def _confirm_factor(kernel: Kernel, visit: Visit) -> Shown:
    try:
        second_factor.confirm(kernel, visit.principal, visit.form.line("code"))
    except Refusal as refusal:
        if refusal.code != "invalid_input":
            raise
        return _factor(kernel, visit, refusal)
    return Redirect("/account", "account.done_factor_on")


def _remove_factor(kernel: Kernel, visit: Visit) -> Shown:
    try:
        password, code = visit.form.text("password"), visit.form.line("code")
        second_factor.remove(kernel, visit.principal, password, code, client=visit.client)
    except Refusal as refusal:
        return _account(kernel, visit, refusal, "factor")
    return Redirect("/account", "account.done_factor_off")


PAGES: Final = (
    Page("GET", "/account", _show),
    Page("POST", "/account/password", _password),
    Page("POST", "/account/language", _language),
    Page("POST", "/account/sessions", _end),
    Page("POST", "/account/second-factor/start", _start_factor),
    Page("GET", "/account/second-factor", _show_factor),
    Page("POST", "/account/second-factor", _confirm_factor),
    Page("POST", "/account/second-factor/remove", _remove_factor),
)
