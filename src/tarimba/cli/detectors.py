"""`tarimba detectors`."""

from __future__ import annotations

import click

from tarimba.cli.options import Place


@click.group()
def detectors() -> None:
    """The detectors of personal data as a server of their own."""


@detectors.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8751, show_default=True, help="Port to listen on."
)
def serve(host: str, port: int) -> None:
    """Answer POST /analyze as Presidio does; ready when GET /health answers 200."""
    from tarimba.app import serve_detectors

    serve_detectors(Place(None, None).settings(), host, port)
