"""`tarimba serve`."""

from __future__ import annotations

from functools import partial

import click

from tarimba.cli.options import Place, operator_errors, placed


@click.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port to listen on (default: 8750).")
@placed
def serve(place: Place, host: str | None, port: int | None) -> None:
    """Serve the API, ready when GET /healthz answers 200."""
    from tarimba.app import serve as serve_forever

    with operator_errors():
        settings = place.settings(host=host, port=port)
        serve_forever(settings, ready=partial(_tell, f"http://{settings.host}:{settings.port}"))


def _tell(address: str, first: str | None) -> None:
    """Says where the server is and, where there is no space yet, how its first owner comes in."""
    click.echo(f"Serving at {address}, the API is described at {address}/openapi.json. Ctrl-C ends it.")
    click.echo(f"The Console is at {address}/console.")
    if first is not None:
        click.echo(
            "There is no space yet. Who opens this link within a day founds the first one and owns it:"
        )
        click.echo(first)
