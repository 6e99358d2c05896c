"""How secrets reach an agent, as its harness's profile says: read-only files, or variables of its environment.

Files lie in `<home>/.secrets` outside of the agent's tree, and are bound into it read-only. They follow what is stored:
at provisioning, when a member changes an own one, and on every host by looking, a second after any change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import structlog

from tarimba.confined import Confined
from tarimba.errors import Refusal
from tarimba.harnesses.service import profile
from tarimba.identity.seats import Seat
from tarimba.kernel import Kernel
from tarimba.spaces import secret_label
from tarimba.vault import VaultError
from tarimba.workspaces import secret_store as store
from tarimba.workspaces.locks import alone
from tarimba.workspaces.secret_model import Secret
from tarimba.workspaces.secret_rules import VALUE_MAX, merged

FOLDER: Final = ".secrets"
_FILE_MODE: Final = 0o600
_PIECE: Final = 50
_log = structlog.get_logger("tarimba.workspaces")


def delivered(kernel: Kernel, seat: Seat) -> Mapping[str, bytes]:
    """The value of every secret that is for the seat, by name, the member's own winning.

    Whoever calls it hands them to the agent alone. Raises `VaultError` for one that another master key wrapped.
    """
    with kernel.database.read() as connection:
        found = merged(store.reaching(connection, seat))
    return {name: _opened(kernel, seat.space_id, one) for name, one in found.items()}


def folder(data: Path, seat: Seat) -> Path:
    """The host's side of the directory that a harness with files gets."""
    return data / seat.home / FOLDER


def deliver(kernel: Kernel, seat: Seat) -> None:
    """Brings the files of a seat to what is stored, where its harness takes files and its home is on this disk.

    Each is exchanged whole, what was removed goes. Raises `OSError`, 409 for a link in the way, 501, and `VaultError`.
    """
    home = kernel.settings.data / seat.home
    if not (home / "workspace").is_dir():
        return
    has_files = seat.profile.secrets == "files"
    # What is stored is read while nobody else writes: an older value never comes after a newer one.
    with alone(home, "secrets"), _folder(home, makes=has_files) as files:
        if files is not None:
            _write(files, delivered(kernel, seat) if has_files else {})


class SecretFiles:
    """Keeps the files of this host as what is stored, for a process that asks every second.

    The first time it looks at every workspace, then at those of a space in which a secret was changed.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._seen: dict[str, tuple[int, int]] = {}
        # The spaces under way: up to which workspace they are done, and what was stored when they were begun.
        self._under_way: dict[str, tuple[int, tuple[int, int]]] = {}

    def piece(self) -> bool:
        """Whether there is more to write at once."""
        with self._kernel.database.read() as connection:
            marks = store.marks(connection)
        # Where the last one was removed there is no mark any more.
        for space_id in {*marks, *self._seen} - self._under_way.keys():
            mark = marks.get(space_id, (0, 0))
            if self._seen.get(space_id, (0, 0)) != mark:
                self._under_way[space_id] = (0, mark)
        for space_id, (after, mark) in list(self._under_way.items()):
            self._go_on(space_id, after, mark)
        return bool(self._under_way)

    def _go_on(self, space_id: str, after: int, mark: tuple[int, int]) -> None:
        with self._kernel.database.read() as connection:
            rows = store.seats_after(connection, space_id, after, _PIECE)
        for _, row in rows:
            ids = row.subscription_id, row.source_id
            self._deliver(Seat(space_id, *ids, row.agent, profile(row.harness), row.person_id))
        if len(rows) == _PIECE:
            self._under_way[space_id] = (rows[-1][0], mark)
            return
        del self._under_way[space_id]
        self._seen[space_id] = mark

    def _deliver(self, seat: Seat) -> None:
        try:
            deliver(self._kernel, seat)
        except (OSError, Refusal, VaultError) as error:
            # One workspace's disk must not keep the others' secrets from them.
            _log.error("secrets.not_written", **seat.objects, error=type(error).__name__)


def _opened(kernel: Kernel, space_id: str, one: Secret) -> bytes:
    label = secret_label(space_id, one.secret_id, one.subscription_id, one.source_id, one.person_id, one.name)
    return kernel.vault.unwrap(one.wrapped, label)


@contextmanager
def _folder(home: Path, *, makes: bool) -> Iterator[Confined | None]:
    """The directory of the files, which belongs to whom the workspace does; None where there is and shall be none."""
    with Confined.at(home.resolve()) as top:
        if makes:
            with suppress(FileExistsError):
                top.mkdir(FOLDER)
        try:
            files = top.beneath(FOLDER)
        except FileNotFoundError:
            yield None
            return
        with files:
            _give(files, (home / "workspace").stat())
            yield files


def _give(files: Confined, owner: os.stat_result) -> None:
    mine = os.fstat(files.fileno())
    if os.geteuid() == 0 and (mine.st_uid, mine.st_gid) != (owner.st_uid, owner.st_gid):
        os.fchown(files.fileno(), owner.st_uid, owner.st_gid)
    os.fchmod(files.fileno(), 0o700)


def _write(files: Confined, wanted: Mapping[str, bytes]) -> None:
    for name, value in wanted.items():
        if _standing(files, name) != value:
            files.replace(name, value, mode=_FILE_MODE)
    # Also what a killed process was writing: nobody else does at this moment.
    for entry in files.entries():
        if entry.name not in wanted:
            files.unlink(entry.name)


def _standing(files: Confined, name: str) -> bytes | None:
    try:
        return files.read(name, VALUE_MAX)
    except (FileNotFoundError, Refusal):
        return None
