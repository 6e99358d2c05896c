"""What the system refuses on a workspace's disk, as a sentence for who asked and a line for who runs the machine."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import structlog

from tarimba.errors import Refusal, not_found

_FULL: Final = "The disk of the workspace is full: nothing was changed."
_CLOSED: Final = (
    "The workspace is not ours to use: see who owns it, its mode, and whether it is mounted read-only."
)
_BROKEN: Final = "The disk of the workspace fails: see the log of this machine."
_SENTENCES: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.ENOSPC: _FULL,
        errno.EDQUOT: _FULL,
        errno.EACCES: _CLOSED,
        errno.EPERM: _CLOSED,
        errno.EROFS: _CLOSED,
        errno.EIO: _BROKEN,
    }
)
_OTHER: Final = "The workspace can't be used: see whether its disk is full or not ours to write."
_log = structlog.get_logger("tarimba.confined")


@contextmanager
def told() -> Iterator[None]:
    """Raises 404 for what is not there, 409 for a file in the place of a folder or the other way, 503 for the rest."""
    try:
        yield
    except FileNotFoundError:
        raise not_found("file") from None
    except (NotADirectoryError, IsADirectoryError, FileExistsError):
        raise Refusal(
            "conflict", "In the workspace a file and a folder stand in each other's place."
        ) from None
    except OSError as error:
        number = error.errno or 0
        _log.error("workspace.fault", error=errno.errorcode.get(number, "unknown"))
        raise Refusal("unavailable", _SENTENCES.get(number, _OTHER)) from None
