"""`tarimba known-customers`: whom a space knows, as hashes. Values come from files, never from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tarimba.cli.options import Place, as_json, hosted, in_space, show

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("known-customers")
def known_customers() -> None:
    """Customers whom no note may name, kept as hashes."""


@known_customers.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """Count them: there is nothing else to show."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        counts = hosting.customer_counts(kernel, host)
    lines = [f"customers {counts['customers']}"]
    show(counts, is_json=is_json, lines=[*lines, *(f"{k} {n}" for k, n in counts["entries"].items())])


@known_customers.command("import")
@click.argument("file", type=_FILE)
@as_json
@in_space
def import_(place: Place, space: str | None, file: Path, *, is_json: bool) -> None:
    """Take in FILE: .csv with a column `name` and columns of handle types, or .jsonl as the API takes it."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        taken = hosting.import_customers(kernel, host, file.suffix, _text(file))
    lines = [f"{kind} {count} new" for kind, count in taken["added"].items()] + [f"{taken['known']} known"]
    show(taken, is_json=is_json, lines=lines + _skipped(taken))


@known_customers.command()
@click.argument("file", type=_FILE)
@as_json
@in_space
def remove(place: Place, space: str | None, file: Path, *, is_json: bool) -> None:
    """Forget the values in FILE, which has the form of an import."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        removed = hosting.remove_customers(kernel, host, file.suffix, _text(file))
    show({"removed": removed}, is_json=is_json, lines=[f"{removed} removed."])


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise click.ClickException("The file is not UTF-8.") from None


def _skipped(taken: dict[str, Any]) -> list[str]:
    # The number of a customer in the file, from 1 as people count.
    return [
        f"customer {one['index'] + 1} skipped: {one['field']} {one['detail']}" for one in taken["skipped"]
    ]
