"""`tarimba backup` and `tarimba restore`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tarimba.cli.options import Place, as_json, opened, operator_errors, placed, show

if TYPE_CHECKING:
    from tarimba.backup.model import Manifest
    from tarimba.backup.service import Settled, Staged
    from tarimba.settings import Settings
    from tarimba.vault import Vault

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(invoke_without_command=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The new file.")
@as_json
@placed
@click.pass_context
def backup(context: click.Context, place: Place, out: Path | None, *, is_json: bool) -> None:
    """Write the database, workspaces and skills into one file while all runs on; or verify such a file.

    The master key is not in it. The file is written whole or not at all, and only you can read it.
    """
    if context.invoked_subcommand is not None:
        return
    if out is None:
        raise click.UsageError("Give the new file with --out.")
    with _told(), operator_errors():
        _require_present_schema(place.settings())
        with opened(place) as kernel:
            from tarimba.backup import service

            manifest = service.take(kernel, out)
    size = out.stat().st_size
    told = _shown(manifest) | {"file": str(out), "size": size}
    show(told, is_json=is_json, lines=[f"{out}: {size} bytes.", *_lines(manifest)])


@backup.command("verify")
@click.argument("path", type=_FILE, metavar="FILE")
@as_json
@placed
def verify(place: Place, path: Path, *, is_json: bool) -> None:
    """Read the whole FILE again; ends with 1 when it is damaged, altered or not finished.

    With the master key also tells whether anybody without that key wrote it.
    """
    with _told(), operator_errors():
        from tarimba.backup import service

        vault = _vault_there(place.settings())
        manifest = service.check(path, vault)
    told = _shown(manifest) | {"mac_checked": vault is not None}
    unchecked = [] if vault is not None else ["Not checked: who wrote it. That needs the master key."]
    show(told, is_json=is_json, lines=["The backup is whole.", *_lines(manifest), *unchecked])


@click.command()
@click.option("--from", "path", type=_FILE, required=True, help="The backup.")
@click.option(
    "--checkpoint", type=_FILE, help="Checkpoints that were kept elsewhere: the newest is named in the log."
)
@click.option(
    "--erasures",
    type=_FILE,
    multiple=True,
    help="What TARIMBA_ERASURE_FILE gathered: what ended after the backup ends again. May be repeated.",
)
@click.option("--replace", "replaces", is_flag=True, help="Put it in the place of what is there.")
@click.option("--despite-findings", is_flag=True, help="Restore a log that does not verify.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@placed
def restore(
    place: Place,
    path: Path,
    checkpoint: Path | None,
    erasures: tuple[Path, ...],
    *,
    replaces: bool,
    despite_findings: bool,
    yes: bool,
    is_json: bool,
) -> None:
    """Make an installation out of a backup: all of it, or nothing. Stop every server and worker first.

    With --replace, files that are there are moved aside; the rows of a PostgreSQL database are gone.
    """
    if replaces and not yes:
        click.confirm("What is here will be replaced. Restore?", abort=True, err=True)
    with _told(), operator_errors():
        settings = place.settings()
        done, aside, staged = _restored(
            settings, path, checkpoint, erasures, replaces=replaces, despite_findings=despite_findings
        )
    told = {
        "spaces": [one.as_json() for one in done],
        "moved_aside": [str(one) for one in aside],
        "owners_not_given": staged.disowned,
    }
    show(told, is_json=is_json, lines=list(_report(done, aside, staged, has_journal=bool(erasures))))


def _restored(
    settings: Settings,
    path: Path,
    checkpoint: Path | None,
    erasures: Sequence[Path],
    *,
    replaces: bool,
    despite_findings: bool,
) -> tuple[list[Settled], list[Path], Staged]:
    """What became of each space, what was moved aside, and what was unpacked."""
    from tarimba.app import open_kernel
    from tarimba.backup import service
    from tarimba.vault import open_vault

    vault = open_vault(settings, may_create=False)
    kept = [] if checkpoint is None else service.checkpoints_in(checkpoint)
    site = service.Site.of(settings)
    service.require_free(site, replaces=replaces)
    with service.staged(settings, path, vault) as staged:
        with open_kernel(_on_copy(settings, staged)) as kernel:
            done = service.settle(kernel, staged.manifest, kept, erasures, despite_findings=despite_findings)
            moment = str(kernel.clock.now_us() // 1_000_000)
        # Somebody may have come in meanwhile.
        service.require_free(site, replaces=replaces)
        return done, service.place(staged, site, moment), staged


def _on_copy(settings: Settings, staged: Staged) -> Settings:
    """The same options on the unpacked copy; the journal has no lines of what is done again."""
    from pydantic import SecretStr

    from tarimba.vault import key_text

    changed = {
        "data": staged.data,
        "db": f"sqlite:///{staged.database}",
        "master_key": SecretStr(key_text(settings)),
        "erasure_file": None,
        "checkpoint_file": None,
    }
    return settings.model_copy(update=changed)


def _require_present_schema(settings: Settings) -> None:
    """A backup that upgraded the database first would be none of what it was before."""
    from tarimba.storage import Database
    from tarimba.storage.copying import require_present_schema

    file = settings.url.removeprefix("sqlite:///")
    if file != settings.url and not Path(file).exists():
        return
    database = Database(settings.url)
    try:
        require_present_schema(database)
    finally:
        database.close()


def _vault_there(settings: Settings) -> Vault | None:
    """The vault of this host, if it has a master key."""
    from tarimba.vault import key_file, open_vault

    if settings.master_key is None and not key_file(settings).exists():
        return None
    return open_vault(settings, may_create=False)


@contextmanager
def _told() -> Iterator[None]:
    """Shows as one sentence what is wrong with a backup."""
    from tarimba.backup.service import ArchiveError, UnsoundError

    try:
        yield
    except (ArchiveError, UnsoundError) as error:
        raise click.ClickException(str(error)) from error


def _shown(manifest: Manifest) -> dict[str, Any]:
    return manifest.model_dump(mode="json", exclude={"mac"})


def _lines(manifest: Manifest) -> list[str]:
    spaces, receipts = len(manifest.spaces), sum(space.size for space in manifest.spaces)
    left = [f"Left out: {count} ({why})." for why, count in sorted(manifest.left_out.items())]
    return [
        f"Made {manifest.about.made_at}. Spaces: {spaces}, receipts: {receipts}, files: {manifest.files}.",
        f"It needs the master key whose check value is {manifest.about.key_check}.",
        *left,
    ]


def _report(
    done: Sequence[Settled], aside: Sequence[Path], staged: Staged, *, has_journal: bool
) -> Iterator[str]:
    yield f"Restored the state of {staged.manifest.about.made_at}."
    for one in done:
        yield from _of_space(one, has_journal=has_journal)
    if staged.disowned:
        yield f"{staged.disowned} files and folders keep no owner of before: only root gives files away."
    for path in aside:
        yield f"Moved aside: {path}. It may hold what was erased: delete it when you do not need it."
    yield "Everybody has to sign in again. Provision workspaces again: their tokens opened nothing from here on."


def _of_space(one: Settled, *, has_journal: bool) -> Iterator[str]:
    yield f"{one.slug}: the log goes on after {one.size} receipts."
    if one.earlier_size is not None:
        signed = "" if one.is_signed else ", signed by no key that the backup knows"
        yield (
            f"{one.slug}: receipts {one.size} to {one.earlier_size - 1} of the log before are not in this one "
            f"(kept checkpoint of size {one.earlier_size}{signed})."
        )
    if not has_journal:
        yield (
            f"{one.slug}: without --erasures whatever ended since works again: {one.keys} keys are in force, see "
            "`tarimba keys list`."
        )
    yield from _counted(one.slug, "Ended again", one.again)
    yield from _counted(one.slug, "Not ended again, see to it yourself", one.not_again)


def _counted(slug: str, what: str, counts: Mapping[str, int]) -> list[str]:
    return [f"{slug}: {what}: {count} x {name}." for name, count in sorted(counts.items())]
