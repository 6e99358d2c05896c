"""A program with an embedded memory. Arguments: the file, and its name, which its notes have; or `fork`."""

import os
import sys

from tarimba.client import Budgets, Options, Tarimba

ROOMY = Options(budgets=Budgets(block=120, search=120, remember=120))


def main(file: str, name: str) -> None:
    with Tarimba.embedded(file, options=ROOMY) as memory:
        if name == "fork":
            fork(memory)
            return
        for number in range(5):
            kept = memory.remember("tool_note", f"Number {number} of {name}", f"Written by {name}.")
            assert kept, (kept.error, kept.detail)


def fork(memory: Tarimba) -> None:
    child = os.fork()
    if child == 0:
        print(memory.search_agent_memory("q").error, flush=True)  # noqa: T201
        memory.close()
        os._exit(0)
    os.waitpid(child, 0)
    print(memory.search_agent_memory("q").error)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
