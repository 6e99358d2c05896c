"""The environment of the rivals: built once from hashed requirements, apart from ours, and spoken to over pipes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tarimba.personal_data.evaluation import Outcome
from tarimba.personal_data.model import Finding
from tarimba.personal_data.scoring import Row, score

HERE: Final = Path(__file__).parent
REQUIREMENTS: Final = HERE / "requirements.txt"
ADAPTERS: Final = HERE / "adapters.py"
BUILD_SECONDS: Final = 900
RUN_SECONDS: Final = 900


class MissingRivalError(Exception):
    """A rival cannot be measured here; the sentence says why."""


def interpreter(folder: Path) -> Path:
    """The Python of the rivals' environment in `folder`, built if it is not there. Raises MissingRivalError."""
    python = folder / "bin" / "python"
    stamp = folder / f".{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]}"
    if not stamp.exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        install = ["-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(REQUIREMENTS)]
        _run([str(python), *install])
        stamp.touch()
    return python


def measured(name: str, python: Path, rows: Sequence[Row], *, allow: frozenset[str]) -> Outcome:
    """Runs one rival over the rows in a process of its own. Raises MissingRivalError."""
    # The first row is asked twice: what is loaded on first use is no cost of a note.
    asked = [{"lang": row.lang, "text": row.text} for row in (*rows[:1], *rows)]
    lines = "".join(json.dumps(question) + "\n" for question in asked)
    answers = [json.loads(line) for line in _run([str(python), str(ADAPTERS), name], lines).splitlines()]
    if len(answers) != len(asked):
        raise MissingRivalError(f"{name} did not answer every row")
    found = {
        row: [Finding(kind, start, end, name) for kind, start, end in answer["found"]]
        for row, answer in zip(rows, answers[1:], strict=True)
    }
    costs = tuple(float(answer["ms"]) for answer in answers[1:])
    return Outcome(name, score(rows, found.__getitem__, allow=allow), costs)


def _run(command: Sequence[str], given: str = "") -> str:
    seconds = RUN_SECONDS if given else BUILD_SECONDS
    try:
        done = subprocess.run(  # noqa: S603 - the commands are ours, the rows go over a pipe
            command, input=given, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingRivalError(f"{command[0]}: {type(error).__name__}") from error
    if done.returncode:
        # The last line of what it wrote names the cause, such as a package that is not to be had.
        raise MissingRivalError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1][:200])
    return done.stdout
