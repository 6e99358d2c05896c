"""The values of the slice: what is to be distilled, what a writer offers, what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tarimba.conversations.model import Turn
from tarimba.notes.model import Prepared
from tarimba.proposals.model import Problem, Proposal
from tarimba.receipts.model import Recorded

# Of each text of a turn so much is looked at, by a model and for evidence: a page, not an attached book.
TEXT_MAX: Final = 1_500

Writer = Literal["model", "actions"]
"""Who writes: a model behind `TARIMBA_LLM_URL`, or our own rules from the recorded actions."""


@dataclass(frozen=True, slots=True)
class About:
    """What to distil: one conversation or one task, by the caller's own id."""

    kind: Literal["conversation", "task"]
    caller_id: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer of a request: the proposal as it is now, the receipt and the HTTP status."""

    proposal: Proposal
    receipt: Recorded
    status: int


@dataclass(frozen=True, slots=True)
class Offer:
    """What a writer would have a note say, not yet checked."""

    kind: str
    title: str
    body: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """What a writer is given: the turns (oldest first), the space's language and its limits in code points."""

    turns: tuple[Turn, ...]
    language: str
    title_max: int
    body_max: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing to decide on. `kinds` are those of personal data that were found; never the text."""

    problem: Problem
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A note that passed every check and may wait for a person."""

    prepared: Prepared


Outcome = Failed | Written


class UnfitError(Exception):
    """What a writer offered breaks a rule, told in a sentence for it that quotes nothing.

    `problem` is how the distillation ends when it does so again; None: such an answer is no answer.
    """

    def __init__(self, sentence: str, problem: Problem | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.problem = problem


class SilentModelError(Exception):
    """The model gave no answer that could be read. `reason` is a word for logs, `again` whether to try again."""

    def __init__(self, reason: str, *, again: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
