"""A process with several writers on one graph: each entity that was acknowledged is named on the standard output.

Writes its names as `WHO writer number`; a writer that has had its share ends, and the process with the last of them.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from tarimba.app import open_kernel
from tarimba.graph import service
from tarimba.graph.model import Addition, By, NewEntity, NewObservation, Scope
from tarimba.receipts.model import Actor
from tarimba.settings import Settings

SHARED = "Shared ledger"


def main() -> None:
    data, db, space, subscription, source, person, who, writers, each = sys.argv[1:]
    scope = Scope(space, subscription, source, person)
    by = By(Actor("agent", source), "mcp")
    lock = threading.Lock()
    # The key comes by the environment.
    with open_kernel(Settings(data=Path(data), db=db or None)) as kernel:

        def write(writer: int) -> None:
            for number in range(int(each)):
                name = f"{who} {writer} {number}"
                entity = NewEntity(name, "step", (NewObservation(f"{name} was done"),))
                made = service.create_entities(kernel, scope, by, [entity])
                assert [one.name for one in made.entities] == [name]
                seen = Addition(SHARED, (NewObservation(f"{name} came by"),))
                service.add_observations(kernel, scope, by, [seen])
                with lock:
                    sys.stdout.write(f"{made.receipt.seq}\t{name}\n")
                    sys.stdout.flush()

        threads = [threading.Thread(target=write, args=(writer,)) for writer in range(int(writers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main()
