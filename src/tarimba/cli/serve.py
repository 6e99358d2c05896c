"""`tarimba serve`."""

from __future__ import annotations

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
        address = f"http://{settings.host}:{settings.port}"
        served = f"Serving at {address}, the API is described at {address}/openapi.json. Ctrl-C ends it."
        serve_forever(settings, ready=lambda: click.echo(served))
