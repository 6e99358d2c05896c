"""`tarimba workspace mounts` and `tarimba workspace run`: a workspace for a container, or for a command right here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from tarimba.cli.options import Command, Place, hosted, in_space, operator_errors

# Known without what it costs to import their slice: `--help` must not pay for it.
_FORMATS: Final = ("docker", "podman", "k8s", "oci", "json")


def _seated(command: Command) -> Command:
    """Adds the options that name a workspace; the command gets them as `called`."""
    options = (
        click.option("--subscription", required=True, help="Slug or id of the subscription."),
        click.option("--agent", required=True, help="Slug or id of the agent."),
        click.option("--member", required=True, help="Slug or id of the member."),
        click.option("--project", default="", help="Project of the member, whose folder is mounted too."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("mounts")
@_seated
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), default="docker", show_default=True, help="For whom."
)
@in_space
def mounts(place: Place, space: str | None, form: str, **called: str) -> None:
    """Print what an agent's container binds of a member's workspace.

    For docker and podman they are arguments, for Kubernetes `volumes` and `volumeMounts`, for an OCI runtime `mounts`.
    Print them anew before each start: what an agent has put in the way is refused here.
    """
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import launching

        made = launching.mounts(kernel, host, launching.Called(**called), form)
    if made.is_stale:
        click.echo(
            "What a container of this workspace shows is out of date: end the one that runs, provision, print this "
            "anew, and then start another.",
            err=True,
        )
    click.echo(made.text)


# What follows the command's first word is the command's, whatever options it looks like.
@click.command("run", context_settings={"allow_interspersed_args": False})
@_seated
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="Variable for the command.")
@click.option(
    "--with",
    "software",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Software that the command reads beside the system's, at the same path.",
)
@click.option("--no-network", is_flag=True, help="Give it no network but a loopback device of its own.")
@click.option("--as-root", is_flag=True, help="Let it see itself as root; it is not.")
@click.option("--unconfined", is_flag=True, help="Protect nothing: only set its variables and its folder.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@in_space
def run(place: Place, space: str | None, **given: Any) -> None:
    """Run COMMAND in a member's workspace, confined by the kernel.

    It sees that workspace and the system's software, and can change the workspace alone, but for the published skills,
    the managed documents and the persona in it. Ends with the command's exit code; with 125 where this machine can't
    confine it, and then nothing was run.
    """
    unconfined = given.pop("unconfined")
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import launching

        wish = launching.Wish(
            command=given.pop("command"),
            variables=given.pop("variables"),
            software=given.pop("software"),
            has_network=not given.pop("no_network"),
            is_root=given.pop("as_root"),
            is_confined=not unconfined,
        )
        made = launching.plan(kernel, host, launching.Called(**given), wish)
    if unconfined:
        click.echo("Running unconfined: the command can read and change whatever its user can.", err=True)
        launching.start_unconfined(made)
    launching.start(made)
