"""What pages of administration ask in one way: a page of a list, a request that may come twice, who is told no."""

from __future__ import annotations

from typing import Final

from tarimba.console.page import Visit
from tarimba.errors import Refusal
from tarimba.identity.listing import Window
from tarimba.ids import digest, new_token_id
from tarimba.kernel import Kernel
from tarimba.pages import read_cursor, write_cursor
from tarimba.storage.once import OnceKey

SHOWN: Final = 30
# What is offered in one choice of a form; a list with more has pages of its own.
OFFERED: Final = Window(200)
_ONCE: Final = "once"
_NOT_OF_THE_FORM: Final = frozenset({"scope_missing", "person_required", "not_found", "unauthenticated"})


def window(kernel: Kernel, visit: Visit, name: str, limit: int = SHOWN) -> Window:
    """The part of the list `name` that the address asks for. Raises 422."""
    return Window(limit, place(kernel, visit, name))


def place(kernel: Kernel, visit: Visit, name: str) -> int:
    """Where the address says that a page of the list `name` begins; 0 for the first one. Raises 422."""
    said = visit.query.line("cursor")
    return read_cursor(kernel.keys.of(visit.principal.space_id), _scope(visit, name), said) if said else 0


def following(kernel: Kernel, visit: Visit, name: str, ends_at: int | None) -> str:
    """The cursor of the next page; empty when there is none."""
    if ends_at is None:
        return ""
    return write_cursor(kernel.keys.of(visit.principal.space_id), _scope(visit, name), ends_at)


def new_once() -> str:
    """What goes into a form (as `once`) that may make its thing only once, however often it is sent."""
    return new_token_id()


def once_of(kernel: Kernel, visit: Visit, route: str) -> OnceKey | None:
    """Which request a form with `once` is: the same form sent again is the same one, a changed one is another."""
    said = visit.form.line(_ONCE)
    if not said:
        return None
    values = sorted(
        (name, list(all_of)) for name, all_of in visit.form.values.items() if name != "form_token"
    )
    key = kernel.keys.of(visit.principal.space_id)
    return OnceKey.of(key, visit.principal.id, f"console {route}", digest(f"{said}\0{values!r}"), b"")


def is_for_the_form(refusal: Refusal) -> bool:
    """Whether a refusal is shown on the form that was sent, with what it held; any other has a page of its own."""
    return refusal.status < 500 and refusal.code not in _NOT_OF_THE_FORM


def _scope(visit: Visit, name: str) -> str:
    return f"console {name}\0{visit.principal.id}"
