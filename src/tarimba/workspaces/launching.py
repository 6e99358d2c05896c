"""What the host's command line asks of a workspace's mounts, and of a command to be run in it.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tarimba.errors import Refusal, invalid
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, in_project, seat_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read
from tarimba.workspaces import living, managing, mount_forms, places, secret_delivery
from tarimba.workspaces.model import Workspace
from tarimba.workspaces.mounts import Bind, binds, points, writable
from tarimba.workspaces.provisioning import Present
from tarimba.workspaces.running.keeper import start, start_unconfined
from tarimba.workspaces.running.plan import Mounted, Plan

__all__ = ["FORMATS", "Called", "Wish", "mounts", "plan", "seated", "start", "start_unconfined"]

FORMATS: Final = mount_forms.FORMATS
# Whoever the command is on the host, it sees itself as this user.
_AGENT: Final = 1000
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_OWN: Final = ("/proc", "/sys", "/dev", "/run", "/etc", *_SYSTEM)
# The command has one of its own, in which a folder of the host's may lie.
_SCRATCH: Final = Path("/tmp")  # noqa: S108 - refused, never opened


@dataclass(frozen=True, slots=True)
class Wish:
    """A command and how it is to be run. `variables` are `NAME=VALUE`; `software` are paths that it reads."""

    command: tuple[str, ...]
    variables: tuple[str, ...] = ()
    software: tuple[Path, ...] = ()
    has_network: bool = True
    is_root: bool = False
    is_confined: bool = True


@dataclass(frozen=True, slots=True)
class Mounts:
    """The binds of a workspace, as `text` for an engine. `is_stale`: what they show is no longer as it should be."""

    text: str
    is_stale: bool


def mounts(kernel: Kernel, host: Principal, called: Called, form: str) -> Mounts:
    """The binds of a member's workspace for `form`, one of `FORMATS`.

    Raises 404, 409 where it was not provisioned on this host, something is in the way of a mount or a run with other
    mounts lives, and 501.
    """
    allow(host, "read_workspaces")
    found = _found(kernel, called, host)
    data = kernel.settings.data.resolve()
    made = binds(data, found.seat)
    living.require_alike(places.home(data, found.seat), points(found.seat, made))
    with kernel.database.read() as connection:
        is_stale = Present(kernel, connection).is_stale(found)
    text = mount_forms.rendered(form, made)
    detail = {"read": "mounts", "mounts": len(made)}
    receipt = Receipt(
        "workspace.read", host.actor, host.via, found.seat.source_id, managing.objects_of(found), detail
    )
    record_read(kernel.writer, host.space_id, receipt)
    return Mounts(text, is_stale)


def plan(kernel: Kernel, host: Principal, called: Called, wish: Wish) -> Plan:
    """Provisions the workspace and says how the command is to be run in it, secrets included: it crosses no disk.

    It holds the places of its mounts, unless it is not confined. Raises 404, 409 where something is in the way or a run
    with other mounts lives, 422 for a variable or path that is none, 501, 503, `VaultError`.
    """
    seat = _found(kernel, called, host).seat
    if managing.start(kernel, host, seat).blocked:
        raise Refusal("conflict", "In the workspace something else stands where a mount goes.")
    # Their folder is bound as a whole, so they are seen when they come later too.
    secret_delivery.deliver(kernel, seat)
    is_told = seat.profile.secrets == "environment"
    secrets = secret_delivery.delivered(kernel, seat) if is_told else {}
    made = seated(kernel.settings.data, seat, wish, secrets)
    if not wish.is_confined:
        return made
    data = kernel.settings.data.resolve()
    return replace(made, held=living.begin(places.home(data, seat), points(seat, binds(data, seat))))


def seated(data: Path, seat: Seat, wish: Wish, secrets: Mapping[str, bytes]) -> Plan:
    """How the command is to be run in a workspace that stands on this host. Raises 409 and 422."""
    software = _software(data.resolve(), wish)
    _require_apart(data.resolve())
    root, made = places.folder(data.resolve(), seat), binds(data, seat)
    owner = root.stat()
    at = str(seat.profile.seen_at(seat.project or None)) if wish.is_confined else str(root)
    return Plan(
        command=wish.command,
        environment=_environment(seat, wish, at, secrets),
        folder=at,
        binds=tuple(_mounted(bind) for bind in made),
        writable=tuple(map(str, writable(seat))),
        uid=owner.st_uid,
        gid=owner.st_gid,
        inside=0 if wish.is_root else _AGENT,
        has_network=wish.has_network,
        software=software,
        scratch=_scratch(seat, made),
    )


def _found(kernel: Kernel, called: Called, host: Principal) -> Workspace:
    with kernel.database.read() as connection:
        seat = seat_named(connection, host.space_id, called)
        return places.require(connection, in_project(connection, seat, called.project))


def _mounted(bind: Bind) -> Mounted:
    source = bind.workspace or bind.source
    return Mounted(str(source), str(bind.target), bind.read_only, bind.inner)


def _scratch(seat: Seat, made: Iterable[Bind]) -> tuple[str, ...]:
    """The folders around what is bound out of the workspaces: harnesses keep files of their own there."""
    seen = writable(seat)
    outside = (bind.target for bind in made if not any(bind.target.is_relative_to(at) for at in seen))
    return tuple(sorted({str(target.parent) for target in outside}))


def _environment(seat: Seat, wish: Wish, at: str, secrets: Mapping[str, bytes]) -> Mapping[str, str]:
    """What the command has of an environment: none of the host's, and what was said last wins."""
    profile = seat.profile
    made = {"PATH": _PATH, "HOME": at, "USER": "agent", "LANG": "C.UTF-8"}
    made |= {name: value.replace("{workspace}", at) for name, value in profile.environment.items()}
    made |= {name: os.fsdecode(value) for name, value in secrets.items()}
    for variable in wish.variables:
        if not _VARIABLE.match(variable):
            raise invalid("--env", "must be NAME=VALUE")
        name, _, value = variable.partition("=")
        made[name] = value
    if any("\0" in value for value in made.values()):
        raise Refusal("conflict", "A secret holds a zero byte, which no variable of an environment can.")
    return made


def _software(data: Path, wish: Wish) -> tuple[Mounted, ...]:
    found = []
    for path in wish.software:
        source = path.resolve()
        if not path.is_absolute() or not source.exists() or ".." in path.parts:
            raise invalid("--with", "must be an absolute path that there is")
        is_system = any(_overlap(Path(one), place) for one in _OWN for place in (path, source))
        if is_system or any(_SCRATCH.is_relative_to(place) for place in (path, source)):
            raise invalid(
                "--with", "must be no part of the system, which the command has anyway or must not have"
            )
        if _overlap(source, data):
            raise invalid("--with", "must hold nothing of the data folder and lie outside of it")
        found.append(Mounted(str(source), str(path), read_only=True))
    return tuple(found)


def _require_apart(data: Path) -> None:
    if any(_overlap(Path(one).resolve(), data) for one in _SYSTEM if Path(one).exists()):
        raise Refusal("conflict", "The data folder lies in what every command sees of the system: move it.")


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
