"""Folders of a workspace and links change places without end: what an agent could do while the server works there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tarimba.confined import exchange


@contextmanager
def swapping(folder: Path, *pairs: tuple[str, str]) -> Iterator[None]:
    """Each two names change places again and again while the block runs, in a process that waits for nobody."""
    names = [name for pair in pairs for name in pair]
    command = [sys.executable, "-m", __name__, str(folder), *names]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"swapping\n"
        try:
            yield
        finally:
            process.kill()


def main() -> None:
    folder = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
    names = sys.argv[2:]
    pairs = list(zip(names[::2], names[1::2], strict=True))
    sys.stdout.write("swapping\n")
    sys.stdout.flush()
    while True:
        for one, other in pairs:
            exchange(folder, one, folder, other)


if __name__ == "__main__":
    main()
