"""`tarimba jobs`: what is asked for and not done yet."""

from __future__ import annotations

from typing import Any

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, show

_AT_ONCE = 100


@click.group()
def jobs() -> None:
    """Work that a worker does beside the requests: erasing, scanning, distilling."""


@jobs.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List the jobs of the space, the oldest first; one that is done is gone."""
    found: list[dict[str, Any]] = []
    with hosted(place, space) as (kernel, host):
        from tarimba.identity.listing import Window
        from tarimba.jobs.service import list_jobs

        window: Window | None = Window(_AT_ONCE)
        while window is not None:
            page = list_jobs(kernel, host, window)
            found += [entry.as_json() for entry in page.items]
            window = None if page.ends_at is None else Window(_AT_ONCE, page.ends_at)
    names = ("job_id", "kind", "state", "attempts", "problem", "next_at", "progress")
    shown = [job | {"progress": " ".join(f"{k}={n}" for k, n in job["progress"].items())} for job in found]
    show(found, is_json=is_json, lines=columns(shown, names))
