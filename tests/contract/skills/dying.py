"""Flattens the skills of one agent, and kills itself before the n-th thing that it does to the disk."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from tarimba import confined
from tarimba.app import open_kernel
from tarimba.settings import Settings
from tarimba.skills import disk

DONE = [*((os, name) for name in ("mkdir", "fchmod", "utime", "fsync", "unlink")), (confined, "rename")]


def main() -> None:
    data, db, *ids, last = sys.argv[1:]
    # The key comes by the environment.
    with open_kernel(Settings(data=Path(data), db=db)) as kernel:
        numbers = count(1)

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def run(*given: Any, **named: Any) -> Any:
                if next(numbers) == int(last):
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*given, **named)

            return run

        for module, name in DONE:
            setattr(module, name, counted(getattr(module, name)))
        disk.flatten(kernel, *ids)


if __name__ == "__main__":
    main()
