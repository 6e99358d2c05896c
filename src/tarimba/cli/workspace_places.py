"""`tarimba workspace create|list|show|provision|project|persona`: which workspaces there are, and what they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, operator_errors, show

if TYPE_CHECKING:
    # For the types alone: what stands behind them costs time that `--help` must not pay.
    from collections.abc import Mapping

Command = Callable[..., Any]
_LISTED = ("subscription", "agent", "member", "harness", "provisioned_at", "restart_required")


def of_seat(command: Command) -> Command:
    """Adds the options that name a seat; the command gets them as `words`."""
    options = (
        click.option("--subscription", required=True, help="Slug or id of the subscription."),
        click.option("--agent", required=True, help="Slug or id of the agent."),
        click.option("--member", required=True, help="Slug or id of the member."),
    )

    def run(subscription: str, agent: str, member: str, **arguments: Any) -> Any:
        return command(words=(subscription, agent, member), **arguments)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__dict__.update(command.__dict__)
    wrapped: Command = run
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped


@click.command()
@of_seat
@as_json
@in_space
def create(place: Place, space: str | None, words: tuple[str, str, str], *, is_json: bool) -> None:
    """Make and provision the workspace of a member with an agent."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import hosting

        made = hosting.create(kernel, host, hosting.Called(*words))
    show(made, is_json=is_json, lines=_changed(made))


@click.command()
@of_seat
@as_json
@in_space
def provision(place: Place, space: str | None, words: tuple[str, str, str], *, is_json: bool) -> None:
    """Bring a workspace on this host to what it should be; do it before its container is started."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import hosting

        made = hosting.provision(kernel, host, hosting.Called(*words))
    show(made, is_json=is_json, lines=_changed(made))


@click.command("list")
@click.option("--subscription", default="", help="Slug or id: only those of this subscription.")
@click.option("--agent", default="", help="Slug or id: only those of this agent.")
@click.option("--member", default="", help="Slug or id: only those of this member.")
@as_json
@in_space
def list_(
    place: Place, space: str | None, subscription: str, agent: str, member: str, *, is_json: bool
) -> None:
    """List workspaces, and which of them need a restart of their container."""
    with hosted(place, space) as (kernel, host):
        from tarimba.workspaces import hosting

        found = hosting.workspaces(kernel, host, hosting.Called(subscription, agent, member))
    show(found, is_json=is_json, lines=columns(found, _LISTED))


@click.command("show")
@of_seat
@as_json
@in_space
def show_(place: Place, space: str | None, words: tuple[str, str, str], *, is_json: bool) -> None:
    """Show what a workspace has: projects, mounts, whether files of memory are there."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import hosting

        found = hosting.read(kernel, host, hosting.Called(*words))
    lines = [line for name, value in found.items() for line in _told(name, value)]
    show(found, is_json=is_json, lines=lines)


@click.command("project")
@of_seat
@click.argument("project")
@click.option("--name", default="", help="Its name for people (default: the id).")
@as_json
@in_space
def project(
    place: Place, space: str | None, words: tuple[str, str, str], project: str, name: str, *, is_json: bool
) -> None:
    """Make a project, with a workspace of its own beside the main one."""
    with hosted(place, space) as (kernel, host), operator_errors():
        from tarimba.workspaces import hosting

        made = hosting.add_project(kernel, host, hosting.Called(*words), project, name)
    lines = [f"project {made['project']}  {made['workspace_id']}", *_blocked(made)]
    show(made, is_json=is_json, lines=lines)


@click.command("persona")
@click.option("--agent", required=True, help="Slug or id of the agent.")
@click.option(
    "--agent-md", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="File to be AGENT.md."
)
@click.option(
    "--soul-md", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="File to be SOUL.md."
)
@as_json
@in_space
def persona(
    place: Place,
    space: str | None,
    agent: str,
    agent_md: Path | None,
    soul_md: Path | None,
    *,
    is_json: bool,
) -> None:
    """Show an agent's persona, or write the documents that are given; an empty file takes one away."""
    texts = _texts({"AGENT.md": agent_md, "SOUL.md": soul_md})
    with hosted(place, space) as (kernel, host):
        from tarimba.workspaces import hosting

        if texts:
            found = hosting.write_persona(kernel, host, agent, texts)
        else:
            found = hosting.read_persona(kernel, host, agent)
    lines = [f"{name}  {one['size']}  {one['hash']}" for name, one in found["documents"].items()]
    show(found, is_json=is_json, lines=lines)


COMMANDS = (create, list_, show_, provision, project, persona)


def _texts(files: Mapping[str, Path | None]) -> dict[str, str]:
    try:
        return {name: path.read_text(encoding="utf-8") for name, path in files.items() if path is not None}
    except UnicodeDecodeError:
        raise click.ClickException("The file is not UTF-8.") from None


def _changed(made: Mapping[str, Any]) -> list[str]:
    lines = [f"workspace {made['workspace_id']}"]
    if made["restart"]:
        lines.append("Restart its container: it shows older documents or an older configuration.")
    return lines + _blocked(made)


def _blocked(made: Mapping[str, Any]) -> list[str]:
    return [
        f"Something else stands in the workspace at {path}; it was left there." for path in made["blocked"]
    ]


def _told(name: str, value: Any) -> list[str]:
    """A member of an answer: rows under its name where it has rows, else in one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        heads = list(value[0])
        return [f"{name} ({', '.join(heads)}):", *(f"  {line}" for line in columns(value, heads))]
    return [f"{name}: {_plain(value)}"]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "-"
    if isinstance(value, dict):
        return " ".join(f"{key}={_plain(one)}" for key, one in value.items())
    return "-" if value is None else str(value)
