"""`tarimba db`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place, operator_errors, placed


@click.group()
def db() -> None:
    """The database."""


@db.command()
@placed
def upgrade(place: Place) -> None:
    """Bring the database to the schema of this version."""
    with operator_errors():
        from tarimba.storage import Database, migrate

        settings = place.settings()
        settings.data.mkdir(parents=True, exist_ok=True)
        database = Database(settings.url)
        try:
            migrate.upgrade(database)
            revision = migrate.state(database).revision
        finally:
            database.close()
    click.echo(f"The database is at revision {revision}.")
