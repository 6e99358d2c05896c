"""Bringing a workspace on this host's disk to what it should be: as often as anybody likes, to the same end.

On the host's side lie the managed documents, the configuration of the harness and the published skills; in the
workspace only what is missing is made. Nothing here holds a transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from tarimba.confined import Confined
from tarimba.errors import Refusal, not_found
from tarimba.graph import service as graph
from tarimba.harnesses.service import ConfigurationError, McpServer
from tarimba.identity.seats import Seat, member_named
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.skills import disk
from tarimba.skills.model import Language
from tarimba.skills.shipped import LANGUAGES
from tarimba.vault import VaultError
from tarimba.workspaces import living, mounts, persona_store, places, secret_delivery, store, tree
from tarimba.workspaces.documents import Ground, digest, documents, fingerprint
from tarimba.workspaces.model import Workspace

_ENDPOINT: Final = "/v1/mcp"
_DIGEST: Final = "workspace.provisioned"
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, never listened on


@dataclass(frozen=True, slots=True)
class Made:
    """What provisioning came to. `digest` is that of what a container gets which is started now.

    `changed`: a document or the configuration was not as it is now. `blocked` are paths of ours in the workspaces at
    which the agent has something else.
    """

    digest: str
    changed: bool
    blocked: tuple[str, ...]


def provision(kernel: Kernel, workspace: Workspace) -> Made:
    """Makes everything of a workspace and its projects. Raises 404, 409, 501, and 503 with a sentence."""
    data, seat = kernel.settings.data, replace(workspace.seat, project="")
    with kernel.database.read() as connection:
        _require_member(connection, seat)
        ground, server = ground_of(kernel, connection, seat), server_of(kernel, connection, seat)
        projects = [one.project for one in places.projects(connection, workspace)]
    with _told():
        disk.flatten(kernel, seat.space_id, seat.subscription_id, seat.source_id)
        with tree.held(data, seat) as home:
            for one in ("", *projects):
                _require_alike(data, replace(seat, project=one), ground)
            changed = tree.keep_configuration(home, seat.profile, server)
            grown = [_grow(home, data, replace(seat, project=one), ground) for one in ("", *projects)]
            tree.give(places.home(data, seat), seat.profile)
        secret_delivery.deliver(kernel, seat)
    changed |= any(differed for differed, _ in grown)
    return Made(
        _digest(kernel, fingerprint(ground), seat, server),
        changed,
        tuple(path for _, blocked in grown for path in blocked),
    )


def provision_project(kernel: Kernel, workspace: Workspace, project: str) -> tuple[str, ...]:
    """Makes the folders of one project. Returns what is `blocked` in it. Raises 409, 501 and 503."""
    data, seat = kernel.settings.data, replace(workspace.seat, project=project)
    with kernel.database.read() as connection:
        ground = ground_of(kernel, connection, seat)
    with _told(), tree.held(data, seat) as home:
        _require_alike(data, seat, ground)
        return _grow(home, data, seat, ground)[1]


class Present:
    """What containers would get if they were started now. What is an agent's is worked out once for all its members."""

    def __init__(self, kernel: Kernel, connection: Connection) -> None:
        self._kernel, self._connection = kernel, connection
        self._fingerprints: dict[str, str] = {}

    def is_stale(self, workspace: Workspace) -> bool:
        """Whether a container that was started at the last provisioning shows what is no longer so."""
        seat = workspace.seat
        if not workspace.provisioned:
            return False
        if seat.source_id not in self._fingerprints:
            ground = ground_of(self._kernel, self._connection, seat)
            self._fingerprints[seat.source_id] = fingerprint(ground)
        server = server_of(self._kernel, self._connection, seat)
        present = _digest(self._kernel, self._fingerprints[seat.source_id], seat, server)
        return present != workspace.provisioned


def ground_of(kernel: Kernel, connection: Connection, seat: Seat) -> Ground:
    """What the documents of a seat are made of now."""
    wanted = store.language(connection, seat.space_id)
    language: Language = next((known for known in LANGUAGES if known == wanted), "en")
    persona = {
        one.name: one.text for one in persona_store.documents(connection, seat.space_id, seat.source_id)
    }
    return Ground(seat.profile, language, persona, graph.has_graph(kernel.settings))


def server_of(kernel: Kernel, connection: Connection, seat: Seat) -> McpServer | None:
    """Where the seat's graph is and its token; None where there is no graph, or no member any more."""
    try:
        token = graph.token_of(kernel, connection, seat)
    except Refusal:
        return None
    return None if token is None else McpServer(address(kernel.settings) + _ENDPOINT, token)


def address(settings: Settings) -> str:
    """Where agents reach this server: the public address, else that of this machine."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "127.0.0.1" if settings.host in _EVERYWHERE else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _digest(kernel: Kernel, documents: str, seat: Seat, server: McpServer | None) -> str:
    """Under the key of the space: a token of the workspace is in it, which nobody may try guesses at."""
    value = digest(documents, None if server is None else server.entry(seat.profile))
    return kernel.keys.of(seat.space_id).mac(_DIGEST, value)


def _grow(home: Confined, data: Path, seat: Seat, ground: Ground) -> tuple[bool, tuple[str, ...]]:
    """Makes one workspace, the main one or a project's. Whether its documents differed, and what is blocked."""
    wanted = documents(ground, seat.project)
    changed = tree.keep_documents(home, places.managed_name(seat.project), wanted)
    config = (seat.profile.config,) if seat.profile.configures_inside else ()
    root = places.folder(data, seat)
    blocked = tree.grow(home, root, seat.profile, (*wanted, *config))
    return changed, tuple(f"{root.name}/{path}" for path in blocked)


def _require_alike(data: Path, seat: Seat, ground: Ground) -> None:
    """While a run lives, nothing else is made to be mounted than it has."""
    wanted = mounts.points_with(seat, documents(ground, seat.project))
    living.require_alike(places.home(data.resolve(), seat), wanted)


def _require_member(connection: Connection, seat: Seat) -> None:
    if member_named(connection, seat.space_id, seat.subscription_id, seat.person_id) is None:
        raise not_found("member")


@contextmanager
def _told() -> Iterator[None]:
    """What the system and the configuration refuse, as a sentence."""
    try:
        yield
    except ConfigurationError as error:
        raise Refusal(
            "conflict", f"The configuration of this workspace's harness was left alone: {error}"
        ) from None
    except VaultError:
        raise Refusal(
            "unavailable", "A secret of this workspace does not open with the master key of this server."
        ) from None
    except OSError:
        raise Refusal(
            "unavailable",
            "The workspace can't be provisioned: see whether its disk is full or not ours to write.",
        ) from None
