"""`tarimba secret`: credentials for agents. A value is read from a file or the standard input, and shown nowhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, operator_errors, show

Command = Callable[..., Any]
# One byte more than the largest value and a line break: then it is too large, and is told so.
_READ_MAX = 64 * 1024 + 2


@click.group()
def secret() -> None:
    """Credentials for agents: only their names are ever shown."""


def _for_whom(command: Command) -> Command:
    """Adds `--subscription`, `--agent` and `--member`."""
    subscription = click.option("--subscription", default="", help="Slug or id (default: all subscriptions).")
    agent = click.option("--agent", default="", help="Slug or id (default: all agents).")
    member = click.option("--member", default="", help="Slug or id: a secret of this member's own.")
    return subscription(agent(member(command)))


@secret.command("set")
@click.argument("name")
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the value (default: the standard input).",
)
@_for_whom
@as_json
@in_space
def set_(
    place: Place,
    space: str | None,
    name: str,
    path: Path | None,
    subscription: str,
    agent: str,
    member: str,
    *,
    is_json: bool,
) -> None:
    """Give agents a secret under NAME. A line break at the end of what is read is not part of it."""
    with operator_errors():
        value = _value(path)
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import secret_hosting as hosting

        made = hosting.give(kernel, host, hosting.Called(subscription, agent, member), name, value)
    show(made, is_json=is_json, lines=[f"{made['name']} is set."])


@secret.command("list")
@_for_whom
@as_json
@in_space
def list_(
    place: Place, space: str | None, subscription: str, agent: str, member: str, *, is_json: bool
) -> None:
    """List names: of what is given at a scope, or with --member of all that this member's agent gets."""
    with hosted(place, space) as (kernel, host):
        from tarimba.workspaces import secret_hosting as hosting

        found = hosting.names(kernel, host, hosting.Called(subscription, agent, member))
    shown = (
        ("name", "origin", "changed_at") if member else ("name", "subscription_id", "source_id", "changed_at")
    )
    show(found, is_json=is_json, lines=columns(found, shown))


@secret.command()
@click.argument("name")
@_for_whom
@as_json
@in_space
def remove(
    place: Place,
    space: str | None,
    name: str,
    subscription: str,
    agent: str,
    member: str,
    *,
    is_json: bool,
) -> None:
    """Take the secret under NAME away again."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import secret_hosting as hosting

        gone = hosting.take(kernel, host, hosting.Called(subscription, agent, member), name)
    show(gone, is_json=is_json, lines=[f"{gone['name']} is removed."])


def _value(path: Path | None) -> str:
    if path is None:
        data = sys.stdin.buffer.read(_READ_MAX)
    else:
        with path.open("rb") as stream:
            data = stream.read(_READ_MAX)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise click.ClickException(
            "The value is not text in UTF-8: encode it, in Base64 for instance."
        ) from None
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
