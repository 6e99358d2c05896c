"""`tarimba evolve`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show


@click.command()
@click.option("--agent", help="Slug of one agent (default: all).")
@click.option("--again", is_flag=True, help="Also what was refused or is in quarantine.")
@as_json
@in_space
def evolve(place: Place, space: str | None, agent: str | None, *, again: bool, is_json: bool) -> None:
    """Have drafts of skills made from finished tasks; a worker writes them."""
    with hosted(place, space) as (kernel, host):
        from tarimba.evolution import hosting

        made = hosting.evolve(kernel, host, agent, again=again)
    count = len(made["draft_ids"])
    more = "; there are more: run it again" if made["has_more"] else ""
    show(made, is_json=is_json, lines=[f"{count} drafts are being made{more}."])
