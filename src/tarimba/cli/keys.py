"""`tarimba keys`: the keys of agents and of the space, and the master key of the installation."""

from __future__ import annotations

from pathlib import Path

import click

from tarimba.cli import master_key
from tarimba.cli.options import Place, as_json, columns, hosted, in_space, placed, show


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
        from tarimba.identity import hosting

        found = hosting.keys(kernel, host, agent)
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
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        made = hosting.mint_key(kernel, host, agent, name, scopes, expires_at)
    show(made, is_json=is_json, lines=[str(made["key"])])


@keys.command()
@click.argument("key_id")
@as_json
@in_space
def revoke(place: Place, space: str | None, key_id: str, *, is_json: bool) -> None:
    """Revoke a key; a running server refuses it from then on."""
    with hosted(place, space) as (kernel, host):
        from tarimba.identity import hosting

        revoked = hosting.revoke_key(kernel, host, key_id)
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


@keys.command("rotate-signing")
@as_json
@in_space
def rotate_signing(place: Place, space: str | None, *, is_json: bool) -> None:
    """Sign checkpoints with a new key; the old public key stays published."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        made = proof.rotate(kernel, host).as_json()
    show(made, is_json=is_json, lines=[str(made["public_key"])])
