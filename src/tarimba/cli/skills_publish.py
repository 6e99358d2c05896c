"""`tarimba skills publish` and its like: what administrators give to agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, operator_errors, show
from tarimba.cli.skills import skills
from tarimba.errors import Refusal

__all__ = ["skills"]

Command = Callable[..., Any]


def _scoped(command: Command) -> Command:
    """Adds `--subscription` and `--agent`: one of the four scopes."""
    agent = click.option("--agent", default="", help="Slug or id of one agent (default: all agents).")
    subscription = click.option(
        "--subscription", default="", help="Slug or id of a subscription (default: the whole space)."
    )
    return subscription(agent(command))


@skills.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--name", default="", help="The name to publish under, where the file's own had to be changed.")
@_scoped
@as_json
@in_space
def publish(
    place: Place, space: str | None, path: Path, name: str, subscription: str, agent: str, *, is_json: bool
) -> None:
    """Publish a skill: a zip archive, its directory, or a SKILL.md alone, which keeps the other files."""
    with hosted(place, space) as (kernel, host), _problems_told(), operator_errors():
        from tarimba.skills import hosting

        made = hosting.publish(kernel, host, hosting.scope(subscription, agent), path, name)
    show(made, is_json=is_json, lines=[*_warned(made), _told(made)])


@skills.command()
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="Which one (default: that before the one in force).")
@_scoped
@as_json
@in_space
def rollback(
    place: Place,
    space: str | None,
    name: str,
    version: int | None,
    subscription: str,
    agent: str,
    *,
    is_json: bool,
) -> None:
    """Publish an old version of a skill again, as a new one."""
    with hosted(place, space) as (kernel, host):
        from tarimba.skills import hosting

        made = hosting.roll_back(kernel, host, hosting.scope(subscription, agent), name, version)
    show(made, is_json=is_json, lines=[_told(made)])


@skills.command()
@click.argument("name")
@click.option("--erase", is_flag=True, help="Delete every version too: it can't come back.")
@_scoped
@as_json
@in_space
def remove(
    place: Place, space: str | None, name: str, subscription: str, agent: str, *, erase: bool, is_json: bool
) -> None:
    """Take a skill out of force; its versions stay unless it is erased."""
    with hosted(place, space) as (kernel, host):
        from tarimba.skills import hosting

        gone = hosting.remove(kernel, host, hosting.scope(subscription, agent), name, erases=erase)
    show(gone, is_json=is_json, lines=[f"{name} is {'erased' if erase else 'removed'}."])


@skills.command("list")
@_scoped
@as_json
@in_space
def list_(place: Place, space: str | None, subscription: str, agent: str, *, is_json: bool) -> None:
    """List published skills: of one scope, or of all when none is named."""
    with hosted(place, space) as (kernel, host):
        from tarimba.skills import hosting

        asked = hosting.scope(subscription, agent) if subscription or agent else None
        found = hosting.skills(kernel, host, asked)
    names = ("name", "version", "scope", "subscription_id", "source_id", "size", "published_at")
    show(found, is_json=is_json, lines=columns(found, names))


@skills.command()
@click.argument("name", required=False)
@_scoped
@as_json
@in_space
def effective(
    place: Place, space: str | None, name: str | None, subscription: str, agent: str, *, is_json: bool
) -> None:
    """Explain which skills an agent gets; with NAME in which lines the layers of that one differ."""
    with hosted(place, space) as (kernel, host):
        from tarimba.skills import hosting

        found = hosting.effective(kernel, host, subscription, agent, name)
    rows = [
        {"name": one["name"], "layer": one["won"], "hides": [str(layer) for layer in one["hides"]]}
        for one in found["items"]
    ]
    texts = [each["text"] for one in found["items"] for each in one["differences"] if each["text"]]
    show(found, is_json=is_json, lines=[*columns(rows, ("name", "layer", "hides")), *texts])


@contextmanager
def _problems_told() -> Iterator[None]:
    """Shows what is wrong with a file before the sentence that refuses it."""
    try:
        yield
    except Refusal as refusal:
        for problem in refusal.extra.get("problems", ()):
            click.echo(_line(problem), err=True)
        if "name" in refusal.extra:
            click.echo(f"To publish it under a legal name: --name {refusal.extra['name']}", err=True)
        raise


def _warned(made: Mapping[str, Any]) -> list[str]:
    lines = [f"{one['path']}: {_line(one)}" for one in made["warnings"]]
    if made["ignored"]:
        lines.append(f"Left out: {made['ignored']}, of a system or a tool, such as .git, .env or .DS_Store.")
    return lines


def _line(problem: Mapping[str, Any]) -> str:
    return f"line {problem['line']}: {problem['message']} {problem['fix']}"


def _told(made: Mapping[str, Any]) -> str:
    if not made["is_new"]:
        return f"{made['name']} is published so already: version {made['version']}."
    return f"{made['name']} is published: version {made['version']}, {made['content_hash'][:12]}."
