"""`tarimba webhooks`: where events go; and a receiver to develop with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, show


@click.group()
def webhooks() -> None:
    """Where events go, and a receiver to develop with."""


@webhooks.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List webhooks with their last answer; never their secrets."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        found = hosting.webhooks(kernel, host)
    names = ("webhook_id", "state", "last_status", "last_problem", "url")
    show(found, is_json=is_json, lines=columns(found, names))


@webhooks.command()
@click.argument("url")
@click.option("--event", "events", multiple=True, help="A type of event; may be repeated (default: all).")
@as_json
@in_space
def add(place: Place, space: str | None, url: str, events: tuple[str, ...], *, is_json: bool) -> None:
    """Send events to URL from now on; prints the secret, which is never shown again."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        made = hosting.add(kernel, host, url, events)
    show(made, is_json=is_json, lines=_told(made))


@webhooks.command()
@click.argument("webhook_id")
@as_json
@in_space
def rotate(place: Place, space: str | None, webhook_id: str, *, is_json: bool) -> None:
    """Make a new secret and print it; the old one signs too for 24 hours."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        made = hosting.rotate(kernel, host, webhook_id)
    show(made, is_json=is_json, lines=_told(made))


@webhooks.command()
@click.argument("webhook_id")
@as_json
@in_space
def remove(place: Place, space: str | None, webhook_id: str, *, is_json: bool) -> None:
    """Remove a webhook: nothing more is sent."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        gone = hosting.remove(kernel, host, webhook_id)
    show(gone, is_json=is_json, lines=[f"{webhook_id} is removed."])


@webhooks.command()
@click.argument("webhook_id")
@click.argument("state", type=click.Choice(["on", "off"]))
@as_json
@in_space
def turn(place: Place, space: str | None, webhook_id: str, state: str, *, is_json: bool) -> None:
    """Turn a webhook off, or on again: then it gets what happens from then on."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        turned = hosting.change_state(kernel, host, webhook_id, is_on=state == "on")
    show(turned, is_json=is_json, lines=[f"{webhook_id} is {turned['state']}."])


@webhooks.command()
@click.argument("webhook_id")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@as_json
@in_space
def deliveries(place: Place, space: str | None, webhook_id: str, limit: int, *, is_json: bool) -> None:
    """List what became of events, newest first."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        found = hosting.deliveries(kernel, host, webhook_id, limit)
    names = ("event_id", "type", "state", "attempts", "last_status", "last_problem", "next_at")
    show(found, is_json=is_json, lines=columns(found, names))


@webhooks.command()
@click.argument("webhook_id")
@click.argument("event_id")
@as_json
@in_space
def redeliver(place: Place, space: str | None, webhook_id: str, event_id: str, *, is_json: bool) -> None:
    """Have an event sent again by the server."""
    with hosted(place, space) as (kernel, host):
        from tarimba.webhooks import hosting

        again = hosting.redeliver(kernel, host, webhook_id, event_id)
    show(again, is_json=is_json, lines=[f"{event_id} is {again['state']}."])


@webhooks.command()
@click.option(
    "--secret",
    required=True,
    envvar="WEBHOOK_SECRET",
    help="The secret as it was shown (or $WEBHOOK_SECRET).",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8752, show_default=True, help="Port on 127.0.0.1."
)
@click.option("--count", type=click.IntRange(1), help="End after so many genuine events.")
def listen(secret: str, port: int, count: int | None) -> None:
    """Receive events on 127.0.0.1, verify them and print their type and ids: for development."""
    from tarimba.cli.webhook_listener import serve
    from tarimba.webhooks.hosting import secret_of

    serve(secret_of(secret), port, count)


def _told(made: Mapping[str, Any]) -> list[str]:
    return [f"webhook {made['webhook_id']}", f"secret {made['secret']}"]
