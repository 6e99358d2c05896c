"""`/v1/admin/subscriptions/{subscription_id}/members/...`: who is a member, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from typing_extensions import TypedDict

from tarimba.http.route import Answer, Call, Route
from tarimba.identity import members, people, views
from tarimba.identity.changes import receipt_of
from tarimba.identity.routes import TAG
from tarimba.kernel import Kernel
from tarimba.storage.once import Done


class MembershipView(TypedDict):
    subscription_id: str
    person_id: str


def put_member(kernel: Kernel, call: Call) -> Answer:
    return _subscription(kernel, call, members.add_member)


def delete_member(kernel: Kernel, call: Call) -> Answer:
    return _subscription(kernel, call, members.remove_member)


def post_revoke_tokens(kernel: Kernel, call: Call) -> Answer:
    subscription_id, person_id = call.path["subscription_id"], call.path["person_id"]
    change = members.end_tokens(kernel, call.principal, subscription_id, person_id, call.once)
    view: MembershipView = {"subscription_id": subscription_id, "person_id": person_id}
    return Answer(view, change.status, receipt_of(change))


def _subscription(kernel: Kernel, call: Call, use: Callable[..., Done]) -> Answer:
    """The subscription after the change."""
    subscription_id = call.path["subscription_id"]
    change = use(kernel, call.principal, subscription_id, call.path["person_id"], call.once)
    found = people.read_subscription(kernel, call.principal, subscription_id)
    return Answer(views.subscription_view(found), change.status, receipt_of(change))


def _route(
    method: Literal["PUT", "DELETE", "POST"],
    below: str,
    handler: Callable[[Kernel, Call], Answer],
    summary: str,
    receipt: str,
    answer: Any,
) -> Route:
    path = f"/v1/admin/subscriptions/{{subscription_id}}/members/{{person_id}}{below}"
    return Route(method, path, handler, summary, TAG, receipt, answer=answer, idempotent=True)


_REVOKE: Final = "End the tokens of a member's workspaces"
_V: Final = views.SubscriptionView
ROUTES: Final = (
    _route("PUT", "", put_member, "Make a person a member", "person.change", _V),
    _route("DELETE", "", delete_member, "Take a membership away", "person.change", _V),
    _route("POST", "/revoke-tokens", post_revoke_tokens, _REVOKE, "workspace.change", MembershipView),
)
