"""Checking a text before anybody keeps it: the gate and the detectors as a write has them, and nothing stored."""

from __future__ import annotations

from dataclasses import dataclass

from tarimba.errors import Refusal
from tarimba.identity import settings as space_settings
from tarimba.identity.model import Principal
from tarimba.identity.rules import may
from tarimba.kernel import Kernel
from tarimba.notes.model import Draft
from tarimba.notes.preparing import prepare


@dataclass(frozen=True, slots=True)
class Checked:
    """What a write of the text would say: the tokens of its line, or why it would be refused."""

    tokens: int = 0
    refusal: Refusal | None = None


def check(kernel: Kernel, principal: Principal, draft: Draft, origin: str = "human") -> Checked:
    """For people who write notes or decide about them. Raises 403, and 503 when the detectors don't answer."""
    if not (may(principal, "write_notes") or may(principal, "decide")):
        raise Refusal("scope_missing", "Only who writes notes may have them checked.")
    with kernel.database.read() as connection:
        settings = space_settings.load(connection, principal.space_id)
    try:
        ready = prepare(kernel, draft, settings, principal.space_id, origin)
    except Refusal as refusal:
        if refusal.status >= 500:
            raise
        return Checked(refusal=refusal)
    return Checked(ready.line_tokens)
