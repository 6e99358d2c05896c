"""Anthropic's memory tool (`memory_20250818`) over the memory files of a workspace.

The model calls it with paths below `/memories`, which is the workspace's `memory/`. It answers with the sentences of
the SDK's own implementation on a local disk, so a model meets nothing new; but no link, no mount and no race leads it
out of the workspace. It runs where the workspace is, in the process that drives the agent:

    memory = MemoryTool(Path("/workspace"))
    answer = memory.call(block.input)

Source: the tool's description in Anthropic's documentation and the answers of the package `anthropic` 2.14.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from tarimba.confined import Confined, EscapedError, IrregularError
from tarimba.errors import Refusal
from tarimba.workspaces import memory_words as words
from tarimba.workspaces.memory_words import MemoryToolError

__all__ = ["MemoryTool", "MemoryToolError"]

FOLDER: Final = "memory"
FILE_MAX: Final = 8 * 1024 * 1024
LISTED_MAX: Final = 5_000
_DEPTH: Final = 2

Kind = Literal["absent", "file", "directory", "other"]
Command = Mapping[str, Any]


class MemoryTool:
    """The six commands of the tool. Raises `MemoryToolError`, whose sentence is for the model, for all that fails."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._commands: Mapping[str, Callable[[Confined, Command], str]] = {
            "view": _view,
            "create": _create,
            "str_replace": _str_replace,
            "insert": _insert,
            "delete": _delete,
            "rename": _rename,
        }

    def call(self, command: Command) -> str:
        """The answer to one call: `command` is its input, as the model gave it."""
        name = _text(command, "command")
        if name not in self._commands:
            raise MemoryToolError(f"Unknown command: {name}")
        with _told(), Confined.at(self._workspace) as tree, tree.beneath(FOLDER, make=True) as folder:
            return self._commands[name](folder, command)


@contextmanager
def _told() -> Iterator[None]:
    """What the disk refuses, as a sentence for the model."""
    try:
        yield
    except Refusal as refusal:
        raise MemoryToolError(refusal.detail) from None
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "unknown")
        raise MemoryToolError(f"The memory directory refused this ({name}).") from None


def _view(folder: Confined, command: Command) -> str:
    path = _text(command, "path")
    inner = words.inner_path(path)
    kind = _kind(folder, path, inner)
    if kind == "absent":
        raise MemoryToolError(words.absent(path))
    if kind == "directory":
        return _listing(folder, path, inner)
    if kind == "other":
        raise MemoryToolError(f"Unsupported file type for {path}")
    return words.numbered(path, _read(folder, path, inner), command.get("view_range"))


def _create(folder: Confined, command: Command) -> str:
    path, text = _text(command, "path"), _text(command, "file_text")
    inner = words.inner_path(path)
    _make_above(folder, path, inner)
    if _kind(folder, path, inner) != "absent":
        raise MemoryToolError(f"File {path} already exists")
    try:
        folder.replace(inner, words.encoded(text, FILE_MAX), is_new=True)
    except FileExistsError:
        raise MemoryToolError(f"File {path} already exists") from None
    return f"File created successfully at: {path}"


def _str_replace(folder: Confined, command: Command) -> str:
    path, old, new = (_text(command, name) for name in ("path", "old_str", "new_str"))
    inner, content = _file(folder, path)
    made = words.replaced(path, content, old, new)
    folder.replace(inner, words.encoded(made, FILE_MAX))
    return words.snippet(made, content[: content.find(old)].count("\n"))


def _insert(folder: Confined, command: Command) -> str:
    path, text = _text(command, "path"), _text(command, "insert_text")
    at = command.get("insert_line")
    if not isinstance(at, int) or isinstance(at, bool):
        raise MemoryToolError("`insert_line` must be a whole number.")
    inner, content = _file(folder, path)
    folder.replace(inner, words.encoded(words.inserted(content, at, text), FILE_MAX))
    return f"The file {path} has been edited."


