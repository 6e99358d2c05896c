"""`tarimba receipts`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show
from tarimba.cli.receipts_follow import follow
from tarimba.cli.receipts_witness import witness

if TYPE_CHECKING:
    from tarimba.receipts.checkpoint import PublicKey
    from tarimba.receipts.cosignature import WitnessKey
    from tarimba.receipts.kept import Kept
    from tarimba.receipts.report import Report

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def receipts() -> None:
    """The log of receipts."""


receipts.add_command(follow)


receipts.add_command(witness)


@receipts.command()
@click.option(
    "--bundle",
    type=_FILE,
    help="Verify this bundle of receipts: nothing else is read, no server, no database.",
)
@click.option(
    "--tiles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Verify the log in this folder of tiles: nothing else is read, no server, no database.",
)
@click.option(
    "--checkpoint", type=_FILE, help="Checkpoints that were kept elsewhere, to compare the log with."
)
@click.option(
    "--key", "key", metavar="PUBLIC", help="The public key that must have signed the bundle or checkpoints."
)
@click.option(
    "--witness",
    "witnesses",
    metavar="PUBLIC",
    multiple=True,
    help="The public key of a witness that must have cosigned the bundle or a checkpoint; may be repeated.",
)
@as_json
@in_space
def verify(
    place: Place,
    space: str | None,
    bundle: Path | None,
    tiles: Path | None,
    checkpoint: Path | None,
    key: str | None,
    witnesses: tuple[str, ...],
    *,
    is_json: bool,
) -> None:
    """Read the whole log and the notes again; ends with 1 when something is wrong."""
    if bundle is not None and (checkpoint is not None or tiles is not None):
        raise click.UsageError("A bundle brings its checkpoint along: give --bundle alone.")
    if witnesses and bundle is None and checkpoint is None and tiles is None:
        raise click.UsageError("A witness cosigns checkpoints: give --bundle, --tiles or --checkpoint.")
    trusted = _trusted(key, witnesses)
    report: Any
    if bundle is not None:
        report = _bundle(bundle, trusted)
    elif tiles is not None:
        report = _tiles(tiles, checkpoint, trusted)
    else:
        report = _log(place, space, checkpoint, trusted)
    show(report.as_json(), is_json=is_json, lines=report.lines())
    if not report.ok:
        raise click.exceptions.Exit(1)


@receipts.command()
@click.option("--cosigned", is_flag=True, help="Print the newest one that a witness cosigned; sign nothing.")
@as_json
@in_space
def checkpoint(place: Place, space: str | None, *, cosigned: bool, is_json: bool) -> None:
    """Sign the log as it is now and print the checkpoint: keep it where nobody can change it."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        if cosigned:
            made = proof.newest_cosigned(kernel, host)
        else:
            made = proof.cosigned(kernel, host.space_id, proof.make(kernel, host.space_id))
    shown = {"origin": made.origin, "size": made.size, "root": made.root.hex(), "note": made.note}
    show(shown, is_json=is_json, lines=[made.note.rstrip()])


@receipts.command("tiles")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder to write to."
)
@as_json
@in_space
def tiles_(place: Place, space: str | None, out: Path, *, is_json: bool) -> None:
    """Write the log as static files (C2SP tlog-tiles): only what the folder does not have yet."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        done = proof.write_tiles(kernel, host, out)
    shown = {"size": done.checkpoint.size, "new": done.new, "files": done.files}
    says = f"{done.checkpoint.size} receipts: {done.new} of {done.files} files are new."
    show(shown, is_json=is_json, lines=[says])


@receipts.command("keys")
@as_json
@in_space
def keys_(place: Place, space: str | None, *, is_json: bool) -> None:
    """Print the public keys that sign checkpoints, the one in force first."""
    with hosted(place, space) as (kernel, host):
        from tarimba.proof import service as proof

        found = [one.as_json() for one in proof.public_keys(kernel, host)]
    show(found, is_json=is_json, lines=[str(one["public_key"]) for one in found])


@dataclass(frozen=True, slots=True)
class _Trusted:
    """The keys that the caller was told: of the log, and of the witnesses that must have seen it."""

    key: PublicKey | None
    witnesses: tuple[WitnessKey, ...]


def _trusted(key: str | None, witnesses: tuple[str, ...]) -> _Trusted:
    from tarimba.receipts.checkpoint import PublicKey
    from tarimba.receipts.cosignature import WitnessKey

    try:
        return _Trusted(
            None if key is None else PublicKey.parse(key),
            tuple(WitnessKey.parse(one) for one in witnesses),
        )
    except ValueError as error:
        says = f"{error}: give it as it is published, `<name>+<key id>+<base64>`."
        raise click.BadParameter(says[0].upper() + says[1:]) from None


def _bundle(path: Path, trusted: _Trusted) -> Any:
    from tarimba.receipts.bundle import verify_bundle

    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return verify_bundle(document, trusted.key, trusted.witnesses)
    except (ValueError, RecursionError) as error:
        said = "The file is no JSON." if isinstance(error, json.JSONDecodeError) else str(error)
        raise click.ClickException(said) from None


def _log(place: Place, space: str | None, path: Path | None, trusted: _Trusted) -> Any:
    # What is examined is not changed, and be it to a newer schema.
    with hosted(place, space, upgrading=False) as (kernel, host):
        from tarimba.proof.service import origin_of
        from tarimba.receipts.audit import verify_space

        if path is None:
            return verify_space(kernel, host.space_id)
        kept = _kept(path.read_text(encoding="utf-8", errors="replace"), origin_of(host.space_id), trusted)
        report = verify_space(kernel, host.space_id, kept.checkpoints)
    return _noted(report, kept, trusted)


def _tiles(folder: Path, path: Path | None, trusted: _Trusted) -> Any:
    from tarimba.receipts.tiles import CHECKPOINT, verify_tiles

    files = [one for one in (folder / CHECKPOINT, path) if one is not None]
    try:
        texts = [one.read_text(encoding="utf-8", errors="replace") for one in files]
    except OSError:
        raise click.ClickException("The folder has no checkpoint: it is no log of tiles.") from None
    kept = _kept("\n".join(texts), None, trusted)
    return _noted(verify_tiles(folder, kept), kept, trusted)


def _noted(report: Report, kept: Kept, trusted: _Trusted) -> Report:
    return report.told(kept.lines(), () if trusted.key is not None else ("signature",))


def _kept(text: str, origin: str | None, trusted: _Trusted) -> Kept:
    from tarimba.receipts.kept import read_kept

    try:
        return read_kept(text, origin, trusted.key, trusted.witnesses)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
