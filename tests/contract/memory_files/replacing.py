"""Children that replace a memory file without end, each killed at some moment; what stands there is looked at."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from random import Random

from tarimba.workspaces import memory_files
from tests.contract.memory_files.seats import SEAT, TREE

TEXTS = tuple(letter.encode() * 100_000 for letter in "ab")


def replace(data: Path, text: bytes) -> None:
    with memory_files.changing(data, SEAT) as folder:
        before = memory_files.standing(folder, memory_files.CUSTOM, is_any=False)
        with memory_files.written(folder, memory_files.CUSTOM, text, before):
            pass


def endlessly(data: Path, progress: int) -> None:
    while True:
        for text in TEXTS:
            os.write(progress, b".")
            replace(data, text)


def one_killed(data: Path, random: Random) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        endlessly(data, writer)
    os.close(writer)
    for _ in range(random.randint(1, 3)):
        os.read(reader, 1)
    # Somewhere in the write that has begun: how far it is by then, the machine decides.
    for _ in range(random.randint(0, 40_000)):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)


def main() -> None:
    data, times = Path(sys.argv[1]), int(sys.argv[2])
    replace(data, TEXTS[0])
    random = Random(times)
    left = seen = 0
    for _ in range(times):
        one_killed(data, random)
        folder = data / TREE / memory_files.FOLDER
        found = (folder / memory_files.CUSTOM).read_bytes()
        if found not in TEXTS:
            sys.exit(f"{len(found)} bytes that nobody wrote")
        seen |= 1 << TEXTS.index(found)
        left = max(left, len(list(folder.iterdir())) - 1)
    sys.stdout.write(f"{seen} {left}")


if __name__ == "__main__":
    main()
