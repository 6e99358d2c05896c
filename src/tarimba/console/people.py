"""People, their roles and how they come in, and subscriptions with their members."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tarimba.console.asking import OFFERED, SHOWN, following, is_for_the_form, window
from tarimba.console.page import Html, Page, Redirect, Shown, Visit
from tarimba.console.words import LANGUAGES
from tarimba.errors import Refusal
from tarimba.identity import links, members, people
from tarimba.identity.drafts import NewPerson, NewSubscription, PersonChange
from tarimba.identity.model import ROLES
from tarimba.kernel import Kernel

_MANAGER_OF: Final = "manager@"


def _list(kernel: Kernel, visit: Visit) -> Shown:
    page = people.list_people(kernel, visit.principal, window(kernel, visit, "people"))
    values = {"people": page.items, "following": following(kernel, visit, "people", page.ends_at)}
    return Html("people.html", values)


def _new(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    form = visit.form
    given = {name: form.line(name) for name in ("slug", "name", "email", "language")}
    given["language"] = given["language"] or visit.principal.language
    values = {"given": given, "roles": form.all("role"), "refusal": refusal}
    return Html(
        "person_new.html", values | _choices(kernel, visit), 200 if refusal is None else refusal.status
    )


def _choices(kernel: Kernel, visit: Visit) -> dict[str, Any]:
    """The roles that a form offers: the plain ones, and `manager@` of each subscription."""
    theirs = people.list_subscriptions(kernel, visit.principal, OFFERED).items
    return {
        "plain_roles": ROLES,
        "managed": [(f"{_MANAGER_OF}{one.slug}", one.name) for one in theirs],
        "languages": LANGUAGES,
    }


def _new_page(kernel: Kernel, visit: Visit) -> Shown:
    return _new(kernel, visit)


def _create(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        change = PersonChange.of(
            name=form.line("name") or None,
            email=form.line("email"),
            language=form.choice("language", LANGUAGES) or None,
            roles=form.all("role"),
        )
        made = people.create_person(kernel, visit.principal, NewPerson.of(form.line("slug"), change))
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _new(kernel, visit, refusal)
    return Redirect(f"/people/{made.ids['person_id']}", "people.done_added")


def _person(kernel: Kernel, visit: Visit, refusal: Refusal | None = None, form: str = "") -> Html:
    person = people.read_person(kernel, visit.principal, visit.path["person_id"])
    sent, is_sent = visit.form, form == "person"
    given = {
        name: sent.line(name) if is_sent else getattr(person, name) for name in ("name", "email", "language")
    }
    values = _choices(kernel, visit)
    roles = sent.all("role") if is_sent else sorted(person.roles)
    offered = {role for role, _ in values["managed"]}
    # Roles of subscriptions that the choice does not reach stay where they are.
    values["managed"] += [
        (role, role.removeprefix(_MANAGER_OF)) for role in roles if role not in {*ROLES, *offered}
    ]
    values |= {"person": person, "given": given, "roles": roles, "refusal": refusal, "form": form}
    return Html("person.html", values, 200 if refusal is None else refusal.status)


def _person_page(kernel: Kernel, visit: Visit) -> Shown:
    return _person(kernel, visit)


def _change(kernel: Kernel, visit: Visit) -> Shown:
    form, person_id = visit.form, visit.path["person_id"]
    try:
        change = PersonChange.of(
            name=form.line("name"),
            email=form.line("email"),
            language=form.choice("language", LANGUAGES) or None,
            roles=form.all("role"),
        )
        people.change_person(kernel, visit.principal, person_id, change)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _person(kernel, visit, refusal, "person")
    return Redirect(f"/people/{person_id}", "people.done_changed")


def _access(kernel: Kernel, visit: Visit) -> Shown:
    """Disables a person, or lets them in again."""
    person_id = visit.path["person_id"]
    ends = visit.form.choice("access", ("end", "give")) == "end"
    try:
        people.change_person(kernel, visit.principal, person_id, PersonChange.of(disabled=ends))
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _person(kernel, visit, refusal, "access")
    return Redirect(f"/people/{person_id}", "people.done_disabled" if ends else "people.done_enabled")


def _access_page(kernel: Kernel, visit: Visit) -> Shown:
    person = people.read_person(kernel, visit.principal, visit.path["person_id"])
    return Html("person_disable.html", {"person": person})


def _link(kernel: Kernel, visit: Visit) -> Shown:
    """A link by which the person comes in: shown in this answer and never again."""
    person_id = visit.path["person_id"]
    try:
        token = links.make_link(kernel, visit.principal, person_id)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _person(kernel, visit, refusal, "link")
    person = people.read_person(kernel, visit.principal, person_id)
    address = f"{kernel.settings.address}/console/enter/{token}"
    return Html("person_link.html", {"person": person, "address": address})


def _tokens_page(kernel: Kernel, visit: Visit) -> Shown:
    """Asks before the personal tokens end."""
    person = people.read_person(kernel, visit.principal, visit.path["person_id"])
    return Html("person_tokens.html", {"person": person})


def _end_tokens(kernel: Kernel, visit: Visit) -> Shown:
    person_id = people.read_person(kernel, visit.principal, visit.path["person_id"]).person_id
    people.revoke_tokens(kernel, visit.principal, person_id)
    return Redirect(f"/people/{person_id}", "people.done_tokens")


def _subscriptions(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    page = people.list_subscriptions(kernel, visit.principal, window(kernel, visit, "subscriptions"))
    values = {
        "subscriptions": page.items,
        "following": following(kernel, visit, "subscriptions", page.ends_at),
        "given": {name: visit.form.line(name) for name in ("slug", "name")},
        "refusal": refusal,
    }
    return Html("subscriptions.html", values, 200 if refusal is None else refusal.status)


def _subscriptions_page(kernel: Kernel, visit: Visit) -> Shown:
    return _subscriptions(kernel, visit)


def _add_subscription(kernel: Kernel, visit: Visit) -> Shown:
    form = visit.form
    try:
        new = NewSubscription.of(form.line("slug"), form.line("name") or None, ())
        made = people.create_subscription(kernel, visit.principal, new)
    except Refusal as refusal:
        if not is_for_the_form(refusal):
            raise
        return _subscriptions(kernel, visit, refusal)
    return Redirect(f"/people/subscriptions/{made.ids['subscription_id']}", "people.done_subscription")


def _subscription(kernel: Kernel, visit: Visit, refusal: Refusal | None = None) -> Html:
    found = people.read_subscription(kernel, visit.principal, visit.path["subscription_id"])
    after = visit.query.line("after")
    slugs = [slug for slug in found.members if slug > after]
    values = {
        "subscription": found,
        "members": people.people_called(kernel, visit.principal, slugs[:SHOWN]),
        "following": slugs[SHOWN - 1] if len(slugs) > SHOWN else "",
        "email": visit.form.line("email"),
        "refusal": refusal,
    }
    return Html("subscription.html", values, 200 if refusal is None else refusal.status)


def _subscription_page(kernel: Kernel, visit: Visit) -> Shown:
    return _subscription(kernel, visit)


def _add_member(kernel: Kernel, visit: Visit) -> Shown:
    subscription_id = visit.path["subscription_id"]
    try:
        person = people.find_person(kernel, visit.principal, visit.form.line("email"))
        members.add_member(kernel, visit.principal, subscription_id, person.person_id)
    except Refusal as refusal:
        if not is_for_the_form(refusal) and refusal.code != "not_found":
            raise
        return _subscription(kernel, visit, refusal)
    return Redirect(f"/people/subscriptions/{subscription_id}", "people.done_member")


def _member_page(kernel: Kernel, visit: Visit) -> Shown:
    """Asks before a member goes, or the tokens of their workspaces end."""
    person = people.read_person(kernel, visit.principal, visit.path["person_id"])
    found = people.read_subscription(kernel, visit.principal, visit.path["subscription_id"])
    act = visit.query.choice("act", ("remove", "tokens"), "remove")
    return Html("member_end.html", {"person": person, "subscription": found, "act": act})


def _on_member(use: Callable[..., Any], done: str) -> Callable[[Kernel, Visit], Shown]:
    def handler(kernel: Kernel, visit: Visit) -> Shown:
        subscription_id = visit.path["subscription_id"]
        use(kernel, visit.principal, subscription_id, visit.path["person_id"])
        return Redirect(f"/people/subscriptions/{subscription_id}", done)

    return handler


_OF: Final = "/people/subscriptions/{subscription_id}"
_MEMBER: Final = _OF + "/members/{person_id}"
PAGES: Final = (
    Page("GET", "/people", _list, "people"),
    Page("GET", "/people/new", _new_page, "people"),
    Page("POST", "/people/new", _create, "people"),
    Page("GET", "/people/subscriptions", _subscriptions_page, "people"),
    Page("POST", "/people/subscriptions", _add_subscription, "people"),
    Page("GET", _OF, _subscription_page, "people"),
    Page("POST", _OF + "/members", _add_member, "people"),
    Page("GET", _MEMBER, _member_page, "people"),
    Page("POST", _MEMBER + "/remove", _on_member(members.remove_member, "people.done_removed"), "people"),
    Page("POST", _MEMBER + "/tokens", _on_member(members.end_tokens, "people.done_ended"), "workspaces"),
    Page("GET", "/people/{person_id}", _person_page, "people"),
    Page("POST", "/people/{person_id}", _change, "people"),
    Page("GET", "/people/{person_id}/disable", _access_page, "people"),
    Page("POST", "/people/{person_id}/access", _access, "people"),
    Page("POST", "/people/{person_id}/link", _link, "people"),
    Page("GET", "/people/{person_id}/tokens", _tokens_page, "people"),
    Page("POST", "/people/{person_id}/tokens", _end_tokens, "people"),
)
