"""Coming in and going out: the first owner, one-time links, sign-in in two steps, sign-out, looks and language."""

from __future__ import annotations

from typing import Final

from tarimba.console.app_cookies import LANGUAGE, PENDING, SESSION, THEME
from tarimba.console.navigation import home
from tarimba.console.page import Cookie, Guest, Html, Page, Redirect, Shown, Visit
from tarimba.console.walls import safe_next
from tarimba.console.words import LANGUAGES
from tarimba.errors import Refusal
from tarimba.identity import links, oidc, sessions, sign_in
from tarimba.identity.sessions import Entered
from tarimba.kernel import Kernel

_YEAR: Final = 365 * 24 * 3600


def _start(_kernel: Kernel, visit: Visit) -> Shown:
    return Redirect(home(visit.principal))


def _sign_in_page(kernel: Kernel, visit: Guest) -> Shown:
    if visit.session is not None:
        return Redirect(safe_next(visit.query.line("next")) or home(visit.session.principal))
    return Html("sign_in.html", _sign_in_values(kernel, visit))


def _sign_in(kernel: Kernel, visit: Guest) -> Shown:
    form = visit.form
    try:
        came = sign_in.sign_in(
            kernel,
            form.line("email"),
            form.text("password"),
            client=visit.client,
            space=form.line("space"),
        )
    except Refusal as refusal:
        return _refused(kernel, visit, refusal)
    if isinstance(came, sign_in.SpaceWanted):
        return Html("sign_in.html", _sign_in_values(kernel, visit) | {"spaces": came.spaces})
    if isinstance(came, sign_in.CodeWanted):
        values = {"next": safe_next(form.line("next")), "refusal": None}
        return Html("code.html", values, cookies=(Cookie(PENDING, came.pending, 300),))
    return _in(came, safe_next(form.line("next")))


def _code(kernel: Kernel, visit: Guest) -> Shown:
    try:
        came = sign_in.confirm(kernel, visit.pending, visit.form.line("code"), client=visit.client)
    except Refusal as refusal:
        values = {"next": safe_next(visit.form.line("next")), "refusal": refusal}
        return Html("code.html", values, refusal.status)
    return _in(came, safe_next(visit.form.line("next")))


def _sign_out(kernel: Kernel, visit: Visit) -> Shown:
    sessions.sign_out(kernel, visit.principal, visit.session.session_id)
    return Redirect("/sign-in", "sign_in.done_out", (Cookie(SESSION, ""),))


def _link_page(kernel: Kernel, visit: Guest) -> Shown:
    who = links.invited(kernel, visit.path["token"])
    return Html("link.html", {"who": who, "refusal": None})


def _link(kernel: Kernel, visit: Guest) -> Shown:
    token, form = visit.path["token"], visit.form
    who = links.invited(kernel, token)
    password = form.text("password") or None
    try:
        came = links.enter(kernel, token, password)
    except Refusal as refusal:
        if refusal.code != "invalid_input":
            raise
        return Html("link.html", {"who": who, "refusal": refusal}, refusal.status)
    return Redirect("/sign-in", "sign_in.done_password") if came is None else _in(came, "")


def _first_page(kernel: Kernel, visit: Guest) -> Shown:
    if not links.is_first(kernel, visit.path["secret"]):
        raise Refusal("not_found", "The link was used, is too old, or was never one.")
    values = dict.fromkeys(("space", "slug", "name", "email"), "")
    return Html("first.html", {"given": values | {"language": visit.speech.language}, "refusal": None})


def _first(kernel: Kernel, visit: Guest) -> Shown:
    form = visit.form
    given = {name: form.line(name) for name in ("space", "slug", "language", "name", "email")}
    try:
        came = links.found(
            kernel, visit.path["secret"], links.Founding(**given, password=form.text("password"))
        )
    except Refusal as refusal:
        if refusal.code != "invalid_input":
            raise
        return Html("first.html", {"given": given, "refusal": refusal}, refusal.status)
    return _in(came, "")


def _theme(_kernel: Kernel, visit: Visit) -> Shown:
    said = visit.form.choice("theme", ("light", "dark", "auto"), "auto")
    back = safe_next(visit.form.line("next"))
    return Redirect(back, cookies=(Cookie(THEME, "" if said == "auto" else said, _YEAR),))


def _language(_kernel: Kernel, visit: Guest) -> Shown:
    said = visit.form.choice("language", LANGUAGES, "pt")
    back = safe_next(visit.form.line("next")) or "/sign-in"
    return Redirect(back, cookies=(Cookie(LANGUAGE, said, _YEAR),))


def _in(came: Entered, wanted: str) -> Redirect:
    """A new session in the place of whatever the browser had before."""
    return Redirect(wanted or "", cookies=(Cookie(SESSION, came.cookie), Cookie(PENDING, "")))


def _refused(kernel: Kernel, visit: Guest, refusal: Refusal) -> Html:
    return Html("sign_in.html", _sign_in_values(kernel, visit) | {"refusal": refusal}, refusal.status)


def _sign_in_values(kernel: Kernel, visit: Guest) -> dict[str, object]:
    wanted = safe_next(visit.query.line("next") or visit.form.line("next"))
    values = {"email": visit.form.line("email"), "next": wanted, "refusal": None, "spaces": ()}
    return values | {"has_provider": oidc.is_on(kernel.settings)}


PAGES: Final = (
    Page("GET", "", _start),
    Page("GET", "/sign-in", _sign_in_page, guest=True),
    Page("POST", "/sign-in", _sign_in, guest=True),
    Page("POST", "/sign-in/code", _code, guest=True),
    Page("POST", "/sign-out", _sign_out),
    Page("GET", "/enter/{token}", _link_page, guest=True),
    Page("POST", "/enter/{token}", _link, guest=True),
    Page("GET", "/first/{secret}", _first_page, guest=True),
    Page("POST", "/first/{secret}", _first, guest=True),
    Page("POST", "/looks", _theme),
    Page("POST", "/language", _language, guest=True),
)
