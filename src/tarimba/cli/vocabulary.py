"""`tarimba vocabulary`: words of a space that are nobody's names."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, as_json, columns, hosted, in_space, show

_REASONS = ("system_name", "company", "common_word", "branch", "product", "role_mailbox")


@click.group()
def vocabulary() -> None:
    """Words that are nobody's names: systems, companies, products."""


@vocabulary.command("list")
@as_json
@in_space
def list_(place: Place, space: str | None, *, is_json: bool) -> None:
    """List the terms."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        found = hosting.entries(kernel, host)
    names = ("entry_id", "term", "reason", "confirmed")
    show(found, is_json=is_json, lines=columns(found, names))


@vocabulary.command()
@click.argument("term")
@click.option("--reason", type=click.Choice(_REASONS), required=True, help="What the term is.")
@click.option("--confirmed", is_flag=True, help="Vouch that a common first name is nobody's name here.")
@as_json
@in_space
def add(place: Place, space: str | None, term: str, reason: str, *, confirmed: bool, is_json: bool) -> None:
    """Add a term: names found inside it are let pass."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        made = hosting.add_term(kernel, host, term, reason, confirmed=confirmed)
    show(made, is_json=is_json, lines=[made["entry_id"]])


@vocabulary.command()
@click.argument("term")
@as_json
@in_space
def remove(place: Place, space: str | None, term: str, *, is_json: bool) -> None:
    """Remove a term; notes that it let pass are found by the next scan."""
    with hosted(place, space) as (kernel, host):
        from tarimba.personal_data import hosting

        entry_id = hosting.remove_term(kernel, host, term)
    show({"entry_id": entry_id}, is_json=is_json, lines=[f"{entry_id} is removed."])


@vocabulary.command()
@as_json
@in_space
def rescan(place: Place, space: str | None, *, is_json: bool) -> None:
    """Check every active note again now and retire those that would be refused."""
    with hosted(place, space) as (kernel, host):
        from tarimba.notes.service import rescan as scan_again

        done = scan_again(kernel, host)
    counted = {"scanned": done.scanned, "retired": done.retired}
    show(counted, is_json=is_json, lines=[f"{done.scanned} scanned, {done.retired} retired."])
