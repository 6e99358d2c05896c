"""Reads skills from a directory in a tight loop until its input ends: by one handle on each, as a harness does.

Says `reading`, and in the end each thing that was wrong.
"""

from __future__ import annotations

import os
import select
import sys

FOLDER = os.O_RDONLY | os.O_DIRECTORY


def problem_of(root: int, name: str) -> str | None:
    """What is wrong with a skill that is opened once, if anything."""
    try:
        handle = os.open(name, FOLDER, dir_fd=root)
    except OSError as error:
        return f"{name} is missing: {error.strerror}"
    try:
        texts = [text_of(handle, path) for path in ("SKILL.md", "references/a/b.md", "scripts/run.py")]
    except OSError as error:
        return f"{name} is half there: {error.strerror}"
    finally:
        os.close(handle)
    if any(text.count(b"\n") != 3001 for text in texts):
        return f"{name} is half written"
    marks = {line for text in texts for line in text.splitlines()[1:]}
    return None if len(marks) == 1 else f"{name} is mixed from {len(marks)} versions"


def text_of(handle: int, path: str) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY, dir_fd=handle), "rb") as stream:
        return stream.read()


def main() -> None:
    root = os.open(sys.argv[1], FOLDER)
    wrong: set[str] = set()
    loops = 0
    say("reading")
    while not select.select([sys.stdin], [], [], 0)[0]:
        found = {problem_of(root, name) for name in sys.argv[2:]}
        with os.scandir(root) as entries:
            odd = {f"{entry.name} is visible" for entry in entries if entry.name.startswith(".")}
        wrong |= {one for one in found if one is not None} | odd
        loops += 1
    say(*sorted(wrong), *([] if loops else ["nothing was read"]))


def say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
