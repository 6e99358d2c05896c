"""Random commands of a model that works with its memory, often enough on the same few paths that they meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

FILES = ("notes.md", "MEMORY.md", "ü.txt", ".hidden")
FOLDERS = ("a", "b", "with space", ".deep")
ODD = (
    "/memories", "/memories/", "/memoriesx", "/memory/a", "", "/memories/..", "/memories/../etc/passwd",
    "/memories/a/../b", "/memories/./a", "/memories//a", "/memories/../memories/a", "/memories/a/../../memories/b",
    "/memories/../../memories/a",
)  # fmt: skip
LINES = ("one", "two", "two", "", "\ttab", "ção", "one two", "\r", "x" * 40, "\u2028", "1 2 3")
# The size of a directory is the file system's own affair.
_OF_A_FOLDER = re.compile(r"^[0-9.]+[BKMG]\t(.*/)$", re.MULTILINE)
_OF_THE_WHOLE = re.compile(r"^(Here're the files.*\n)[0-9.]+[BKMG]\t")


def commands(random: Random, number: int) -> Iterator[dict[str, Any]]:
    for _ in range(number):
        yield command(random)


def command(random: Random) -> dict[str, Any]:
    kind = random.choices(
        ["view", "create", "str_replace", "insert", "delete", "rename"], [24, 16, 24, 24, 3, 5]
    )[0]
    made: dict[str, Any] = {"command": kind, "path": path(random)}
    if kind == "view" and random.random() < 0.5:
        made["view_range"] = [random.randint(-2, 6), random.choice([-1, 0, 1, 2, 5, 9])]
    elif kind == "create":
        made["file_text"] = text(random, 6)
    elif kind == "str_replace":
        made |= {
            "old_str": random.choice(["one", "ção", "\ttab", "x" * 40, "1 2 3", "two\ntwo", "o", "", "\r"]),
            "new_str": text(random, 2),
        }
    elif kind == "insert":
        made |= {"insert_line": random.randint(-1, 7), "insert_text": text(random, 3)}
    elif kind == "rename":
        del made["path"]
        made |= {"old_path": path(random), "new_path": path(random)}
    return made


def path(random: Random) -> str:
    if random.random() < 0.12:
        return random.choice(ODD)
    mixed = FILES + FOLDERS
    folders = [
        random.choice(FOLDERS if random.random() < 0.9 else mixed)
        for _ in range(random.choice([0, 0, 0, 1, 1, 2, 3]))
    ]
    steps = [*folders, random.choice(FILES if random.random() < 0.9 else mixed)]
    return "/memories/" + "/".join(steps) + ("/" if random.random() < 0.05 else "")


def text(random: Random, lines: int) -> str:
    chosen = [random.choice(LINES) for _ in range(random.randint(0, lines))]
    return "\n".join(chosen) + random.choice(["", "\n", "\n\n"])


def comparable(answer: dict[str, str]) -> dict[str, str]:
    """An answer without what is no business of the tool. What the SDK says nothing of itself is only a failure."""
    if "failed" in answer:
        return {"failed": ""}
    (kind,) = answer
    told = _OF_THE_WHOLE.sub(r"\1*\t", answer[kind])
    return {kind: _OF_A_FOLDER.sub(r"*\t\1", told)}


def agree(theirs: dict[str, str], ours: dict[str, str]) -> bool:
    """Whether both say the same, or both fail where the SDK has no sentence."""
    told = comparable(theirs)
    return "refused" in ours if "failed" in told else told == comparable(ours)
