"""`tarimba receipts follow`: the log in its order, for who copies it elsewhere."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space

if TYPE_CHECKING:
    from tarimba.identity.model import Principal
    from tarimba.kernel import Kernel
    from tarimba.receipts.stream import Pulled

_EVERY_SECONDS = 1.0


@click.command()
@click.option(
    "--after",
    type=click.IntRange(-1),
    default=-1,
    show_default=True,
    help="Place of the last receipt that you have.",
)
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File that keeps the place of the last receipt printed; what it says comes before --after.",
)
@click.option("--once", is_flag=True, help="End when there is nothing new, instead of waiting for it.")
@as_json
@in_space
def follow(
    place: Place, space: str | None, after: int, state: Path | None, *, once: bool, is_json: bool
) -> None:
    """Print every receipt in the order of the log; with --json each as it was stored, one a line."""
    start, leaf = (after, None) if state is None else _read(state, after)
    with hosted(place, space) as (kernel, host):
        for pulled in _pulls(kernel, host, start, leaf, once=once):
            for line in pulled.lines:
                click.echo(line.decode().rstrip() if is_json else _words(json.loads(line)))
            # What was printed has left this process before the file says so: a crash prints it again, and loses none.
            sys.stdout.flush()
            if state is not None:
                _keep(state, pulled)


def _pulls(kernel: Kernel, host: Principal, after: int, leaf: str | None, *, once: bool) -> Iterator[Pulled]:
    from tarimba.receipts.stream import LIMIT_MAX, pull

    while True:
        pulled = pull(kernel, host, after, LIMIT_MAX, leaf)
        if pulled.lines:
            yield pulled
        elif once:
            return
        else:
            time.sleep(_EVERY_SECONDS)
        after, leaf = pulled.last, pulled.leaf


def _words(document: dict[str, Any]) -> str:
    actor = document.get("actor")
    named = actor if isinstance(actor, dict) else {}
    who = f"{named.get('type', '-')}:{named.get('id', '-')}"
    told = (
        document.get("seq"),
        document.get("at", "-"),
        document.get("action", "-"),
        who,
        document.get("id", "-"),
    )
    return "  ".join(map(str, told))


def _read(state: Path, after: int) -> tuple[int, str | None]:
    """The place that the file keeps and the leaf that was read there; `after` where there is no file yet."""
    try:
        text = state.read_text(encoding="utf-8")
    except FileNotFoundError:
        return after, None
    try:
        seq, leaf = text.split()
        return max(-1, int(seq)), leaf
    except ValueError:
        raise click.ClickException("The file of --state holds no place of a log: give another one.") from None


def _keep(state: Path, pulled: Pulled) -> None:
    """Whole or not at all: a file that is half written would lose the place."""
    partial = state.with_name(f"{state.name}.new")
    with partial.open("w", encoding="utf-8") as file:
        file.write(f"{pulled.last} {pulled.leaf}\n")
        file.flush()
        os.fsync(file.fileno())
    partial.replace(state)
