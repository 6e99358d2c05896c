"""Secrets that agents are given: whom each is for, setting and removing. No page ever shows a value."""

from __future__ import annotations

from typing import Final

from tarimba.console.asking import following, is_for_the_form, window
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.identity.naming import names_of, subscriptions_of
from tarimba.identity.seats import Called
from tarimba.kernel import Kernel
from tarimba.workspaces import service as workspaces


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _list(kernel, visit)


def _list(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    name = "secrets"
    page = workspaces.list_given_secrets(kernel, visit.principal, None, window(kernel, visit, name))
    form = visit.form
    values = {
        "secrets": page.items,
        "following": following(kernel, visit, name, page.ends_at),
        "names": names_of(kernel, visit.principal),
        "subscriptions": subscriptions_of(kernel, visit.principal),
        # What was typed comes back, but the value does not.
        "given": {one: form.line(one) for one in ("name", "subscription", "agent")},
        "refusal": refusal,
    }
    return Html("secrets.html", values, 200 if refusal is None else refusal.status)


def _put(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        made = workspaces.put_given_secret(
            kernel, visit.principal, _called(visit), form.line("name"), form.text("value")
        )
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _list(kernel, visit, refusal)
    return Redirect(
        "/workspaces/secrets", "secrets.done_set" if made.status == 201 else "secrets.done_changed"
    )


def _called(visit: Visit) -> Called:
    asked = visit.form if visit.form.values else visit.query
    return Called(asked.line("subscription"), asked.line("agent"))


def _remove_page(kernel: Kernel, visit: Visit) -> Shown:
    values = {
        "called": _called(visit),
        "name": visit.query.line("name"),
        "names": names_of(kernel, visit.principal),
        "subscriptions": subscriptions_of(kernel, visit.principal),
    }
    return Html("secret_remove.html", values)


def _remove(kernel: Kernel, visit: Visit) -> Shown:
    workspaces.remove_given_secret(kernel, visit.principal, _called(visit), visit.form.line("name"))
    return Redirect("/workspaces/secrets", "secrets.done_removed")


PAGES: Final = (
    Page("GET", "/workspaces/secrets", _show, "secrets"),
    Page("POST", "/workspaces/secrets", _put, "secrets"),
    Page("GET", "/workspaces/secrets/remove", _remove_page, "secrets"),
    Page("POST", "/workspaces/secrets/remove", _remove, "secrets"),
)
