"""`tarimba worker`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, operator_errors, placed


@click.command()
@click.option("--threads", type=click.IntRange(1, 64), default=2, show_default=True, help="Jobs at one time.")
@placed
def worker(place: Place, threads: int) -> None:
    """Do the work beside the requests, without serving any: next to servers with TARIMBA_JOBS=false."""
    from tarimba.app import work as work_until_stopped

    with operator_errors():
        settings = place.settings()
        work_until_stopped(settings, threads=threads, ready=lambda: click.echo("Working. Ctrl-C ends it."))
