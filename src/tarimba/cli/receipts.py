"""`tarimba receipts`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show

if TYPE_CHECKING:
    from tarimba.receipts.checkpoint import PublicKey
    from tarimba.receipts.verify import Checkpoint

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def receipts() -> None:
    """The log of receipts."""


@receipts.command()
@click.option(
    "--bundle",
    type=_FILE,
    help="Verify this bundle of receipts: nothing else is read, no server, no database.",
)
@click.option(
    "--checkpoint", type=_FILE, help="Checkpoints that were kept elsewhere, to compare the log with."
)
@click.option(
    "--key", "key", metavar="PUBLIC", help="The public key that must have signed the bundle or checkpoints."
)
@as_json
@in_space
def verify(
    place: Place,
    space: str | None,
    bundle: Path | None,
    checkpoint: Path | None,
    key: str | None,
    *,
    is_json: bool,
) -> None:
    """Read the whole log and the notes again; ends with 1 when something is wrong."""
    if bundle is not None and checkpoint is not None:
        raise click.UsageError("A bundle brings its checkpoint along: give --bundle or --checkpoint.")
    public = None if key is None else _key(key)
    report: Any = _bundle(bundle, public) if bundle is not None else _log(place, space, checkpoint, public)
    show(report.as_json(), is_json=is_json, lines=report.lines())
    if not report.ok:
        raise click.exceptions.Exit(1)


@receipts.command()
@as_json
@in_space
def checkpoint(place: Place, space: str | None, *, is_json: bool) -> None:
    """Sign the log as it is now and print the checkpoint: keep it where nobody can change it."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        made = proof.make(kernel, host.space_id)
    shown = {"origin": made.origin, "size": made.size, "root": made.root.hex(), "note": made.note}
    show(shown, is_json=is_json, lines=[made.note.rstrip()])


@receipts.command("keys")
@as_json
@in_space
def keys_(place: Place, space: str | None, *, is_json: bool) -> None:
    """Print the public keys that sign checkpoints, the one in force first."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        found = [one.as_json() for one in proof.public_keys(kernel, host)]
    show(found, is_json=is_json, lines=[str(one["public_key"]) for one in found])


def _bundle(path: Path, key: PublicKey | None) -> Any:
    from tarimba.receipts.bundle import verify_bundle

    try:
        return verify_bundle(json.loads(path.read_text(encoding="utf-8")), key)
    except (ValueError, RecursionError) as error:
        said = "The file is no JSON." if isinstance(error, json.JSONDecodeError) else str(error)
        raise click.ClickException(said) from None


def _log(place: Place, space: str | None, path: Path | None, key: PublicKey | None) -> Any:
    with hosted(place, space) as (kernel, host):
        from tarimba.proof.service import origin_of
        from tarimba.receipts.audit import verify_space

        kept = [] if path is None else _kept(path, origin_of(host.space_id), key)
        return verify_space(kernel, host.space_id, kept)


def _kept(path: Path, origin: str, key: PublicKey | None) -> Sequence[Checkpoint]:
    """The checkpoints of that log in a file. With a key only what it signed counts."""
    from tarimba.receipts.checkpoint import is_signed, read
    from tarimba.receipts.verify import Checkpoint

    found = [one for one in read(path.read_text(encoding="utf-8", errors="replace")) if one.origin == origin]
    if not found:
        raise click.ClickException("The file has no checkpoint of this space.")
    if key is not None and not all(is_signed(one, key) for one in found):
        raise click.ClickException("A checkpoint in the file is not signed by this key.")
    return [Checkpoint(one.size, one.root) for one in found]


def _key(said: str) -> PublicKey:
    from tarimba.receipts.checkpoint import PublicKey

    try:
        return PublicKey.parse(said)
    except ValueError:
        raise click.BadParameter("must be a public key as `tarimba receipts keys` prints it.") from None
