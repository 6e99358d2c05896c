"""Writes a member's notes, and kills itself before the n-th thing that it does to the disk or to the database."""

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
from tarimba.identity.seats import Called
from tarimba.identity.service import authenticate
from tarimba.receipts.writer import GroupCommit
from tarimba.settings import Settings
from tarimba.workspaces import memory
from tarimba.workspaces.memory import Wish

DONE = [(os, "fsync"), (os, "fchmod"), (os, "unlink"), (confined, "rename"), (GroupCommit, "commit")]


def main() -> None:
    data, db, bearer, seen, last = sys.argv[1:]
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
        principal = authenticate(kernel, bearer, "http")
        memory.write(kernel, principal, Called("team", "billing"), Wish("Second.\n", seen))
        sys.stdout.write(str(next(numbers) - 1))


if __name__ == "__main__":
    main()
