"""The data folder, the master key's file, the disk, and the file of SQLite."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tarimba.doctor.model import Finding, fail, ok, warn
from tarimba.settings import Settings
from tarimba.storage.alone import is_served
from tarimba.vault import key_file

_MOUNTS: Final = Path("/proc/self/mountinfo")
# Several hosts may hold the file there, and SQLite's shared memory and locks reach no other host.
_OF_NETWORKS: Final = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afs",
        "ceph",
        "9p",
        "glusterfs",
        "lustre",
        "fuse.sshfs",
        "fuse.glusterfs",
    }
)
_PASSING: Final = {
    "tmpfs": "is kept in memory and gone after a restart",
    "ramfs": "is kept in memory and gone after a restart",
    "overlay": "lies in a container's own layer and goes with the container",
}
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_AMPLE: Final = 8


def data(settings: Settings) -> Iterator[Finding]:
    """The checks of what lies on this machine's disk."""
    folder = settings.data
    if not folder.is_dir():
        yield warn("data.folder", f"There is no data folder at {folder}: the first start makes it.")
        return
    yield _folder(folder)
    yield _key(settings)
    yield _space("data.disk", folder, settings.disk_free_min)
    if settings.url.startswith("sqlite:"):
        yield _file_system(folder if settings.db is None else _file(settings).parent)
        yield _server(_file(settings))
    workspaces = settings.workspaces
    if workspaces is not None:
        yield _workspaces(workspaces)


def file_system_of(path: Path, mounts: str) -> str:
    """The kind of file system that holds `path`, by the words of /proc/self/mountinfo, or `unknown`."""
    kind, longest = "unknown", -1
    for line in mounts.splitlines():
        fields, _, more = line.partition(" - ")
        place = fields.split(" ")[4].encode().decode("unicode_escape")
        # The last of several mounts at one place is the one that is seen.
        if path.is_relative_to(place) and len(place) >= longest:
            kind, longest = more.split(" ", 1)[0], len(place)
    return kind


def _folder(folder: Path) -> Finding:
    check, found = "data.folder", folder.stat()
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return fail(
            check, f"{folder} can't be read and written by this user: give it to the user that serves."
        )
    if found.st_uid != os.geteuid():
        return warn(
            check,
            f"{folder} belongs to another user: run this as the user that serves, or correct its owner.",
        )
    if found.st_mode & _OTHERS:
        return warn(check, f"{folder} is open to other users of this machine: `chmod 700 {folder}`.")
    return ok(check, f"{folder} is this user's alone.")


def _key(settings: Settings) -> Finding:
    check, path = "data.master_key", key_file(settings)
    if settings.master_key is not None:
        return ok(check, "The master key comes from TARIMBA_MASTER_KEY, apart from the data.")
    try:
        found = path.stat()
    except FileNotFoundError:
        if not settings.url.startswith("sqlite:"):
            return fail(
                check,
                "There is no master key: set TARIMBA_MASTER_KEY, or copy keys/master.key into the data folder.",
            )
        return warn(
            check, f"There is no master key at {path}: the first start makes one where there is no space yet."
        )
    if found.st_mode & _OTHERS:
        return fail(check, f"Other users of this machine can open the master key: `chmod 600 {path}`.")
    copies = sorted(one.name for one in path.parent.glob("master.key.*"))
    kept = f" Beside it are {', '.join(copies)}: remove them when no backup needs them." if copies else ""
    return ok(
        check,
        f"{path} is its owner's alone. Keep a copy elsewhere, and leave `keys` out of backups of the data folder: who "
        f"has both needs to pick no lock.{kept}",
    )


def _space(check: str, folder: Path, least: int) -> Finding:
    free = shutil.disk_usage(folder).free
    said = f"{free // 1024**2} MiB are free at {folder}"
    if free < least:
        return fail(check, f"{said}, fewer than TARIMBA_DISK_FREE_MIN: writes are about to fail. Make room.")
    if free < _AMPLE * least:
        return warn(check, f"{said}: make room before writes fail.")
    return ok(check, f"{said}.")


def _file_system(folder: Path) -> Finding:
    check = "data.file_system"
    try:
        kind = file_system_of(folder.resolve(), _MOUNTS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return warn(
            check, "This system does not tell its mounts: keep the SQLite file on a disk of this machine."
        )
    if kind in _OF_NETWORKS:
        return warn(
            check,
            f"The SQLite file lies on {kind}, a file system of the network, where SQLite can't keep others out: the "
            "file can be damaged. Move it to a disk of this machine, or use PostgreSQL.",
        )
    if kind in _PASSING:
        return warn(
            check, f"The SQLite file {_PASSING[kind]} ({kind}): put the data folder on a disk or a volume."
        )
    return ok(check, f"The SQLite file lies on {kind}.")


def _server(file: Path) -> Finding:
    check = "data.server"
    try:
        is_open = is_served(file)
    except OSError as error:
        return fail(
            check,
            f"The lock beside the SQLite file can't be taken here ({error.strerror}): no server would start.",
        )
    return ok(
        check, "A server has the SQLite file open." if is_open else "No server has the SQLite file open."
    )


def _workspaces(folder: Path) -> Finding:
    check = "data.workspaces"
    if not folder.is_dir():
        return fail(
            check,
            f"TARIMBA_WORKSPACES names {folder}, which is no folder here: make it, or correct the option.",
        )
    found = folder.stat()
    if found.st_mode & stat.S_IWOTH:
        return fail(check, f"Everybody may write in {folder}: `chmod o-w {folder}`.")
    if found.st_uid != os.geteuid():
        return warn(
            check,
            f"{folder} belongs to another user: the server may lack the right to write what is approved.",
        )
    return ok(check, f"{folder} belongs to this user.")


def _file(settings: Settings) -> Path:
    return Path(settings.url.removeprefix("sqlite:///"))
