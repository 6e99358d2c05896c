"""`tarimba keys`: the keys of agents and of the space, and the master key of the installation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli import master_key
from tarimba.cli.options import Place, as_json, columns, everything, hosted, in_space, placed, show

if TYPE_CHECKING:
    from tarimba.identity.listing import Page, Window
    from tarimba.identity.model import Principal
    from tarimba.kernel import Kernel


@click.group()
def keys() -> None:
    """Keys of agents and of the space; the master key."""


@keys.command("list")
@click.option("--agent", metavar="SLUG", help="Only the keys of this agent.")
@as_json
@in_space
def list_(place: Place, space: str | None, agent: str | None, *, is_json: bool) -> None:
    """List keys, revoked ones too; never their secrets."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import fleet, views

        source_id = fleet.find_agent(kernel, host, agent).source_id if agent else None

        def read(kernel: Kernel, host: Principal, window: Window) -> Page[Any]:
            return fleet.list_keys(kernel, host, window, source_id)

        found: list[Any] = [views.key_view(key) for key in everything(kernel, host, read)]
    names = ("key_id", "name", "source_id", "scopes", "revoked_at")
    show(found, is_json=is_json, lines=columns(found, names))


@keys.command()
@click.option("--agent", metavar="SLUG", help="The agent that the key is for; without it, of the space.")
@click.option("--name", required=True, help="What the key is for.")
@click.option("--scope", "scopes", multiple=True, required=True, help="A scope; may be repeated.")
@click.option("--expires-at", metavar="MOMENT", help="RFC 3339 moment from which it opens nothing.")
@as_json
@in_space
def mint(
    place: Place,
    space: str | None,
    agent: str | None,
    name: str,
    scopes: tuple[str, ...],
    expires_at: str | None,
    *,
    is_json: bool,
) -> None:
    """Make a key and print it: it is never shown again."""
    from tarimba.identity import fleet, views
    from tarimba.identity.drafts import NewKey

    make = NewKey.of_agent if agent else NewKey.of_space
    new = make(name, scopes, expires_at)
    with hosted(place, space) as (kernel, host):
        source_id = fleet.find_agent(kernel, host, agent).source_id if agent else None
        minted = fleet.create_key(kernel, host, new, source_id)
        made = views.key_view(fleet.read_key(kernel, host, minted.done.ids["key_id"]))
    show(made | {"key": minted.secret}, is_json=is_json, lines=[str(minted.secret)])


@keys.command()
@click.argument("key_id")
@as_json
@in_space
def revoke(place: Place, space: str | None, key_id: str, *, is_json: bool) -> None:
    """Revoke a key; a running server refuses it from then on."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import fleet, views

        fleet.revoke_key(kernel, host, key_id)
        revoked = views.key_view(fleet.read_key(kernel, host, key_id))
    show(revoked, is_json=is_json, lines=[f"Key {revoked['key_id']} is revoked."])


@keys.command()
@placed
def init(place: Place) -> None:
    """Make the master key file, 0600; never replaces one."""
    click.echo(f"Made {master_key.make(place)}: keep a copy apart from the database and its backups.")


@keys.command("rotate-master")
@click.option(
    "--new-key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the base64 of the new 32 bytes (default: made here).",
)
@placed
def rotate_master(place: Place, new_key: Path | None) -> None:
    """Wrap every stored secret under a new master key."""
    click.echo(master_key.rotate(place, new_key))
