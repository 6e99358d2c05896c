"""`/v1/admin/...`, and what a caller may ask about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tarimba.http.route import Answer, Call, Route
from tarimba.identity import fleet, people, schemas, spaces, views
from tarimba.identity.changes import receipt_of
from tarimba.identity.drafts import (
    AgentChange,
    NewAgent,
    NewKey,
    NewPerson,
    NewSubscription,
    NewVendor,
    PersonChange,
)
from tarimba.identity.listing import N, Page, Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.storage.once import Done

TAG = "administration"
_LISTS = "Administration lists hold no content of agents or customers."
_SELF = "It tells a caller about itself, and reads no content."


def get_settings(kernel: Kernel, call: Call) -> Answer:
    return Answer(views.settings_view(*spaces.read_settings(kernel, call.principal)))


def patch_settings(kernel: Kernel, call: Call) -> Answer:
    change = spaces.change_settings(kernel, call.principal, call.body.changes(), call.once)
    view = views.settings_view(*spaces.read_settings(kernel, call.principal))
    return _changed(change, view)


def get_vendors(kernel: Kernel, call: Call) -> Answer:
    return _page(kernel, call, "vendors", fleet.list_vendors, views.vendor_view)


def post_vendors(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    change = fleet.create_vendor(kernel, call.principal, NewVendor.of(body.slug, body.name), call.once)
    made = fleet.read_vendor(kernel, call.principal, change.ids["vendor_id"])
    return _changed(change, views.vendor_view(made))


def get_agents(kernel: Kernel, call: Call) -> Answer:
    return _page(kernel, call, "agents", fleet.list_agents, views.agent_view)


def post_agents(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    details = AgentChange.of(body.name, body.harness, body.task_section)
    new = NewAgent.of(body.slug, body.vendor, details)
    return _agent(kernel, call, fleet.create_agent(kernel, call.principal, new, call.once))


def patch_agent(kernel: Kernel, call: Call) -> Answer:
    change = AgentChange.of(call.body.name, call.body.harness, call.body.task_section)
    done = fleet.change_agent(kernel, call.principal, call.path["source_id"], change, call.once)
    return _agent(kernel, call, done)


def get_agent_keys(kernel: Kernel, call: Call) -> Answer:
    source_id = call.path["source_id"]

    def listed(kernel: Kernel, principal: Any, window: Window) -> Page[Any]:
        return fleet.list_keys(kernel, principal, window, source_id)

    return _page(kernel, call, f"keys of {source_id}", listed, views.key_view)


def post_agent_keys(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    new = NewKey.of_agent(body.name, body.scopes, body.expires_at)
    return _minted(
        kernel, call, fleet.create_key(kernel, call.principal, new, call.path["source_id"], call.once)
    )


def get_keys(kernel: Kernel, call: Call) -> Answer:
    return _page(kernel, call, "keys", fleet.list_keys, views.key_view)


def post_keys(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    new = NewKey.of_space(body.name, body.scopes, body.expires_at)
    return _minted(kernel, call, fleet.create_key(kernel, call.principal, new, None, call.once))


def post_revoke(kernel: Kernel, call: Call) -> Answer:
    change = fleet.revoke_key(kernel, call.principal, call.path["key_id"], call.once)
    return _changed(change, views.key_view(fleet.read_key(kernel, call.principal, change.ids["key_id"])))


def get_people(kernel: Kernel, call: Call) -> Answer:
    return _page(kernel, call, "people", people.list_people, views.person_view)


def post_people(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    details = PersonChange.of(name=body.name, email=body.email, language=body.language, roles=body.roles)
    new = NewPerson.of(body.slug, details)
    return _person(kernel, call, people.create_person(kernel, call.principal, new, call.once))


def patch_person(kernel: Kernel, call: Call) -> Answer:
    change = PersonChange.of(**call.body.model_dump())
    done = people.change_person(kernel, call.principal, call.path["person_id"], change, call.once)
    return _person(kernel, call, done)


def get_subscriptions(kernel: Kernel, call: Call) -> Answer:
    return _page(kernel, call, "subscriptions", people.list_subscriptions, views.subscription_view)


def post_subscriptions(kernel: Kernel, call: Call) -> Answer:
    body = call.body
    new = NewSubscription.of(body.slug, body.name, body.members)
    change = people.create_subscription(kernel, call.principal, new, call.once)
    made = people.read_subscription(kernel, call.principal, change.ids["subscription_id"])
    return _changed(change, views.subscription_view(made))


def get_source(kernel: Kernel, call: Call) -> Answer:
    agent, settings = spaces.read_source(kernel, call.principal)
    return Answer(views.source_view(call.principal, agent, settings, kernel.settings.region))


def get_profile(_kernel: Kernel, _call: Call) -> Answer:
    profile: views.ProfileView = {"features": [], "valid_for_s": 300}
    return Answer(profile)


def _page(
    kernel: Kernel,
    call: Call,
    name: str,
    read: Callable[[Kernel, Any, Window], Page[N]],
    view: Callable[[N], Mapping[str, Any]],
) -> Answer:
    """One page of a list, oldest first; `next_cursor` only while there is more."""
    key = kernel.keys.of(call.principal.space_id)
    # A cursor is worth nothing to another caller, nor in another list.
    scope = f"{name}\0{call.principal.id}"
    cursor = call.query.cursor
    window = Window(call.query.limit, read_cursor(key, scope, cursor) if cursor is not None else 0)
    page = read(kernel, call.principal, window)
    content: dict[str, Any] = {"items": [view(entry) for entry in page.items]}
    if page.ends_at is not None:
        content["next_cursor"] = write_cursor(key, scope, page.ends_at)
    return Answer(content)


def _changed(change: Done, view: Mapping[str, Any]) -> Answer:
    return Answer(view, change.status, receipt_of(change))


def _agent(kernel: Kernel, call: Call, change: Done) -> Answer:
    found = fleet.read_agent(kernel, call.principal, change.ids["source_id"])
    return _changed(change, views.agent_view(found))


def _person(kernel: Kernel, call: Call, change: Done) -> Answer:
    found = people.read_person(kernel, call.principal, change.ids["person_id"])
    return _changed(change, views.person_view(found))


def _minted(kernel: Kernel, call: Call, minted: fleet.MintedKey) -> Answer:
    made = fleet.read_key(kernel, call.principal, minted.done.ids["key_id"])
    return _changed(minted.done, views.key_view(made) | {"key": minted.secret})


def _list(path: str, handler: Callable[[Kernel, Call], Answer], summary: str, answer: Any) -> Route:
    url = f"/v1/admin/{path}"
    return Route("GET", url, handler, summary, TAG, None, _LISTS, query=schemas.ListQuery, answer=answer)


def _create(
    path: str, handler: Callable[[Kernel, Call], Answer], summary: str, receipt: str, body: Any, answer: Any
) -> Route:
    url = f"/v1/admin/{path}"
    return Route(
        "POST",
        url,
        handler,
        summary,
        TAG,
        receipt,
        body=body,
        answer=answer,
        statuses=(201,),
        idempotent=True,
    )


def _patch(
    path: str, handler: Callable[[Kernel, Call], Answer], summary: str, receipt: str, body: Any, answer: Any
) -> Route:
    return replace(_create(path, handler, summary, receipt, body, answer), method="PATCH", statuses=(200,))


_AGENT_KEYS = "agents/{source_id}/keys"
_V, _B = views, schemas
ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/sources/me", get_source, "What the key is", "self", None, _SELF, answer=_V.SourceView),
    Route(
        "GET", "/v1/sdk/profile", get_profile, "What clients keep", "self", None, _SELF, answer=_V.ProfileView
    ),
    replace(_list("settings", get_settings, "The settings", _V.SettingsView), query=None),
    _patch(
        "settings", patch_settings, "Change settings", "settings.change", _B.SettingsBody, _V.SettingsView
    ),
    _list("vendors", get_vendors, "List vendors", _V.VendorsView),
    _create("vendors", post_vendors, "Add a vendor", "agent.change", _B.VendorBody, _V.VendorView),
    _list("agents", get_agents, "List agents", _V.AgentsView),
    _create("agents", post_agents, "Add an agent", "agent.change", _B.AgentBody, _V.AgentView),
    _patch("agents/{source_id}", patch_agent, "Change an agent", "agent.change", _B.AgentPatch, _V.AgentView),
    _list(_AGENT_KEYS, get_agent_keys, "List an agent's keys", _V.KeysView),
    _create(_AGENT_KEYS, post_agent_keys, "Make an agent's key", "key.create", _B.AgentKeyBody, _V.KeyView),
    _list("keys", get_keys, "List all keys", _V.KeysView),
    _create("keys", post_keys, "Make a key of the space", "key.create", _B.SpaceKeyBody, _V.KeyView),
    replace(
        _create("keys/{key_id}/revoke", post_revoke, "Revoke a key", "key.revoke", None, _V.KeyView),
        statuses=(200,),
    ),
    _list("people", get_people, "List people", _V.PeopleView),
    _create("people", post_people, "Add a person", "person.change", _B.PersonBody, _V.PersonView),
    _patch(
        "people/{person_id}", patch_person, "Change a person", "person.change", _B.PersonPatch, _V.PersonView
    ),
    _list("subscriptions", get_subscriptions, "List subscriptions", _V.SubscriptionsView),
    _create(
        "subscriptions",
        post_subscriptions,
        "Add a subscription",
        "person.change",
        _B.SubscriptionBody,
        _V.SubscriptionView,
    ),
)
