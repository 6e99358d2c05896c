"""`tarimba receipts`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show


@click.group()
def receipts() -> None:
    """The log of receipts."""


@receipts.command()
@as_json
@in_space
def verify(place: Place, space: str | None, *, is_json: bool) -> None:
    """Read the whole log and the notes again; ends with 1 when something is wrong."""
    with hosted(place, space) as (kernel, host):
        from tarimba.receipts.audit import verify_space

        report = verify_space(kernel, host.space_id)
    show(report.as_json(), is_json=is_json, lines=report.lines())
    if not report.ok:
        raise click.exceptions.Exit(1)
