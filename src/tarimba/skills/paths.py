"""Which paths of files are taken, from an archive and from a form. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

DEPTH_MAX: Final = 8
STEP_BYTES_MAX: Final = 255
PATH_BYTES_MAX: Final = 1024
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def fault(path: str) -> str | None:
    """What is wrong with a relative path, in words that follow what it belongs to; None when nothing is.

    How deep it goes is judged apart, since a wrapping folder does not count.
    """
    if "\\" in path:
        return "has a backslash in its path: steps are parted by /"
    if path.startswith("/"):
        return "has an absolute path"
    if _DRIVE.match(path):
        return "has a path that begins with a drive letter"
    if not path.isprintable():
        return "has a character in its path that can't be seen"
    return _fault_of_steps(path)


def _fault_of_steps(path: str) -> str | None:
    steps = path.split("/")
    if ".." in steps:
        return "has a path that leaves its folder (..)"
    if "" in steps or "." in steps:
        return "has an empty step, or a single dot, in its path"
    if any(step != step.strip() for step in steps):
        return "has a step in its path that begins or ends with a space"
    longest = max(len(step.encode()) for step in steps)
    if longest > STEP_BYTES_MAX or len(path.encode()) > PATH_BYTES_MAX:
        return f"has a path above {PATH_BYTES_MAX} bytes, or a step of it above {STEP_BYTES_MAX}"
    return None


def is_too_deep(path: str) -> bool:
    """Whether a path has more than 8 steps, the file's own name being one."""
    return path.count("/") >= DEPTH_MAX


def composed(path: str) -> str:
    """The path in NFC: some systems write accents apart."""
    return unicodedata.normalize("NFC", path)


def folded(path: str) -> str:
    """What two paths have in common that some disk takes for one."""
    return composed(composed(path).casefold())


def clash(paths: Iterable[str]) -> str | None:
    """Words for two paths that some disk can't keep apart; None when all can live side by side."""
    seen: set[str] = set()
    for path in paths:
        key = folded(path)
        if key in seen:
            return "holds two files with one path, small and capital letters being the same"
        seen.add(key)
    for key in seen:
        steps = key.split("/")
        if any("/".join(steps[:at]) in seen for at in range(1, len(steps))):
            return "holds a file and a folder with one path"
    return None
