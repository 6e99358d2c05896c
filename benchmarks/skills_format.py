"""CPU of reading and writing SKILL.md: public files, broken ones, and files made to be expensive.

A part of `python -m benchmarks`. Alone: python -m benchmarks.skills_format prints all as JSON.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tarimba.skills.format import read, write
from tarimba.skills.model import FILE_BYTES_MAX
from tests.unit.skills.mutations import mutated, seeds
from tests.unit.skills.samples import corpus

BROKEN = 20_000
SMALL, LARGE = 64_000, FILE_BYTES_MAX
_HEAD = b"---\nname: a\ndescription: Use when a\n"


def hostile(size: int) -> dict[str, bytes]:
    """Files of about `size` bytes, each made of what one part of the reader works hardest on."""
    units = {
        "keys": b"k: v\n",
        "brackets": b"k: [\n",
        "quotes": b'k: "\n',
        "escaped quotes": b'k: ["\\"',
        "items": b"- ",
        "strays": b"stray\n",
        "names": b"name: b\n",
        "colons": b": ",
        "spaces": b" ",
    }
    files = {name: _HEAD + unit * (size // len(unit) - 60) + b"\n---\nbody\n" for name, unit in units.items()}
    pairs = b"name: b,\n" * (size // 9 - 60)
    return files | {
        "map": b"---\n{" + pairs + b"}\n---\n",
        "body": _HEAD + b"---\n" + b"a b\n" * (size // 4 - 60),
    }


def measure() -> dict[str, Any]:
    """Milliseconds of CPU: of a public file, of a broken one, and of the worst file of either size."""
    public = [_cost(lambda file=file: read(file.data, directory=file.directory)) for file in corpus()]  # type: ignore[misc]
    readings = [read(file.data, directory=file.directory) for file in corpus()]
    written = [_cost(lambda one=one: write(one.name, one.description, one.body)) for one in readings]  # type: ignore[misc]
    dice, files = Random(1), seeds()
    broken = [mutated(dice.choice(files), dice) for _ in range(BROKEN)]
    all_broken = _cost(lambda: [read(data, directory="a") for data in broken])
    worst = {size: _worst(hostile(size)) for size in (SMALL, LARGE)}
    return {
        "public_ms": {"median": statistics.median(public), "worst": max(public)},
        "write_ms": {"median": statistics.median(written), "worst": max(written)},
        "broken_ms": all_broken / BROKEN,
        "hostile_ms": {str(size): found for size, found in worst.items()},
        "growth": max(worst[LARGE][name] / worst[SMALL][name] for name in worst[SMALL]),
        "sizes_ratio": LARGE / SMALL,
    }


def _worst(files: Mapping[str, bytes]) -> dict[str, float]:
    return {name: _cost(lambda data=data: read(data, directory="a")) for name, data in files.items()}  # type: ignore[misc]


def _cost(work: Callable[[], object]) -> float:
    """The least CPU of three runs, in milliseconds."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1000)
    return round(min(taken), 4)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
