"""What the host's command line asks of workspaces: words in, JSON out.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tarimba.errors import not_found
from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.identity.seats import Called, agent_named, seat_named
from tarimba.kernel import Kernel
from tarimba.workspaces import managing, persona, places, projects, views
from tarimba.workspaces.declaring import Declared, apply_text
from tarimba.workspaces.projects import NewProject

__all__ = [
    "Called", "Declared", "add_project", "apply_text", "create", "provision", "read", "read_persona", "workspaces",
    "write_persona",
]  # fmt: skip

_PAGE: Final = 100


def create(kernel: Kernel, host: Principal, called: Called) -> views.ChangedView:
    """Makes and provisions the workspace of a seat."""
    made = managing.create(kernel, host, called)
    return views.changed_view(managing.find(kernel, host, made.done.ids["workspace_id"]), made)


def provision(kernel: Kernel, host: Principal, called: Called) -> views.ChangedView:
    """Brings the workspace of a seat on this host to what it should be."""
    made = managing.provision(kernel, host, _id(kernel, host, called))
    return views.changed_view(managing.find(kernel, host, made.done.ids["workspace_id"]), made)


def workspaces(kernel: Kernel, host: Principal, called: Called) -> list[views.WorkspaceView]:
    """Those of what is named, oldest first."""
    found: list[views.WorkspaceView] = []
    after: int | None = 0
    while after is not None:
        page = managing.list_workspaces(kernel, host, called, Window(_PAGE, after))
        found += [views.workspace_view(one) for one in page.items]
        after = page.ends_at
    return found


def read(kernel: Kernel, host: Principal, called: Called) -> views.DetailView:
    return views.detail_view(managing.read_workspace(kernel, host, _id(kernel, host, called)))


def add_project(
    kernel: Kernel, host: Principal, called: Called, project: str, name: str
) -> views.ProjectNowView:
    made = projects.add(kernel, host, _id(kernel, host, called), NewProject(project, name))
    ids = made.done.ids
    one = projects.read_project(kernel, host.space_id, ids["workspace_id"], ids["project"])
    return views.project_now_view(one, made)


def read_persona(kernel: Kernel, host: Principal, agent: str) -> views.PersonaView:
    return views.persona_view(persona.read_persona(kernel, host, _source(kernel, host, agent)))


def write_persona(kernel: Kernel, host: Principal, agent: str, texts: Mapping[str, str]) -> views.PersonaView:
    source_id = _source(kernel, host, agent)
    persona.write_persona(kernel, host, source_id, texts)
    return views.persona_view(persona.persona_of(kernel, host, source_id))


def _id(kernel: Kernel, host: Principal, called: Called) -> str:
    with kernel.database.read() as connection:
        return places.require(connection, seat_named(connection, host.space_id, called)).workspace_id


def _source(kernel: Kernel, host: Principal, agent: str) -> str:
    with kernel.database.read() as connection:
        found = agent_named(connection, host.space_id, agent)
    if found is None:
        raise not_found("agent")
    return found.id
