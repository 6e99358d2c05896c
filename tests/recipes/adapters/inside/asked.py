"""What the program of each framework reads and prints; runs in the framework's own environment."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tarimba.client import Budgets, Options, Tarimba
from tarimba.client.integrations.notes import Notes, customer_context

Answer = Callable[[str], str]


@dataclass(frozen=True)
class Asked:
    """`memory` is for the adapter: roomy in its budgets where the server answers, as delivered where it does not."""

    model_url: str
    instructions: str
    write: bool
    memory: Notes


def main(make_agent: Callable[[Asked], Answer]) -> None:
    """Makes the one agent, asks it what came on standard input, and prints what it answered."""
    document = json.load(sys.stdin)
    answer = make_agent(_asked(document))
    answers = []
    for turn in document["turns"]:
        with customer_context(turn["customer"]):
            answers.append(answer(turn["question"]))
    sys.stdout.write("\n" + json.dumps({"answers": answers}) + "\n")
    # Threads that a framework leaves behind must not keep the program.
    sys.stdout.flush()


def _asked(document: dict[str, Any]) -> Asked:
    seconds = document["budget"]
    budgets = Budgets(block=seconds, search=seconds, remember=seconds) if seconds else Budgets()
    memory = Notes(Tarimba(options=Options(budgets=budgets)), write=document["write"])
    return Asked(document["model_url"], document["instructions"], document["write"], memory)
