"""`tarimba space`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, columns, opened, placed, show


@click.group()
def space() -> None:
    """Spaces of this installation."""


@space.command("list")
@as_json
@placed
def list_(place: Place, *, is_json: bool) -> None:
    """List the spaces."""
    with opened(place) as kernel:
        from tarimba.identity import hosting

        found = hosting.spaces(kernel)
    show(found, is_json=is_json, lines=columns(found, ("space_id", "slug", "name", "language")))
