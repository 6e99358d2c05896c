"""What the adapters of harnesses ask of durable sessions through the host's command line: words in, JSON out.

`host` is the principal of the command line. Appending leaves no receipt: it administers nothing and reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tarimba.clock import rfc3339
from tarimba.errors import Refusal
from tarimba.identity.model import Principal
from tarimba.identity.rules import allow
from tarimba.identity.seats import Called, Seat, in_project, seat_named
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read
from tarimba.workspaces import places, sessions
from tarimba.workspaces.session_lines import Message, read_message
from tarimba.workspaces.sessions import Shelf

__all__ = ["Called", "Held", "append", "fold", "held", "show"]


@dataclass(frozen=True, slots=True)
class Held:
    """One session of a member with an agent."""

    seat: Seat
    shelf: Shelf
    key: str


def held(kernel: Kernel, host: Principal, called: Called, session_id: str) -> Held:
    """Raises 404 for no such workspace or project, and 422."""
    allow(host, "own_memory")
    with kernel.database.read() as connection:
        seat = seat_named(connection, host.space_id, called)
        places.require(connection, seat)
        seat = in_project(connection, seat, called.project)
    return Held(seat, Shelf.of(kernel.settings.data, seat), sessions.key_of(seat, session_id))


def append(kernel: Kernel, one: Held, lines: Iterable[bytes]) -> dict[str, int]:
    """Adds the messages of these lines of JSON: all of them, or none where one is no message."""
    messages = [read_message(line) for line in lines if line.strip()]
    done = sessions.append(one.shelf, one.key, messages, _now(kernel))
    return {"lines": done.lines, "size": done.size}


def fold(kernel: Kernel, one: Held, lines: Iterable[bytes]) -> dict[str, Any]:
    """Adds what a transcript has and the session has not. `refused` are the numbers of lines that are no message."""
    refused: list[int] = []
    messages: list[Message] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            messages.append(read_message(line))
        except Refusal:
            # A last line without its line break may be being written at this moment.
            refused += [number] if line.endswith(b"\n") else []
    done = sessions.fold(one.shelf, one.key, messages, _now(kernel))
    return {"lines": done.lines, "size": done.size, "refused": refused}


def show(kernel: Kernel, host: Principal, one: Held, *, after: int, limit: int) -> dict[str, Any]:
    """A page of the session; `next` is where the one after it begins, None at the end."""
    page = sessions.read(one.shelf, one.key, after, limit)
    detail = {"session": kernel.keys.of(host.space_id).commit(one.key), "lines": len(page.messages)}
    seat = one.seat
    receipt = Receipt("member_file.read", host.actor, host.via, seat.source_id, seat.objects, detail)
    record_read(kernel.writer, host.space_id, receipt)
    return {"messages": list(page.messages), "next": page.ends_at, "damaged": page.damaged}


def _now(kernel: Kernel) -> str:
    return rfc3339(kernel.clock.now_us())
