"""Settings of personal data: the words of the space that are nobody's, and how many customers it knows."""

from __future__ import annotations

from typing import Any, Final

from tarimba.console.asking import following, is_for_the_form, window
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.console.settings import tabs
from tarimba.errors import Refusal
from tarimba.identity.naming import names_of
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.personal_data import known_customers, vocabulary
from tarimba.personal_data.service import REASONS
from tarimba.personal_data.vocabulary import NewTerm

_PATH: Final = "/settings/words"


def _words(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    page = vocabulary.list_entries(kernel, visit.principal, window(kernel, visit, "vocabulary"))
    form = visit.form
    knows = may(visit.principal, "known_customers")
    values: dict[str, Any] = {
        "entries": page.items,
        "following": following(kernel, visit, "vocabulary", page.ends_at),
        "names": names_of(kernel, visit.principal),
        "reasons": REASONS,
        "given": {name: form.line(name) for name in ("term", "reason")},
        "confirmed": form.flag("confirmed"),
        "customers": known_customers.counts(kernel, visit.principal) if knows else None,
        "refusal": refusal,
        "tabs": tabs(visit),
    }
    return Html("settings_words.html", values, 200 if refusal is None else refusal.status)


def _show(kernel: Kernel, visit: Visit) -> Shown:
    return _words(kernel, visit)


def _add(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        wanted = NewTerm(form.line("term"), form.choice("reason", REASONS), form.flag("confirmed"))
        vocabulary.add(kernel, visit.principal, wanted)
    except Refusal as refusal:
        if not is_for_the_form(refusal) and refusal.code != "scope_missing":
            raise
        return _words(kernel, visit, refusal)
    return Redirect(_PATH, "settings.done_word")


def _remove_page(kernel: Kernel, visit: Visit) -> Shown:
    entry = vocabulary.read_entry(kernel, visit.principal, visit.path["entry_id"])
    return Html("word_remove.html", {"entry": entry})


def _remove(kernel: Kernel, visit: Visit) -> Shown:
    vocabulary.remove(kernel, visit.principal, visit.path["entry_id"])
    return Redirect(_PATH, "settings.done_word_removed")


PAGES: Final = (
    Page("GET", _PATH, _show, "vocabulary"),
    Page("POST", _PATH, _add, "vocabulary"),
    Page("GET", _PATH + "/{entry_id}/remove", _remove_page, "vocabulary"),
    Page("POST", _PATH + "/{entry_id}/remove", _remove, "vocabulary"),
)
