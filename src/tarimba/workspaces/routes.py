"""`/v1/admin/workspaces`, the persona of agents, and a member's own `/v1/workspaces` and `/v1/projects`."""

from __future__ import annotations

from typing import Any, Final

from tarimba.http.route import Answer, Call, Route
from tarimba.identity.changes import receipt_of
from tarimba.identity.listing import Window
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.workspaces import managing, persona, projects, views
from tarimba.workspaces.managing import Outcome
from tarimba.workspaces.requests import (
    CreateBody,
    ListQuery,
    OwnProjectBody,
    OwnQuery,
    PersonaBody,
    ProjectBody,
)

_TAG: Final = "workspaces"
_LISTS: Final = "Administration lists hold no content of agents or customers."
# JSON may write each character of two texts of 64 KiB in six.
_PERSONA_MAX: Final = 1024 * 1024


def _list(kernel: Kernel, call: Call) -> Answer:
    query: ListQuery = call.query
    name = f"workspaces {query.called()}"
    window = Window(query.limit, _place(kernel, call, name))
    page = managing.list_workspaces(kernel, call.principal, query.called(), window)
    content = {"items": [views.workspace_view(one) for one in page.items]}
    return Answer(_page(kernel, call, name, content, page.ends_at))


def _create(kernel: Kernel, call: Call) -> Answer:
    body: CreateBody = call.body
    return _changed(kernel, call, managing.create(kernel, call.principal, body.called(), call.once))


def _read(kernel: Kernel, call: Call) -> Answer:
    found = managing.read_workspace(kernel, call.principal, call.path["workspace_id"])
    return Answer(views.detail_view(found), receipt=found.receipt)


def _provision(kernel: Kernel, call: Call) -> Answer:
    made = managing.provision(kernel, call.principal, call.path["workspace_id"], call.once)
    return _changed(kernel, call, made)


def _add_project(kernel: Kernel, call: Call) -> Answer:
    body: ProjectBody = call.body
    made = projects.add(kernel, call.principal, call.path["workspace_id"], body.new(), call.once)
    return _project(kernel, call, made)


def _list_own(kernel: Kernel, call: Call) -> Answer:
    query: OwnQuery = call.query
    window = Window(query.limit, _place(kernel, call, "own workspaces"))
    found = projects.list_own(kernel, call.principal, window)
    content = {"items": [views.own_view(one) for one in found.items]}
    return Answer(_page(kernel, call, "own workspaces", content, found.page.ends_at), receipt=found.receipt)


def _add_own_project(kernel: Kernel, call: Call) -> Answer:
    body: OwnProjectBody = call.body
    made = projects.add_own(kernel, call.principal, body.called(), body.new(), call.once)
    return _project(kernel, call, made)


def _read_persona(kernel: Kernel, call: Call) -> Answer:
    found = persona.read_persona(kernel, call.principal, call.path["source_id"])
    return Answer(views.persona_view(found), receipt=found.receipt, headers={"etag": f'"{found.etag}"'})


def _write_persona(kernel: Kernel, call: Call) -> Answer:
    body: PersonaBody = call.body
    source_id = call.path["source_id"]
    texts = {str(name): text for name, text in body.documents.items()}
    made = persona.write_persona(
        kernel, call.principal, source_id, texts, seen=call.if_match, once_key=call.once
    )
    now = persona.persona_of(kernel, call.principal, source_id)
    return Answer(views.persona_view(now), made.status, receipt_of(made), {"etag": f'"{now.etag}"'})


def _changed(kernel: Kernel, call: Call, made: Outcome) -> Answer:
    found = managing.find(kernel, call.principal, made.done.ids["workspace_id"])
    return Answer(views.changed_view(found, made), made.done.status, receipt_of(made.done))


def _project(kernel: Kernel, call: Call, made: Outcome) -> Answer:
    ids = made.done.ids
    one = projects.read_project(kernel, call.principal.space_id, ids["workspace_id"], ids["project"])
    return Answer(views.project_now_view(one, made), made.done.status, receipt_of(made.done))


def _place(kernel: Kernel, call: Call, name: str) -> int:
    cursor = call.query.cursor
    key = kernel.keys.of(call.principal.space_id)
    return read_cursor(key, _scope(call, name), cursor) if cursor is not None else 0


def _page(
    kernel: Kernel, call: Call, name: str, content: dict[str, Any], ends_at: int | None
) -> dict[str, Any]:
    if ends_at is not None:
        key = kernel.keys.of(call.principal.space_id)
        content["next_cursor"] = write_cursor(key, _scope(call, name), ends_at)
    return content


def _scope(call: Call, name: str) -> str:
    return f"{name}\0{call.principal.id}"


_ALL: Final = "/v1/admin/workspaces"
_ONE: Final = f"{_ALL}/{{workspace_id}}"
_PERSONA: Final = "/v1/admin/agents/{source_id}/persona"
_SEEN: Final = "workspace.read"
_CHANGE: Final = "workspace.change"
ROUTES: Final = (
    Route(
        "GET", _ALL, _list, "List workspaces", _TAG, None, _LISTS,
        query=ListQuery, answer=views.WorkspacesView,
    ),
    Route(
        "POST", _ALL, _create, "Make a member's workspace", _TAG, _CHANGE,
        body=CreateBody, answer=views.ChangedView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "GET", _ONE, _read, "Read what a workspace has", _TAG, _SEEN, answer=views.DetailView,
    ),
    Route(
        "POST", f"{_ONE}/provision", _provision, "Provision a workspace before its container is started", _TAG, _CHANGE,
        answer=views.ChangedView, idempotent=True,
    ),
    Route(
        "POST", f"{_ONE}/projects", _add_project, "Make a project in a member's workspace", _TAG, _CHANGE,
        body=ProjectBody, answer=views.ProjectNowView, statuses=(200, 201), idempotent=True,
    ),
    Route(
        "GET", _PERSONA, _read_persona, "Read an agent's persona", _TAG, _SEEN, answer=views.PersonaView,
    ),
    Route(
        "PUT", _PERSONA, _write_persona, "Write an agent's persona", _TAG, _CHANGE,
        body=PersonaBody, body_max=_PERSONA_MAX, matches=True, answer=views.PersonaView, idempotent=True,
    ),
    Route(
        "GET", "/v1/workspaces", _list_own, "List one's own workspaces", _TAG, _SEEN,
        query=OwnQuery, answer=views.OwnListView,
    ),
    Route(
        "POST", "/v1/projects", _add_own_project, "Make a project of one's own", _TAG, _CHANGE,
        body=OwnProjectBody, answer=views.ProjectNowView, statuses=(200, 201), idempotent=True,
    ),
)  # fmt: skip
