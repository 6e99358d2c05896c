"""`tarimba workspace`: what an agent's host has on its disk."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, operator_errors, show
from tarimba.cli.workspace_places import COMMANDS
from tarimba.cli.workspace_prompt import prompt
from tarimba.cli.workspace_run import mounts, run
from tarimba.cli.workspace_tokens import revoke_tokens, token

if TYPE_CHECKING:
    # For the types alone: a client costs time that `--help` must not pay.
    from tarimba.skills.syncing import Origin


@click.group()
def workspace() -> None:
    """What an agent's host has on its disk."""


for _command in COMMANDS:
    workspace.add_command(_command)
workspace.add_command(mounts)
workspace.add_command(run)
workspace.add_command(token)
workspace.add_command(prompt)
workspace.add_command(revoke_tokens)


@workspace.command("flatten")
@click.option("--subscription", required=True, help="Slug or id of the subscription.")
@click.option("--agent", required=True, help="Slug or id of the agent.")
@as_json
@in_space
def flatten(place: Place, space: str | None, subscription: str, agent: str, *, is_json: bool) -> None:
    """Write an agent's published skills into the data folder, and print the directory to bind.

    From then on the server keeps it as what is published.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.skills import disk_hosting

        made = disk_hosting.flatten(kernel, host, subscription, agent)
    show(made, is_json=is_json, lines=[made["path"]])


@workspace.command("sync")
@click.option("--server", required=True, help="URL of the server.")
@click.option("--key", help="Key of the agent, or of the space.")
@click.option(
    "--key-file", type=click.Path(exists=True, path_type=Path), help="File that holds the key instead."
)
@click.option(
    "--into", required=True, type=click.Path(path_type=Path), help="Directory that holds the skills, alone."
)
@click.option("--subscription", default="", help="Slug or id of the subscription.")
@click.option("--agent", default="", help="Slug or id of the agent, where the key is not its own.")
@click.option(
    "--watch", type=click.IntRange(min=1), metavar="SECONDS", help="Go on, looking again after so long."
)
def sync(
    server: str,
    key: str | None,
    key_file: Path | None,
    into: Path,
    subscription: str,
    agent: str,
    watch: int | None,
) -> int:
    """Keep an agent's published skills in a directory of a host that has no database.

    Each skill is exchanged whole, so a running harness may have the directory bound.
    """
    from tarimba.skills.syncing import Origin

    origin = Origin(server, _key_of(key, key_file), subscription, agent)
    told = ""
    while True:
        line, is_done = _once(origin, into)
        if line != told:
            click.echo(line, err=not is_done)
        told = line
        if watch is None:
            return 0 if is_done else 1
        threading.Event().wait(watch)


def _once(origin: Origin, into: Path) -> tuple[str, bool]:
    """What came of one look, as a sentence, and whether it went well."""
    from tarimba.clock import SECOND, Clock
    from tarimba.skills.syncing import SyncError, connected
    from tarimba.skills.syncing import sync as pull

    try:
        with connected(origin) as client:
            done = pull(client, origin, into, Clock().now_us() // SECOND)
    except SyncError as error:
        return str(error), False
    except OSError as error:
        return f"{error.strerror or type(error).__name__}: {into}", False
    return f"{done.copied + done.kept} skills: {done.copied} copied, {done.removed} removed.", True


def _key_of(key: str | None, key_file: Path | None) -> str:
    if (key is None) == (key_file is None):
        raise click.UsageError("Give --key or --key-file.")
    return key if key is not None else str(key_file and key_file.read_text(encoding="utf-8")).strip()
