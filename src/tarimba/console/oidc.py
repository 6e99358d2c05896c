"""Signing in by a provider: to it and back. A link starts it, since a form may not lead elsewhere."""

from __future__ import annotations

from typing import Final

from tarimba.console.app_cookies import PENDING, SESSION
from tarimba.console.page import Cookie, Guest, Html, Page, Redirect, Shown
from tarimba.console.walls import safe_next
from tarimba.errors import Refusal
from tarimba.identity import oidc
from tarimba.identity.sign_in import CodeWanted, SpaceWanted
from tarimba.kernel import Kernel


def _leave(kernel: Kernel, visit: Guest) -> Shown:
    wanted, space = safe_next(visit.query.line("next")), visit.query.line("space")[:63]
    try:
        leaving = oidc.leave(kernel, wanted=wanted, space=space)
    except Refusal as refusal:
        return _refused(visit, refusal)
    kept = Cookie(PENDING, leaving.kept, oidc.KEPT_SECONDS)
    return Redirect(leaving.address, cookies=(kept,), is_away=True)


def _come_back(kernel: Kernel, visit: Guest) -> Shown:
    query = visit.query
    back = oidc.Back(query.line("state"), query.line("code"), query.line("error"), query.line("iss"))
    try:
        known = oidc.come_back(kernel, visit.pending, back)
    except Refusal as refusal:
        return _refused(visit, refusal)
    wanted, came = safe_next(known.wanted), known.came
    if isinstance(came, SpaceWanted):
        values = {"spaces": came.spaces, "wanted": wanted}
        return Html("oidc_space.html", values, cookies=(Cookie(PENDING, ""),))
    if isinstance(came, CodeWanted):
        code: dict[str, object] = {"next": wanted, "refusal": None}
        return Html("code.html", code, cookies=(Cookie(PENDING, came.pending, 300),))
    return Redirect(wanted, cookies=(Cookie(SESSION, came.cookie), Cookie(PENDING, "")))


def _refused(visit: Guest, refusal: Refusal) -> Html:
    """The sign-in page with what went wrong: a password still does."""
    values = {
        "email": "",
        "next": safe_next(visit.query.line("next")),
        "refusal": refusal,
        "spaces": (),
        "has_provider": refusal.code != "not_found",
    }
    return Html("sign_in.html", values, refusal.status, cookies=(Cookie(PENDING, ""),))


PAGES: Final = (
    Page("GET", "/oidc", _leave, guest=True),
    Page("GET", "/oidc/callback", _come_back, guest=True),
)
