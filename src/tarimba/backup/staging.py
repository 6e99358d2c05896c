"""A backup unpacked beside the place that it is for: nobody reads it there, and nothing of the place is touched.

`<data>/.restoring/data/` has folders and files as they will lie in the data folder; `<database file>.restoring` is the
database as one SQLite file, which for PostgreSQL lies in `.restoring` too. What a killed restore left there the next
one takes out.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from typing import Final

from tarimba.backup import archive
from tarimba.backup.archive import DATA, DATABASE, ArchiveError, Stream
from tarimba.backup.model import FORMAT, About, Item, Manifest
from tarimba.backup.taking import DERIVED, WHOLE, mac_of
from tarimba.confined import Confined
from tarimba.errors import Refusal
from tarimba.openat2 import sync_all
from tarimba.settings import Settings
from tarimba.storage.interrupted import STAGING
from tarimba.storage.migrate import REVISIONS
from tarimba.vault import Vault, VaultError

_CHUNK: Final = 1024 * 1024
_INNER: Final = "data"


@dataclass(frozen=True, slots=True)
class Staged:
    """An unpacked backup. `data` stands for the data folder, `database` is its SQLite file."""

    data: Path
    database: Path
    manifest: Manifest
    # Files whose owner could not be given, since only root gives files away.
    disowned: int


def check(path: Path, vault: Vault | None) -> Manifest:
    """Reads a whole backup and compares it with its list; with the master key also that nobody altered it.

    Raises `ArchiveError`, `VaultError` for another master key, and `OSError`.
    """
    manifest = archive.read(path, lambda _item, _stream: None, lambda about: _require_ours(about, vault))
    if vault is not None:
        _require_mac(manifest, vault)
    return manifest


@contextmanager
def staged(settings: Settings, path: Path, vault: Vault) -> Iterator[Staged]:
    """The backup, unpacked and compared, until the block ends. Raises what `check` does.

    Raises 409 while somebody else restores into this place.
    """
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = settings.data / STAGING
    folder.mkdir(exist_ok=True, mode=0o700)
    with _alone(folder):
        database = _database(settings, folder)
        _clear(folder, database)
        try:
            yield _unpacked(path, vault, folder, database)
        finally:
            _clear(folder, database)
            # A mark in it stays, and it with the mark.
            with suppress(OSError):
                folder.rmdir()


def _unpacked(path: Path, vault: Vault, folder: Path, database: Path) -> Staged:
    data = folder / _INNER
    data.mkdir(mode=0o700)
    database.parent.mkdir(parents=True, exist_ok=True)
    with Confined.at(data.resolve()) as top:
        unpacking = _Unpacking(top, database)
        manifest = archive.read(path, unpacking.take, lambda about: _require_ours(about, vault))
        unpacking.end()
    _require_mac(manifest, vault)
    return Staged(data, database, manifest, unpacking.disowned)


@dataclass(slots=True)
class _Unpacking:
    """Writes what comes out of an archive. Whatever it is called, it lands beneath `top` or nowhere."""

    top: Confined
    database: Path
    disowned: int = 0
    _folders: list[Item] = field(default_factory=list)

    def take(self, item: Item, stream: Stream | None) -> None:
        if item.path == DATABASE and stream is not None:
            handle = os.open(self.database, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            _fill(handle, stream, is_synced=True)
            return
        path = item.path.removeprefix(DATA)
        if path == item.path or path.split("/")[0] not in {*WHOLE, *DERIVED}:
            raise ArchiveError("The backup holds something that belongs nowhere here: it was altered.")
        try:
            self._make(item, path, stream)
        except Refusal as refusal:
            raise ArchiveError("The backup holds a path that leads elsewhere: it was altered.") from refusal

    def end(self) -> None:
        """Gives folders their modes, the inner ones first: one that nobody may write in could not be filled."""
        for item in reversed(self._folders):
            with self._beneath(item.path.removeprefix(DATA)) as folder:
                self._own(folder.fileno(), item)
                os.utime(folder.fileno(), (item.mtime, item.mtime))
        # All at once: file by file would take a disk's turn for each.
        sync_all(self.top.fileno())

    def _make(self, item: Item, path: str, stream: Stream | None) -> None:
        above, _, name = path.rpartition("/")
        with self._beneath(above) as folder:
            if name in {"", ".", ".."}:
                raise ArchiveError("The backup holds a path that leads elsewhere: it was altered.")
            if item.kind == "folder":
                os.mkdir(name, 0o700, dir_fd=folder.fileno())
                self._folders.append(item)
            elif item.kind == "link":
                os.symlink(item.target, name, dir_fd=folder.fileno())
                self._own_link(folder.fileno(), name, item)
            elif stream is not None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                handle = os.open(name, flags, 0o600, dir_fd=folder.fileno())
                self._own(handle, item)
                _fill(handle, stream, mtime=item.mtime)

    def _beneath(self, path: str) -> Confined:
        """A handle on a folder, one step after the other: a path may be longer than the kernel takes at once."""
        found = Confined(os.dup(self.top.fileno()))
        for step in path.split("/") if path else []:
            with found:
                found = found.beneath(step)
        return found

    def _own(self, handle: int, item: Item) -> None:
        if os.geteuid() == 0:
            os.fchown(handle, item.uid, item.gid)
        else:
            self.disowned += item.uid != os.geteuid()
        os.fchmod(handle, item.mode & 0o777)

    def _own_link(self, folder: int, name: str, item: Item) -> None:
        if os.geteuid() == 0:
            os.chown(name, item.uid, item.gid, dir_fd=folder, follow_symlinks=False)


def _fill(handle: int, stream: Stream, *, mtime: int | None = None, is_synced: bool = False) -> None:
    with os.fdopen(handle, "wb") as out:
        shutil.copyfileobj(stream, out, _CHUNK)
        out.flush()
        if mtime is not None:
            os.utime(out.fileno(), (mtime, mtime))
        if is_synced:
            os.fsync(out.fileno())


def _require_ours(about: About, vault: Vault | None) -> None:
    if about.format != FORMAT or about.revision not in REVISIONS:
        raise ArchiveError("The backup was made by a newer version of Tarimba: restore it with that version.")
    if vault is not None and about.key_check != vault.check_value:
        raise VaultError(
            f"The backup needs the master key whose check value is {about.key_check}; the one here is "
            f"{vault.check_value}. Set TARIMBA_MASTER_KEY, or put that key into keys/master.key of the data folder "
            f"(`tarimba keys rotate-master` keeps an older one as master.key.{about.key_check}.old)."
        )


def _require_mac(manifest: Manifest, vault: Vault) -> None:
    if not compare_digest(manifest.mac, mac_of(vault, manifest)):
        raise ArchiveError("The backup was altered by somebody who does not have the master key.")


def _database(settings: Settings, folder: Path) -> Path:
    """Where the file lies: beside the one whose name it will get, or in the folder."""
    if not settings.url.startswith("sqlite:///"):
        return folder / DATABASE
    file = Path(settings.url.removeprefix("sqlite:///"))
    return file.with_name(f"{file.name}{STAGING}")


def _clear(folder: Path, database: Path) -> None:
    if (folder / _INNER).exists():
        shutil.rmtree(folder / _INNER)
    for ending in ("", "-wal", "-shm", "-journal"):
        database.with_name(database.name + ending).unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise Refusal("conflict", "Somebody restores into this data folder at this moment.") from None
    try:
        yield
    finally:
        os.close(handle)
