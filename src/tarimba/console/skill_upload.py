"""Publishing a skill: what is sent is judged line by line first, and what a person has seen is what is published."""

from __future__ import annotations

from typing import Any, Final

from tarimba.console.asking import is_for_the_form
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.console.skill_places import Spot, named, publishable, spot_of
from tarimba.console.skills import address
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.skills import service as skills
from tarimba.skills.service import Checked, Offer

# A form is a little larger than the archive in it.
_FORM_MAX: Final = 11 * 1024 * 1024
_EDITED_MAX: Final = 100_000


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    query = visit.query
    spot, name = spot_of(query), query.line("name")
    text = ""
    if name:
        text = skills.read_document(kernel, visit.principal, spot.asked, name, None).text
    is_long = len(text) > _EDITED_MAX
    return _page(kernel, visit, spot, {"text": "" if is_long else text, "is_long": is_long, "editing": name})


def _page(
    kernel: Kernel,
    visit: Visit,
    spot: Spot,
    values: dict[str, Any],
    checked: Checked | None = None,
    refusal: Refusal | None = None,
) -> Html:
    places = named(kernel, visit)
    values = {"is_long": False, "had_file": False, "editing": "", **places, **values}
    values |= {
        "spot": spot,
        "publishes": publishable(visit, places["subscriptions"]),
        "checked": checked,
        "refusal": refusal,
    }
    refused = refusal or (checked.refusal if checked else None)
    if visit.is_part:
        return Html("skill_verdict.html", values)
    return Html("skill_new.html", values, 200 if refused is None else refused.status)


def _send(kernel: Kernel, visit: Visit) -> Shown:
    """Publishes what was judged before; anything else is judged and shown."""
    form = visit.form
    spot, offer = spot_of(form), _offer(visit)
    values = {
        "text": form.text("body"),
        "had_file": offer.archive is not None,
        "editing": form.line("editing"),
    }
    try:
        if form.choice("decision", ("check", "publish"), "check") == "publish" and _was_seen(visit, offer):
            seen = form.line("in_force_hash") or None
            made = skills.publish(kernel, visit.principal, spot.asked, offer, seen=seen)
            return Redirect(address(spot, form.line("told_name")), _done(made.done.status))
        checked = skills.check(kernel, visit.principal, spot.asked, offer)
    except Refusal as refusal:
        # Detectors that do not answer take nothing of what was typed.
        if refusal.code != "detectors_unavailable" and not is_for_the_form(refusal):
            raise
        return _page(kernel, visit, spot, values, None, refusal)
    return _page(kernel, visit, spot, values, checked)


def _offer(visit: Visit) -> Offer:
    """A field of a file that nobody filled comes empty, and so does the text."""
    language = visit.speech.language
    archive = visit.form.files.get("file") or None
    text = visit.form.text("body").encode() or None
    known: Any = language
    return Offer(visit.form.line("name"), archive, text, known)


def _was_seen(visit: Visit, offer: Offer) -> bool:
    sent = offer.archive if offer.archive is not None else offer.text
    return sent is not None and visit.form.line("mark") == skills.mark_of(sent)


def _done(status: int) -> str:
    return "skills.done_published" if status == 201 else "skills.done_same"


PAGES: Final = (
    Page("GET", "/skills/new", _new_page, "publish_skills"),
    Page("POST", "/skills/new", _send, "publish_skills", body_max=_FORM_MAX),
)
