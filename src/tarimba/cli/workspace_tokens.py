"""`tarimba workspace token` and `revoke-tokens`: what a member's workspace reaches the memory graph with."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show


@click.command()
@click.option("--subscription", required=True, help="Slug or id of the subscription.")
@click.option("--agent", required=True, help="Slug or id of the agent.")
@click.option("--member", required=True, help="Slug or id of the member.")
@as_json
@in_space
def token(
    place: Place, space: str | None, subscription: str, agent: str, member: str, *, is_json: bool
) -> None:
    """Print the token of a member's workspace for the memory graph.

    The same one each time, until the member's tokens are revoked or TARIMBA_MCP_TOKEN_SECRET is changed.
    """
    with hosted(place, space) as (kernel, host):
        from tarimba.graph import service
        from tarimba.identity.seats import Called

        shown = service.show_token(kernel, host, Called(subscription, agent, member))
    seat = shown.seat
    ids = {"subscription_id": seat.subscription_id, "source_id": seat.source_id, "person_id": seat.person_id}
    show(ids | {"token": shown.token}, is_json=is_json, lines=[shown.token])


@click.command("revoke-tokens")
@click.option("--subscription", required=True, help="Slug or id of the subscription.")
@click.option("--member", required=True, help="Slug or id of the member.")
@as_json
@in_space
def revoke_tokens(place: Place, space: str | None, subscription: str, member: str, *, is_json: bool) -> None:
    """End every token of a member's workspaces in a subscription."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        ended = hosting.end_workspace_tokens(kernel, host, subscription, member)
    show(ended, is_json=is_json, lines=["The tokens of this member's workspaces open nothing any more."])
