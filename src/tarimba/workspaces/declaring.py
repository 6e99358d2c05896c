"""`tarimba apply` with the personas and workspaces of the file: what is missing is made, nothing is removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tarimba.errors import Refusal, invalid
from tarimba.harnesses.service import profile, require
from tarimba.identity.hosting import (
    Also,
    Applied,
    Manifest,
    PersonaEntry,
    WorkspaceEntry,
    dangling,
    host_of,
)
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, agent_named, seat_named
from tarimba.kernel import Kernel
from tarimba.personal_data.hosting import apply_text as apply_rest
from tarimba.proof.service import declared_witnesses
from tarimba.storage import Tx
from tarimba.workspaces import managing, places, projects, provisioning
from tarimba.workspaces.model import Workspace
from tarimba.workspaces.persona import checked_persona, settle
from tarimba.workspaces.projects import NewProject
from tarimba.workspaces.rules import PROJECTS_MAX, checked_project


@dataclass(frozen=True, slots=True)
class Declared:
    """What there is now. `workspaces` are those of the file, each with the slugs that name it."""

    applied: Applied
    workspaces: tuple[dict[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        return self.applied.as_json() | {"workspaces": list(self.workspaces)}


@dataclass(slots=True)
class _Made:
    """What the file's transaction came to, for the disk."""

    workspaces: list[tuple[Workspace, tuple[str, ...]]] = field(default_factory=list)
    named: list[dict[str, str]] = field(default_factory=list)


def apply_text(kernel: Kernel, text: str, as_email: str | None = None) -> Declared:
    """Brings a space to what the text of a TOML file declares, in one transaction, and then this host's disk.

    A workspace that was never provisioned is; one that was is left to whoever starts its container.
    """
    made = _Made()

    def workspaces(manifest: Manifest) -> Also:
        _refuse_unmakeable(manifest)
        return lambda tx, by: _put_all(tx, by, manifest, made)

    parts = {"persona": _personas, "workspace": workspaces, "witness": declared_witnesses}
    applied = apply_rest(kernel, text, as_email, parts)
    host = host_of(kernel, applied.slug)
    for workspace, wanted in made.workspaces:
        _on_disk(kernel, host, workspace, wanted)
    return Declared(applied, tuple(made.named))


def _personas(manifest: Manifest) -> Also:
    # A new space is made ahead of its first transaction, so everything that can be refused is refused here.
    for entry in manifest.personas:
        checked_persona(entry.texts, entry.where)

    def work(tx: Tx, by: Principal) -> None:
        for entry in manifest.personas:
            _put_persona(tx, by, entry)

    return work


def _put_persona(tx: Tx, by: Principal, entry: PersonaEntry) -> None:
    found = agent_named(tx.connection, tx.space_id, entry.agent)
    assert found is not None, "the agents of the file are there by now"
    before = tx.next_seq
    settle(tx, by, found.id, entry.texts)
    if tx.next_seq != before:
        allow(by, "workspaces")


def _refuse_unmakeable(manifest: Manifest) -> None:
    harnesses = {entry.new.slug: entry.new.harness for entry in manifest.agents}
    for entry in manifest.workspaces:
        for project in entry.projects:
            checked_project(f"{entry.where}projects", project)
        if len(set(entry.projects)) > PROJECTS_MAX:
            raise invalid(f"{entry.where}projects", f"must not have more than {PROJECTS_MAX}")
        if entry.projects and entry.agent in harnesses:
            require(profile(harnesses[entry.agent]), "projects", entry.agent)


def _put_all(tx: Tx, by: Principal, manifest: Manifest, made: _Made) -> None:
    for entry in manifest.workspaces:
        for member, seat in _seats(tx, entry):
            workspace, workspace_id = _put(tx, by, entry, seat)
            made.workspaces.append((workspace, entry.projects))
            names = {"subscription": entry.subscription, "agent": entry.agent, "member": member}
            made.named.append(names | {"workspace_id": workspace_id})


def _seats(tx: Tx, entry: WorkspaceEntry) -> Iterator[tuple[str, Seat]]:
    for member in dict.fromkeys(entry.members):
        try:
            yield (
                member,
                seat_named(tx.connection, tx.space_id, Called(entry.subscription, entry.agent, member)),
            )
        except Refusal as refusal:
            if refusal.code in {"not_found", "invalid_input"}:
                raise dangling(entry) from None
            raise


def _put(tx: Tx, by: Principal, entry: WorkspaceEntry, seat: Seat) -> tuple[Workspace, str]:
    before = tx.next_seq
    workspace_id = managing.put(tx, by, seat).ids["workspace_id"]
    workspace = places.require(tx.connection, seat)
    if entry.projects:
        require(seat.profile, "projects", seat.agent)
    for project in entry.projects:
        projects.put(tx, by, workspace, NewProject(project))
    if tx.next_seq != before:
        allow(by, "workspaces")
    return workspace, workspace_id


def _on_disk(kernel: Kernel, host: Principal, workspace: Workspace, wanted: tuple[str, ...]) -> None:
    if not workspace.provisioned_at:
        managing.provision(kernel, host, workspace.workspace_id)
    data = kernel.settings.data
    for project in wanted:
        if not places.folder(data, replace(workspace.seat, project=project)).is_dir():
            provisioning.provision_project(kernel, workspace, project)
