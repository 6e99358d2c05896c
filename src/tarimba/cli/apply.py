"""`tarimba apply`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarimba.cli.options import Place, as_json, opened, placed, show

if TYPE_CHECKING:
    from tarimba.workspaces.hosting import Declared


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--as", "as_email", metavar="EMAIL", help="The person who acts (default: the file's first owner)."
)
@as_json
@placed
def apply(place: Place, file: Path, as_email: str | None, *, is_json: bool) -> None:
    """Create or update a space from a TOML file; prints new keys once."""
    from tarimba.workspaces.hosting import apply_text

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise click.ClickException("The file is not UTF-8.") from None
    with opened(place, may_create=True) as kernel:
        declared = apply_text(kernel, text, as_email)
    show(declared.as_json(), is_json=is_json, lines=_lines(declared))


def _lines(declared: Declared) -> list[str]:
    applied = declared.applied
    lines = [f"space {applied.slug}  {applied.space_id}"]
    for slug, source_id in applied.agents.items():
        lines.append(f"agent {slug}  {source_id}")
        lines += [_key_line(f"  key {name}", key) for name, key in applied.agent_keys[slug].items()]
    lines += [_key_line(f"key {name}", key) for name, key in applied.keys.items()]
    lines += [f"person {slug}  {person_id}" for slug, person_id in applied.people.items()]
    lines += [f"subscription {slug}  {found}" for slug, found in applied.subscriptions.items()]
    for one in declared.workspaces:
        seat = f"{one['subscription']}/{one['agent']}/{one['member']}"
        lines.append(f"workspace {seat}  {one['workspace_id']}")
    return lines


def _key_line(label: str, key: str | None) -> str:
    return f"{label}  {key or '(there already)'}"
