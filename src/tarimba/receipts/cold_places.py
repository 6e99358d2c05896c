"""Where cold files lie: a folder here, a bucket in `cold_bucket`.

A file is written once, under a name that tells its content, and never changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex
from typing import Literal, Protocol

Kind = Literal["folder", "s3"]


class PlaceError(Exception):
    """The place could not be asked, or refused. Whether the file is there is not known."""


class Place(Protocol):
    """Keeps files by name. A name has slashes and no other sign that a path or a URL would have to hide."""

    @property
    def kind(self) -> Kind:
        """What it is, for receipts."""
        ...

    def put(self, name: str, data: bytes) -> None:
        """Keeps a whole file or none of it, durable. Raises `PlaceError`."""
        ...

    def get(self, name: str, limit: int) -> bytes | None:
        """Up to `limit` bytes of a file, None when there is none of that name. Raises `PlaceError`."""
        ...


class Folder:
    """A folder of this machine, or one that is mounted."""

    kind: Kind = "folder"

    def __init__(self, path: Path) -> None:
        self._path = path

    def put(self, name: str, data: bytes) -> None:
        """See `Place`."""
        path = self._path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            waiting = path.with_name(f".{path.name}.{token_hex(4)}.new")
            handle = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            waiting.replace(path)
            # Of a process that was killed; whoever is writing the same at this moment fails, and finds it done.
            for left in path.parent.glob(f".{path.name}.*.new"):
                left.unlink(missing_ok=True)
            # The names of new folders must reach the disk like the file's own.
            for folder in (path.parent, *path.parent.parents):
                _sync(folder)
                if folder == self._path:
                    break
        except OSError as error:
            raise PlaceError(type(error).__name__) from error

    def get(self, name: str, limit: int) -> bytes | None:
        """See `Place`. A folder that is away as a whole is no word on the file."""
        try:
            with (self._path / name).open("rb") as stream:
                return stream.read(limit)
        except FileNotFoundError as error:
            if self._path.is_dir():
                return None
            raise PlaceError(type(error).__name__) from error
        except OSError as error:
            raise PlaceError(type(error).__name__) from error


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
