"""Environments of their own for what other people's servers need, and those servers while a test runs."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class RecipeError(Exception):
    """A server did not start; the sentence ends with what it wrote."""


def interpreter(recipe: Path, *options: str) -> Path:
    """The interpreter of a recipe's environment, made once for a state of its requirements; hashes are checked."""
    requirements = recipe / "requirements.txt"
    state = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = ROOT / "build" / f"{recipe.name}-{state}"
    python = folder / "bin" / "python"
    with making(folder) as is_wanted:
        if is_wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "--require-hashes", *options]
            subprocess.run([*install, "-r", str(requirements)], check=True)
    return python


@contextmanager
def making(folder: Path) -> Iterator[bool]:
    """Whether the folder is still to be made; whoever else wants it waits, and finds it made."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    finished = folder / "finished"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_wanted = not finished.exists()
        yield is_wanted
        if is_wanted:
            finished.touch()


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], health: str, log: Path) -> Iterator[None]:
    """The server of `command` from when `health` answers on; `log` takes what it writes."""
    with log.open("wb") as written:
        process = subprocess.Popen(command, env=dict(environment), stdout=written, stderr=written)
    try:
        _wait(process, health, log)
        yield
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    while True:
        try:
            with urllib.request.urlopen(url):
                return
        except urllib.error.URLError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(0.1)
                raise RecipeError(f"It ended with {code}; it wrote: {log.read_text()[-4000:]}") from None
