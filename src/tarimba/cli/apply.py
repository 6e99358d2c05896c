"""`tarimba apply`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarimba.cli.options import Place, as_json, opened, placed, show

if TYPE_CHECKING:
    from tarimba.identity.hosting import Applied


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--as", "as_email", metavar="EMAIL", help="The person who acts (default: the file's first owner)."
)
@as_json
@placed
def apply(place: Place, file: Path, as_email: str | None, *, is_json: bool) -> None:
    """Create or update a space from a TOML file; prints new keys once."""
    from tarimba.personal_data.hosting import apply_text

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise click.ClickException("The file is not UTF-8.") from None
    with opened(place, may_create=True) as kernel:
        applied = apply_text(kernel, text, as_email)
    show(applied.as_json(), is_json=is_json, lines=_lines(applied))


def _lines(applied: Applied) -> list[str]:
    lines = [f"space {applied.slug}  {applied.space_id}"]
    for slug, source_id in applied.agents.items():
        lines.append(f"agent {slug}  {source_id}")
        lines += [_key_line(f"  key {name}", key) for name, key in applied.agent_keys[slug].items()]
    lines += [_key_line(f"key {name}", key) for name, key in applied.keys.items()]
    lines += [f"person {slug}  {person_id}" for slug, person_id in applied.people.items()]
    lines += [f"subscription {slug}  {found}" for slug, found in applied.subscriptions.items()]
    return lines


def _key_line(label: str, key: str | None) -> str:
    return f"{label}  {key or '(there already)'}"
