"""The folder in which a backup is made, beside the file that it becomes: on the same disk, and gone afterwards.

It holds a copy of the database, so it must not outlive its backup. What a killed one left there the next one takes out.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

_NAME: Final = re.compile(r"\.tarimba-backup-[0-9a-f]{16}")


@contextmanager
def working_folder(parent: Path) -> Iterator[Path]:
    """A new folder that only its owner can enter, until the block ends. Raises `OSError`."""
    _clear(parent)
    folder = parent / f".tarimba-backup-{token_hex(8)}"
    folder.mkdir(mode=0o700)
    try:
        # The lock is the kernel's: it ends with the process, however that ends.
        with _locked(folder):
            yield folder
    finally:
        shutil.rmtree(folder)


def _clear(parent: Path) -> None:
    """Takes out the folders whose backups are no more; of those that are being made each has its lock."""
    for path in parent.iterdir():
        if _NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            # Another backup holds it, or has just taken it out.
            with suppress(BlockingIOError, FileNotFoundError), _locked(path):
                shutil.rmtree(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Raises `BlockingIOError` when somebody else has it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
