"""`tarimba workspace prompt`: what an agent is told at the beginning of a turn, for adapters that compose it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, operator_errors, show


@click.command()
@click.option("--subscription", required=True, help="Slug or id of the subscription.")
@click.option("--agent", required=True, help="Slug or id of the agent.")
@click.option("--member", required=True, help="Slug or id of the member.")
@click.option("--project", default="", help="Project of the member (default: the main workspace).")
@click.option(
    "--customer-context",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the text of the customer's context, which ends the prompt.",
)
@as_json
@in_space
def prompt(
    place: Place,
    space: str | None,
    subscription: str,
    agent: str,
    member: str,
    project: str,
    customer_context: Path | None,
    *,
    is_json: bool,
) -> None:
    """Print the system prompt of a turn, composed in the one documented order.

    With --json also the byte offsets of its parts, and those behind which a provider's cache is told to keep.
    """
    with operator_errors():
        customer = customer_context.read_text(encoding="utf-8") if customer_context else ""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.identity.seats import Called
        from tarimba.workspaces.prompting import compose_for

        found = compose_for(kernel, host, Called(subscription, agent, member, project), customer)
    show({**asdict(found.prompt), "left_out": found.left_out}, is_json=is_json, lines=[found.prompt.text])
