"""Webhooks: where events go, what became of deliveries, and their secrets, each shown once."""

from __future__ import annotations

from typing import Any, Final, get_args

from tarimba.console.asking import SHOWN, following, is_for_the_form, new_once, once_of, place, window
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.webhooks import managing
from tarimba.webhooks.managing import Secret, WebhookChange
from tarimba.webhooks.model import EVENT_TYPES, DeliveryState

_STATES: Final[tuple[DeliveryState, ...]] = get_args(DeliveryState)


def _list(kernel: Kernel, visit: Visit) -> Shown:
    page = managing.list_webhooks(kernel, visit.principal, window(kernel, visit, "webhooks"))
    values = {"webhooks": page.items, "following": following(kernel, visit, "webhooks", page.ends_at)}
    return Html("webhooks.html", values)


def _new(visit: Visit, refusal: Refusal | None = None) -> Html:
    values = {
        "address": visit.form.line("url"),
        "wanted": visit.form.all("event"),
        "events": EVENT_TYPES,
        "once": new_once(),
        "refusal": refusal,
    }
    return Html("webhook_new.html", values, 200 if refusal is None else refusal.status)


def _new_page(_kernel: Kernel, visit: Visit) -> Shown:
    return _new(visit)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        made = managing.add(
            kernel,
            visit.principal,
            form.line("url"),
            tuple(form.all("event")),
            once_of(kernel, visit, "webhook"),
        )
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _new(visit, refusal)
    return _shown_once(made)


def _shown_once(made: Secret) -> Html:
    return Html("webhook_secret.html", {"secret": made.shown, "webhook_id": made.done.ids["webhook_id"]})


def _webhook(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    one = managing.read_webhook(kernel, visit.principal, visit.path["webhook_id"])
    state: Any = visit.query.choice("state", _STATES)
    name = f"deliveries {one.webhook_id} {state}"
    asked = managing.DeliveryWindow(SHOWN, place(kernel, visit, name) or None, state or None)
    found, ends_at = managing.list_deliveries(kernel, visit.principal, one.webhook_id, asked)
    is_sent = refusal is not None and "url" in visit.form.values
    values = {
        "one": one,
        "address": visit.form.line("url") if is_sent else one.url,
        "wanted": visit.form.all("event") if is_sent else list(one.events),
        "events": EVENT_TYPES,
        "deliveries": found,
        "following": following(kernel, visit, name, ends_at),
        "state": state,
        "states": _STATES,
        "once": new_once(),
        "now": kernel.clock.now_us(),
        "refusal": refusal,
    }
    return Html("webhook.html", values, 200 if refusal is None else refusal.status)


def _webhook_page(kernel: Kernel, visit: Visit) -> Shown:
    return _webhook(kernel, visit)


def _change(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    wanted = WebhookChange(url=form.line("url"), events=tuple(form.all("event")))
    return _changed(kernel, visit, wanted, "webhooks.done_changed")


def _state(kernel: Kernel, visit: Visit) -> Shown:
    """Pauses a webhook, or lets it go on."""
    pauses = visit.form.choice("state", ("off", "active")) == "off"
    wanted = WebhookChange(state="off" if pauses else "active")
    return _changed(kernel, visit, wanted, "webhooks.done_paused" if pauses else "webhooks.done_resumed")


def _changed(kernel: Kernel, visit: Visit, wanted: WebhookChange, done: str) -> Shown:
    webhook_id = visit.path["webhook_id"]
    try:
        managing.change(kernel, visit.principal, webhook_id, wanted)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _webhook(kernel, visit, refusal)
    return Redirect(f"/webhooks/{webhook_id}", done)


def _again(kernel: Kernel, visit: Visit) -> Shown:
    webhook_id = visit.path["webhook_id"]
    try:
        managing.redeliver(kernel, visit.principal, webhook_id, visit.path["event_id"])
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _webhook(kernel, visit, refusal)
    return Redirect(f"/webhooks/{webhook_id}", "webhooks.done_again")


def _rotate(kernel: Kernel, visit: Visit) -> Shown:
    webhook_id = visit.path["webhook_id"]
    made = managing.rotate(kernel, visit.principal, webhook_id, once_of(kernel, visit, webhook_id))
    return _shown_once(made)


def _remove_page(kernel: Kernel, visit: Visit) -> Shown:
    one = managing.read_webhook(kernel, visit.principal, visit.path["webhook_id"])
    return Html("webhook_remove.html", {"one": one})


def _remove(kernel: Kernel, visit: Visit) -> Shown:
    managing.remove(kernel, visit.principal, visit.path["webhook_id"])
    return Redirect("/webhooks", "webhooks.done_removed")


_ONE: Final = "/webhooks/{webhook_id}"
PAGES: Final = (
    Page("GET", "/webhooks", _list, "webhooks"),
    Page("GET", "/webhooks/new", _new_page, "webhooks"),
    Page("POST", "/webhooks/new", _create, "webhooks"),
    Page("GET", _ONE, _webhook_page, "webhooks"),
    Page("POST", _ONE, _change, "webhooks"),
    Page("POST", _ONE + "/state", _state, "webhooks"),
    Page("POST", _ONE + "/rotate", _rotate, "webhooks"),
    Page("GET", _ONE + "/remove", _remove_page, "webhooks"),
    Page("POST", _ONE + "/remove", _remove, "webhooks"),
    Page("POST", _ONE + "/deliveries/{event_id}", _again, "webhooks"),
)
