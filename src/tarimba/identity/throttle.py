"""Failed attempts to come in, counted by address and by where they come from; who fails often waits longer each time.

What is counted are MACs: a dump names nobody who tried.
"""

from __future__ import annotations

from typing import Final

from tarimba.clock import HOUR, SECOND
from tarimba.errors import Refusal
from tarimba.identity import session_store as store
from tarimba.kernel import Kernel

# One place trying one person, one place trying anybody, and anybody trying one person.
_FREE: Final = {"pair": 5, "place": 20, "person": 50}
_WAIT_MAX: Final = 15 * 60
_FORGOTTEN: Final = HOUR


class Attempt:
    """One attempt by somebody at a place (`client`, an address of the network) to be the person of an e-mail."""

    def __init__(self, kernel: Kernel, email: str, client: str) -> None:
        self._kernel = kernel
        said = email.strip().lower()
        values = {"pair": f"{said}\0{client}", "place": client, "person": said}
        self._names = {kernel.vault.mac(f"sign-in {kind}", value): kind for kind, value in values.items()}

    def begin(self) -> None:
        """Counts as a failure until it succeeded: of those made at once, no more are judged than of those in turn.

        Raises 429 with the seconds to wait; that one is not counted.
        """
        now = self._kernel.clock.now_us()
        with self._kernel.database.write() as connection:
            known = store.locked_failures(connection, self._names, now, now - _FORGOTTEN)
            wait = max(
                _wait(count - _FREE[self._names[name]]) * SECOND - (now - last)
                for name, (count, last) in known.items()
            )
            if wait > 0:
                seconds = -(-wait // SECOND)
                raise Refusal(
                    "rate_limited", "Too many attempts failed. Wait and try again.", retry_after=seconds
                )
            store.count_failure(connection, self._names, now)

    def succeeded(self) -> None:
        """Takes this one back; what the person and the place did with others stays counted."""
        mine = [name for name, kind in self._names.items() if kind == "pair"]
        with self._kernel.database.write() as connection:
            store.give_back(connection, [name for name in self._names if name not in mine])
            store.forget_failures(connection, mine)


def _wait(above: int) -> int:
    """Seconds after so many failures above what is free: 2, 4, 8 ... a quarter of an hour."""
    return 0 if above < 0 else min(2 ** min(above + 1, 10), _WAIT_MAX)
