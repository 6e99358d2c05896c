"""What the memory tool says, and what it makes of a text. Pure: no disk.

Models know these sentences from the SDK, so each is the SDK's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

ROOT: Final = "/memories"
LINES_MAX: Final = 999_999
_WIDTH: Final = len(str(LINES_MAX))
_UNITS: Final = "BKMG"
_UNIT_BITS: Final = 10
# Places of a text that is not unique which are told.
_TOLD_MAX: Final = 1_000
# Lines around a change that are shown.
_AROUND: Final = 2


class MemoryToolError(Exception):
    """A call that failed; the sentence is the tool's answer, with `is_error`."""


def inner_path(path: str) -> str:
    """The path below the memory directory, empty for itself."""
    if not path.startswith(ROOT):
        raise MemoryToolError(f"Path must start with {ROOT}, got: {path}")
    steps = [ROOT]
    for step in path.removeprefix(ROOT).split("/"):
        if step == ".." and not steps:
            raise MemoryToolError(escaped(path))
        if step == "..":
            steps.pop()
        elif step not in {"", "."}:
            steps.append(step if steps else f"/{step}")
    if steps[:1] != [ROOT]:
        raise MemoryToolError(escaped(path))
    return "/".join(steps[1:])


def escaped(path: str) -> str:
    return f"Path {path} would escape /memories directory"


def absent(path: str) -> str:
    return f"The path {path} does not exist. Please provide a valid path."


def encoded(text: str, limit: int) -> bytes:
    """The bytes of a text that is to be kept."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise MemoryToolError("The text has characters that UTF-8 can't hold.") from None
    if len(data) > limit:
        raise MemoryToolError(f"A memory file may have at most {limit} bytes.")
    return data


def listing(path: str, own: int, rows: Sequence[tuple[int, str]], *, is_cut: bool) -> str:
    """`rows` are sizes and paths below `path`."""
    lines = [
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:",
        f"{size_of(own)}\t{path}",
        *(f"{size_of(size)}\t{path}/{below}" for size, below in rows),
    ]
    if is_cut:
        lines.append("There are more: view one of these directories.")
    return "\n".join(lines)


def size_of(size: int) -> str:
    """`0B`, `1.5K`, `4K`: bytes in the largest unit that they reach."""
    if size == 0:
        return "0B"
    unit = min((size.bit_length() - 1) // _UNIT_BITS, len(_UNITS) - 1)
    value = size / 2 ** (_UNIT_BITS * unit)
    return f"{int(value)}{_UNITS[unit]}" if value == int(value) else f"{value:.1f}{_UNITS[unit]}"


def numbered(path: str, content: str, wanted: Any = None) -> str:
    """The lines of a file with their numbers, or those from the first to the last of `wanted`; -1 is the end."""
    lines = content.split("\n")
    if len(lines) > LINES_MAX:
        raise MemoryToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if isinstance(wanted, list | tuple) and len(wanted) == 2 and all(isinstance(one, int) for one in wanted):
        first = max(1, wanted[0])
        last = last if wanted[1] == -1 else wanted[1]
    shown = lines[first - 1 : last]
    return f"Here's the content of {path} with line numbers:\n" + _with_numbers(shown, first)


def replaced(path: str, content: str, old: str, new: str) -> str:
    """The text with the one `old` in it made `new`."""
    number = content.count(old)
    if number == 0:
        raise MemoryToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if number > 1:
        lines = ", ".join(map(str, _lines_of(content, old)))
        raise MemoryToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    return content.replace(old, new)


def snippet(content: str, line: int) -> str:
    """The lines around the one that was changed, counted from 0."""
    lines = content.split("\n")
    start = max(0, line - _AROUND)
    shown = lines[start : line + _AROUND + 1]
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return head + _with_numbers(shown, start + 1)


def inserted(content: str, at: int, text: str) -> str:
    """The text with `text` as a line after the line `at`; 0 is the beginning."""
    lines = content.split("\n")
    if not lines[-1]:
        lines.pop()
    if not 0 <= at <= len(lines):
        raise MemoryToolError(
            f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}]."
        )
    made = "\n".join([*lines[:at], text.rstrip("\n"), *lines[at:]])
    return made if made.endswith("\n") else f"{made}\n"


def _lines_of(content: str, old: str) -> list[int]:
    """The line of each place where it begins, overlapping ones too."""
    found: list[int] = []
    at = content.find(old)
    line, counted = 1, 0
    while at != -1 and len(found) < _TOLD_MAX:
        line += content.count("\n", counted, at)
        counted = at
        found.append(line)
        at = content.find(old, at + 1)
    return found


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))