def _delete(folder: Confined, command: Command) -> str:
    path = _text(command, "path")
    inner = words.inner_path(path)
    if not inner:
        raise MemoryToolError("Cannot delete the /memories directory itself")
    kind = _kind(folder, path, inner)
    if kind not in {"file", "directory"}:
        raise MemoryToolError(f"The path {path} does not exist")
    try:
        (folder.unlink if kind == "file" else folder.rmtree)(inner)
    except FileNotFoundError:
        raise MemoryToolError(f"The path {path} does not exist") from None
    return f"Successfully deleted {path}"


def _rename(folder: Confined, command: Command) -> str:
    old, new = _text(command, "old_path"), _text(command, "new_path")
    source, target = words.inner_path(old), words.inner_path(new)
    if not source:
        raise MemoryToolError("Cannot rename the /memories directory itself")
    if _kind(folder, new, target) != "absent":
        raise MemoryToolError(f"The destination {new} already exists")
    try:
        _make_above(folder, new, target)
        folder.rename(source, target)
    except FileExistsError:
        raise MemoryToolError(f"The destination {new} already exists") from None
    except (FileNotFoundError, NotADirectoryError):
        raise MemoryToolError(f"The path {old} does not exist") from None
    except EscapedError:
        raise MemoryToolError(words.escaped(old)) from None
    return f"Successfully renamed {old} to {new}"


def _text(command: Command, name: str) -> str:
    found = command.get(name)
    if not isinstance(found, str):
        raise MemoryToolError(f"`{name}` must be given, as text.")
    return found


def _kind(folder: Confined, path: str, inner: str) -> Kind:
    if not inner:
        return "directory"
    try:
        found = folder.look(inner)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except EscapedError:
        raise MemoryToolError(words.escaped(path)) from None
    return found.kind


def _file(folder: Confined, path: str) -> tuple[str, str]:
    """The inner path of a file that is to be edited, and its text."""
    inner = words.inner_path(path)
    kind = _kind(folder, path, inner)
    if kind == "absent":
        raise MemoryToolError(words.absent(path))
    if kind != "file":
        raise MemoryToolError(f"The path {path} is not a file.")
    return inner, _read(folder, path, inner)


def _read(folder: Confined, path: str, inner: str) -> str:
    try:
        return folder.read(inner, FILE_MAX).decode()
    except FileNotFoundError:
        raise MemoryToolError(
            f"The file {path} no longer exists (may have been deleted or renamed concurrently)."
        ) from None
    except EscapedError:
        raise MemoryToolError(words.escaped(path)) from None
    except IrregularError:
        raise MemoryToolError(f"path {path!r} is not a regular file") from None
    except UnicodeDecodeError:
        raise MemoryToolError(f"path {path!r} is not valid utf-8") from None


def _make_above(folder: Confined, path: str, inner: str) -> None:
    above = inner.rpartition("/")[0]
    if not above:
        return
    try:
        folder.beneath(above, make=True).close()
    except EscapedError:
        raise MemoryToolError(words.escaped(path)) from None


def _listing(folder: Confined, path: str, inner: str) -> str:
    """Two levels by name, each with its size; what begins with a dot, links and pipes are left out."""
    with folder.beneath(inner) if inner else Confined(os.dup(folder.fileno())) as top:
        own = os.fstat(top.fileno()).st_size
        rows = list(_rows(top, "", 1))
    return words.listing(path, own, rows[:LISTED_MAX], is_cut=len(rows) > LISTED_MAX)


def _rows(folder: Confined, above: str, depth: int) -> Iterator[tuple[int, str]]:
    try:
        with os.scandir(folder.fileno()) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except OSError:
        # What can't be looked into shows nothing, as the SDK has it; its own row is there.
        return
    for name in names[: LISTED_MAX + 1]:
        yield from _row(folder, name, above, depth)


def _row(folder: Confined, name: str, above: str, depth: int) -> Iterator[tuple[int, str]]:
    try:
        kind = folder.look(name).kind
        size = os.stat(name, dir_fd=folder.fileno(), follow_symlinks=False).st_size
        if kind == "file":
            yield size, f"{above}{name}"
        elif kind == "directory":
            yield size, f"{above}{name}/"
            if depth < _DEPTH:
                with folder.beneath(name) as below:
                    yield from _rows(below, f"{above}{name}/", depth + 1)
    except (FileNotFoundError, NotADirectoryError, EscapedError):
        return
