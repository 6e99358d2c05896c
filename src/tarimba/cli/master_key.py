"""The master key's file: making it, and exchanging it for another.

The order makes every interruption harmless: the new key is on the disk before anything is wrapped under it, and
takes the old one's place only when everything is. Running the command again finishes what was interrupted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarimba.cli.options import Place, operator_errors

if TYPE_CHECKING:
    from tarimba.settings import Settings


def make(place: Place) -> Path:
    """The path of the new key file. Raises what click shows when there is one."""
    from tarimba.vault import init_key_file, key_file

    path = key_file(place.settings())
    try:
        init_key_file(path)
    except FileExistsError:
        raise click.ClickException("There is a master key already; a key is never replaced.") from None
    return path


def rotate(place: Place, new_key: Path | None) -> str:
    """Wraps everything under a new key. Returns what the operator has to know."""
    settings = place.settings()
    if settings.master_key is not None and new_key is None:
        raise click.ClickException(
            "The master key comes from TARIMBA_MASTER_KEY: give the new one in a file with --new-key."
        )
    with operator_errors():
        waiting = _waiting_key(settings, new_key)
        count = _rewrap(settings, waiting)
    if settings.master_key is not None:
        return f"Wrapped the keys of {count} spaces again: set TARIMBA_MASTER_KEY to the new key and restart."
    kept = _exchange(settings, waiting)
    return (
        f"Wrapped the keys of {count} spaces again: restart servers that run. "
        f"The old key is kept as {kept} for older backups."
    )


def _waiting_key(settings: Settings, new_key: Path | None) -> Path:
    """The file with the new key: the one given, copied beside the old one, else one made here."""
    from tarimba.vault import init_key_file, key_file

    if settings.master_key is not None:
        assert new_key is not None
        return new_key
    path = key_file(settings).with_name("master.key.new")
    if new_key is not None:
        _copy(new_key, path)
    elif not path.exists():
        init_key_file(path)
    return path


def _copy(source: Path, path: Path) -> None:
    text = source.read_text(encoding="ascii", errors="replace")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _rewrap(settings: Settings, waiting: Path) -> int:
    """Wraps again and leaves a receipt in every space. Returns how many spaces there are."""
    from tarimba.app import open_kernel
    from tarimba.identity.hosting import rotate_master
    from tarimba.vault import open_vault

    old = open_vault(settings, may_create=False)
    with open_kernel(_settings_with(settings, waiting), rotating=True) as kernel:
        return rotate_master(kernel, old)


def _settings_with(settings: Settings, key: Path) -> Settings:
    from pydantic import SecretStr

    return settings.model_copy(update={"master_key": SecretStr(key.read_text(encoding="ascii"))})


def _exchange(settings: Settings, waiting: Path) -> str:
    """Puts the new key in the old one's place. Returns the name under which the old one is kept."""
    from tarimba.vault import key_file, open_vault

    path = key_file(settings)
    kept = path.with_name(f"master.key.{open_vault(settings, may_create=False).check_value}.old")
    if not kept.exists():
        os.link(path, kept)
    waiting.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return kept.name
