"""The folders and files of a workspace on this host's disk: what is missing is made, what is there stays.

An agent writes in its workspace at the same moment, so everything there goes beneath an open handle. What it put in
the place of something of ours is left alone and told by our name for it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tarimba.confined import Confined, EscapedError, IrregularError
from tarimba.errors import Refusal
from tarimba.harnesses.service import McpServer, Profile, configured
from tarimba.identity.seats import Seat
from tarimba.workspaces import places

_READ_ONLY: Final = 0o644
_PRIVATE: Final = 0o600
_DOCUMENT_MAX: Final = 1024 * 1024
_CONFIG_MAX: Final = 4 * 1024 * 1024
_OWN: Final = ("memory", "public", "sessions/durable")
_SHARED: Final = (".shared/tenant", ".shared/subscription")
_SECRETS: Final = ".secrets"


@contextmanager
def held(data: Path, seat: Seat) -> Iterator[Confined]:
    """The member's folder with the agent, made on the way, while nobody else provisions it.

    Raises 503 while somebody does, and `OSError`.
    """
    # The host may have its data folder behind a link; nobody else chooses where it leads.
    with (
        Confined.at(data.resolve()) as top,
        top.beneath(seat.home, make=True) as home,
        home.beneath(places.MANAGED, make=True) as lock,
    ):
        try:
            # On a folder that the agent can't reach: it could keep a lock of its own for ever.
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal(
                "unavailable", "This workspace is being provisioned at this moment. Try again.", retry_after=1
            ) from None
        yield home


def keep_documents(home: Confined, folder: str, wanted: Mapping[str, bytes]) -> bool:
    """Makes a folder of the host's hold these files and no others. Whether anything differed."""
    home.beneath(folder, make=True).close()
    changed = False
    for path in _files(home, folder):
        if path not in wanted:
            home.unlink(f"{folder}/{path}")
            changed = True
    for path, data in wanted.items():
        above = f"{folder}/{path}".rpartition("/")[0]
        home.beneath(above, make=True).close()
        if _content(home, f"{folder}/{path}") != data:
            home.replace(f"{folder}/{path}", data, mode=_READ_ONLY)
            changed = True
    return changed


def keep_configuration(home: Confined, profile: Profile, server: McpServer | None) -> bool:
    """Writes our server into the file that the harness reads, or takes it out. Whether anything differed.

    One that is missing is made, so that the agent makes none where it is read. Raises `ConfigurationError`; the file is
    as it was then.
    """
    name = places.config_name(profile)
    with suppress(FileNotFoundError):
        before = home.read(name, _CONFIG_MAX)
        after = configured(profile, before, server)
        if after is not before:
            home.replace(name, after, mode=_PRIVATE)
        return after is not before
    home.replace(name, configured(profile, None, server), mode=_PRIVATE)
    return True


def give(home: Path, profile: Profile) -> None:
    """The file of configuration belongs to whom the workspace does, who reads it."""
    owner, path = (home / "workspace").stat(), home / places.config_name(profile)
    if os.geteuid() == 0 and path.exists():
        os.chown(path, owner.st_uid, owner.st_gid)


def grow(home: Confined, root: Path, profile: Profile, files: Iterable[str]) -> list[str]:
    """Makes what is missing of one workspace, an empty file for each of `files` too: others are bound over them.

    Returns the paths of ours at which something else stands.
    """
    with suppress(FileExistsError):
        home.mkdir(root.name)
    # Opened by its path, which is the host's: the workspace may be a volume of its own.
    with Confined.at(root) as workspace:
        blocked = [path for path in folders(profile) if not _has_folder(workspace, path)]
        contents = dict.fromkeys(files, "") | dict(profile.scaffold)
        blocked += [path for path, text in contents.items() if not _has_file(workspace, path, text.encode())]
    return sorted(blocked)


def folders(profile: Profile) -> tuple[str, ...]:
    """The folders of a workspace: those that the agent fills, and those where something is bound."""
    secrets = (_SECRETS,) if profile.secrets == "files" else ()
    return (*_OWN, profile.own_root, profile.shared_root, *_SHARED, *secrets)


def _has_folder(workspace: Confined, path: str) -> bool:
    try:
        workspace.beneath(path, make=True).close()
    except (EscapedError, NotADirectoryError):
        return False
    return True


def _has_file(workspace: Confined, path: str, content: bytes) -> bool:
    """Whether a file stands there, made if nothing does: an engine needs one to bind another over it."""
    above = path.rpartition("/")[0]
    if above and not _has_folder(workspace, above):
        return False
    try:
        workspace.replace(path, content, mode=_READ_ONLY, is_new=True)
    except FileExistsError:
        return workspace.look(path).kind == "file"
    except (EscapedError, IrregularError):
        return False
    return True


def _files(home: Confined, folder: str, below: str = "") -> list[str]:
    """The paths of all that is no folder, relative to `folder`."""
    found = []
    for entry in home.entries(f"{folder}/{below}".rstrip("/")):
        path = f"{below}{entry.name}"
        found += _files(home, folder, f"{path}/") if entry.kind == "directory" else [path]
    return found


def _content(home: Confined, path: str) -> bytes | None:
    try:
        return home.read(path, _DOCUMENT_MAX)
    except FileNotFoundError:
        return None
