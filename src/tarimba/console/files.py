"""My files: what the agent lays out for the member in `public/`, listed and downloaded."""

from __future__ import annotations

from typing import Any, Final

from tarimba.console.asking import following, place
from tarimba.console.page import Download, Html, Page, Shown, Visit
from tarimba.console.seats import no_seat, seated
from tarimba.errors import Refusal
from tarimba.kernel import Kernel
from tarimba.workspaces import public_files
from tarimba.workspaces.public_files import Download as Found

_PATH: Final = "/files"
_SHOWN: Final = 50
_BYTES: Final = "application/octet-stream"


def _look(kernel: Kernel, visit: Visit) -> Shown:
    seat = seated(kernel, visit, _PATH, in_projects=True)
    if seat is None:
        return no_seat("files", _PATH)
    path = visit.query.text("path")
    listed = f"files {seat.said}\0{path}"
    values: dict[str, Any] = {"seat": seat, "path": path, "steps": _steps(path), "listing": None}
    try:
        first = place(kernel, visit, listed)
        found = public_files.look(kernel, visit.principal, seat.called, path, first=first, limit=_SHOWN)
    except Refusal as refusal:
        if refusal.code not in {"conflict", "too_large"}:
            raise
        return Html("files.html", values | {"refusal": refusal, "following": ""}, refusal.status)
    if isinstance(found, Found):
        return Download(found.content, found.name, _BYTES)
    more = following(kernel, visit, listed, found.ends_at)
    return Html("files.html", values | {"listing": found, "following": more, "refusal": None})


def _steps(path: str) -> list[tuple[str, str]]:
    """The folders above, each with its path."""
    names = path.split("/") if path else []
    return [(name, "/".join(names[: at + 1])) for at, name in enumerate(names)]


PAGES: Final = (Page("GET", _PATH, _look, "own_memory"),)
