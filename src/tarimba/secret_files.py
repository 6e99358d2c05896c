"""Options in files of one folder, as orchestrators hand secrets out: named like the option, holding its value.

An environment variable is inherited by every child and shown by a container engine to who may look at containers; a
file is neither.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "TARIMBA_"


def problem_of(folder: Path, known: Collection[str], given: Collection[str]) -> str | None:
    """Why the folder can't be taken, as the end of a sentence, or None.

    `known` are the names that an option may have, `given` those that the environment sets. What is not named like an
    option is let alone: orchestrators keep entries of their own there. Raises OSError for what may not be read.
    """
    if not folder.is_dir():
        return "must be a folder of files named like options"
    return next(_problems(folder, known, given), None)


def _problems(folder: Path, known: Collection[str], given: Collection[str]) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        if not path.name.upper().startswith(PREFIX):
            continue
        if path.name not in known:
            yield f"holds {path.name}, which names no option that can be in a file"
        elif path.name in given:
            yield f"holds {path.name}, which the environment sets too: remove one of them"
        elif not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            yield f"holds {path.name}, which is no file of that folder"
        elif not _is_text(path):
            yield f"holds {path.name}, which is not text in UTF-8"


def _is_text(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True
