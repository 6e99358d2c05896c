"""`tarimba session`: durable sessions, for the adapters of harnesses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, operator_errors, show

Command = Callable[..., Any]


@click.group()
def session() -> None:
    """Durable sessions of a member with an agent: JSON lines that are only ever added to."""


def _of_session(command: Command) -> Command:
    """Adds the options that name a session; the command gets them as `words` and `session_id`."""
    options = (
        click.option("--subscription", required=True, help="Slug or id of the subscription."),
        click.option("--agent", required=True, help="Slug or id of the agent."),
        click.option("--member", required=True, help="Slug or id of the member."),
        click.option("--project", default="", help="Project of the member (default: the main workspace)."),
        click.option("--session", "session_id", required=True, help="The harness's own id of the session."),
    )

    def run(subscription: str, agent: str, member: str, project: str, **arguments: Any) -> Any:
        return command(words=(subscription, agent, member, project), **arguments)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__dict__.update(command.__dict__)
    wrapped: Command = run
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


@session.command()
@_of_session
@in_space
def append(place: Place, space: str | None, words: tuple[str, ...], session_id: str) -> None:
    """Append each JSON line of the standard input, as it comes, and print one line when it is on disk.

    A line has at least `role` and `content`. What was printed for survives a crash of this machine.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import session_hosting as hosting

        one = hosting.held(kernel, host, hosting.Called(*words), session_id)
        for line in sys.stdin.buffer:
            if line.strip():
                click.echo(json.dumps(hosting.append(kernel, one, [line])))
                sys.stdout.flush()


@session.command()
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The transcript, as JSON lines (default: the standard input).",
)
@_of_session
@as_json
@in_space
def fold(
    place: Place,
    space: str | None,
    path: Path | None,
    words: tuple[str, ...],
    session_id: str,
    *,
    is_json: bool,
) -> None:
    """Add what a harness's transcript has and the session has not. The same again adds nothing."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import session_hosting as hosting

        one = hosting.held(kernel, host, hosting.Called(*words), session_id)
        if path is None:
            done = hosting.fold(kernel, one, sys.stdin.buffer)
        else:
            with path.open("rb") as stream:
                done = hosting.fold(kernel, one, stream)
    refused = [f"line {number} is no message." for number in done["refused"][:20]]
    show(done, is_json=is_json, lines=[f"{done['lines']} lines added.", *refused])


@session.command("show")
@click.option(
    "--after", type=click.IntRange(min=0), default=0, help="Where to begin, as the page before told."
)
@click.option("--limit", type=click.IntRange(1, 1000), default=200, help="Messages of a page.")
@_of_session
@in_space
def show_(
    place: Place, space: str | None, words: tuple[str, ...], session_id: str, after: int, limit: int
) -> None:
    """Print a page of a session as JSON. It leaves a receipt."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import session_hosting as hosting

        one = hosting.held(kernel, host, hosting.Called(*words), session_id)
        page = hosting.show(kernel, host, one, after=after, limit=limit)
    show(page, is_json=True, lines=())
