"""Where the notes stand in a prompt: after the agent's instructions, before the customer's context. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

# The server's own context of a customer begins so; whoever brings another marks it the same way, or gives it apart.
CUSTOMER: Final = "<customer_context>"
_BLOCK: Final = re.compile(r"\n*<agent_notes>\n.*?\n</agent_notes>\n*", re.DOTALL)
_BETWEEN: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Composed:
    """A system prompt in two pieces that joined are its text.

    `shared` ends with the notes (with the instructions, when there are none) and is the same bytes for every customer
    of the agent: a provider's cache is told to keep it up to there. `customer` is what differs.
    """

    shared: str = field(repr=False)
    customer: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        return self.shared + self.customer


def compose(instructions: str, notes: str = "", context: str = "") -> Composed:
    """Puts the text of a block between the instructions and the customer's context.

    A context that the instructions hold already, in `<customer_context>`, begins there. A block that they hold already
    makes room for this one, so that composing twice is composing once.
    """
    own, customer = _split(_BLOCK.sub(_BETWEEN, instructions))
    shared = _joined(own.strip("\n"), notes)
    theirs = _joined(customer.strip("\n"), context.strip("\n"))
    return Composed(shared, _BETWEEN + theirs if shared and theirs else theirs)


def _split(instructions: str) -> tuple[str, str]:
    at = instructions.find(CUSTOMER)
    return (instructions, "") if at < 0 else (instructions[:at], instructions[at:])


def _joined(first: str, second: str) -> str:
    return f"{first}{_BETWEEN}{second}" if first and second else first or second
