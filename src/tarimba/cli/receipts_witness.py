"""`tarimba receipts witness`: who outside cosigns the checkpoints of a space."""

from __future__ import annotations

from pathlib import Path

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, show


@click.group()
def witness() -> None:
    """Witnesses outside, who cosign checkpoints of the log."""


@witness.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List the witnesses, each with the largest checkpoint that it cosigned."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        found = [one.as_json() for one in proof.witnesses(kernel, host)]
    show(found, is_json=is_json, lines=columns(found, ("key_id", "size", "seen_at", "public_key")))


@witness.command()
@click.argument("key")
@as_json
@in_space
def add(place: Place, space: str | None, key: str, *, is_json: bool) -> None:
    """Take the cosignatures of the witness with this public key, `<name>+<key id>+<base64>`."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        key_id = proof.add_witness(kernel, host, key).ids["key_id"]
    show({"key_id": key_id}, is_json=is_json, lines=[f"Witness {key_id} is added."])


@witness.command()
@click.argument("key_id")
@as_json
@in_space
def remove(place: Place, space: str | None, key_id: str, *, is_json: bool) -> None:
    """Take no more cosignatures of a witness; those that it gave stay."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        proof.remove_witness(kernel, host, key_id)
    show({"key_id": key_id}, is_json=is_json, lines=[f"Witness {key_id} is removed."])


@witness.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
@in_space
def take(place: Place, space: str | None, file: Path, *, is_json: bool) -> None:
    """Keep what witnesses say of the checkpoint in a file, as they gave it back."""
    note = file.read_text(encoding="utf-8", errors="replace")
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        size, said = proof.take(kernel, host, note)
    shown = {"size": size, "key_ids": [one.key.key_id for one in said]}
    lines = [f"The witness with key {one.key.key_id} saw size {size} at {one.moment}." for one in said]
    show(shown, is_json=is_json, lines=lines)
