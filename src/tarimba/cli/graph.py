"""`tarimba graph`: a member's memory graph as a file, out and in. The host may; the member's log tells of it."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, operator_errors, show

if TYPE_CHECKING:
    # For the types alone: a kernel costs time that `--help` must not pay.
    from tarimba.graph.hosting import Format

Command = Callable[..., Any]
_READ = 64 * 1024


@click.group()
def graph() -> None:
    """A member's memory graph as a file."""


def _seated(command: Command) -> Command:
    """Adds the options that say whose graph: `--subscription`, `--agent` and `--member`."""
    member = click.option("--member", required=True, help="Slug or id of the member.")
    agent = click.option("--agent", required=True, help="Slug or id of the agent.")
    subscription = click.option("--subscription", required=True, help="Slug or id of the subscription.")
    return subscription(agent(member(command)))


@graph.command("export")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@_seated
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "better", "json"]),
    default="better",
    show_default=True,
    help="`jsonl` is the reference server's; `better` tells times and sources too; `json` is one document.",
)
@as_json
@in_space
def export(
    place: Place,
    space: str | None,
    file: Path | None,
    subscription: str,
    agent: str,
    member: str,
    format_: Format,
    *,
    is_json: bool,
) -> None:
    """Write a member's graph to FILE, which only you can read; without one, or for `-`, to the standard output.

    `--json` is short for `--format json`.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.graph import hosting

        called = hosting.Called(subscription, agent, member)
        pieces = hosting.export_graph(kernel, host, called, "json" if is_json else format_)
        if file is None or str(file) == "-":
            _put(sys.stdout.buffer, pieces)
        else:
            with _private(file) as stream:
                _put(stream, pieces)


@graph.command("import")
@click.argument("file", type=click.File("rb"))
@_seated
@as_json
@in_space
def import_(
    place: Place,
    space: str | None,
    file: IO[bytes],
    subscription: str,
    agent: str,
    member: str,
    *,
    is_json: bool,
) -> int:
    """Take FILE (`-` is the standard input) into a member's graph, whatever its format.

    What is there already stays as it is: the same file twice changes nothing. Ends with 1 if lines are refused.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.graph import hosting

        called = hosting.Called(subscription, agent, member)
        made = hosting.import_graph(kernel, host, called, iter(lambda: file.read(_READ), b""))
    show(made, is_json=is_json, lines=list(_told(made)))
    return 1 if made["refused_count"] else 0


def _private(file: Path) -> IO[bytes]:
    """The file, new or emptied, for nobody but its owner."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    # It may have been there, open to others. What is no file, such as a pipe, is left as it is.
    if stat.S_ISREG(os.fstat(handle).st_mode):
        os.fchmod(handle, 0o600)
    return os.fdopen(handle, "wb")


def _put(stream: IO[bytes], pieces: Iterator[bytes]) -> None:
    for piece in pieces:
        stream.write(piece)
    stream.flush()


def _told(made: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{made['entities']} entities, {made['observations']} observations and {made['relations']} relations are new; "
        f"{made['known']} were there."
    )
    for one in made["refused"]:
        yield f"{one['part']} {one['number']}: {one['reason']}"
    if made["refused_count"] > len(made["refused"]):
        yield f"{made['refused_count']} were refused in all."
