"""`tarimba member`: a member's data as a whole."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, operator_errors, show


@click.group()
def member() -> None:
    """All that a member keeps with agents: taken along, or erased."""


@member.command()
@click.argument("who", metavar="MEMBER")
@click.argument("into", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@as_json
@in_space
def export(place: Place, space: str | None, who: str, into: Path, *, is_json: bool) -> None:
    """Write what MEMBER (a slug or an id) keeps into FILE, a new zip archive that only you can read.

    Workspaces with sessions and own skills, graphs, versions of memory, and the names of own secrets.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.erasure.service import export_member

        found = export_member(kernel, host, who)
        handle = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            size = sum(stream.write(piece) for piece in found.pieces)
    told = {"file": str(into), "bytes": size, "receipt_id": found.receipt.id}
    show(told, is_json=is_json, lines=[f"{into}: {size} bytes."])


@member.command()
@click.argument("who", metavar="MEMBER")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@in_space
def erase(place: Place, space: str | None, who: str, *, yes: bool, is_json: bool) -> None:
    """Erase what MEMBER (a slug or an id) keeps with agents. The person and all receipts stay.

    Stop the member's agents first: what they write afterwards is kept again.
    """
    if not yes:
        click.confirm("This can't be undone. Erase?", abort=True, err=True)
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.erasure.service import erase_member

        done = erase_member(kernel, host, who)
    told = {"person_id": done.person_id, "complete": done.is_complete, "receipt_id": done.receipt.id}
    left = (
        "Erased." if done.is_complete else "Erased as far as can be now: a job goes on, see `tarimba jobs`."
    )
    show(told, is_json=is_json, lines=[left])
