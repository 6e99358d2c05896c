"""`tarimba demo --serve`: a company with three weeks behind it, and who may look at it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tarimba.cli.demo_past import Past, live
from tarimba.cli.demo_served import receiver
from tarimba.cli.demo_stage import Stage

_SHOWN = (("rita", "owner"), ("bento", "reviewer"), ("lia", "member"))


class _Tour(Stage):
    """An installation of a company that has lived for a while."""

    def __init__(self, folder: Path, receiver: str) -> None:
        secret = secrets.token_urlsafe(32)
        super().__init__(folder, {"TARIMBA_MCP_TOKEN_SECRET": secret, "TARIMBA_WEBHOOK_HOSTS": "127.0.0.1"})
        self._receiver = receiver
        self.past = Past({}, {})

    def prepare(self) -> None:
        settings: dict[str, Any] = {
            "data": self.data,
            "port": int(self.base_url.rpartition(":")[2]),
            "log_level": "error",
            "mcp_token_secret": self.options["TARIMBA_MCP_TOKEN_SECRET"],
            "webhook_hosts": self.options["TARIMBA_WEBHOOK_HOSTS"],
        }
        with _without_options():
            self.past = live(settings, self._receiver)
        self.keys = dict(self.past.bearers)
        self.token = self.past.bearers["rita"]


def tour(folder: Path, *, is_kept: bool) -> None:
    """Serves until somebody interrupts."""
    click.echo("A company lives through three weeks. This takes a few seconds.")
    if is_kept:
        click.echo(f"The data is kept in {folder / 'data'}.")
    with receiver() as address, _Tour(folder, address) as stage:
        for line in _told(stage):
            click.echo(line)
        stage.wait()
        raise click.ClickException("The server ended by itself: its log is beside the data.")


def _told(stage: _Tour) -> Iterator[str]:
    key = stage.keys["cobranca"]
    yield click.style("\nThe server goes on, with this data, until you press Ctrl-C", bold=True)
    yield "Each link lets one person in, once; who comes in sets a password for the next time.\n"
    for slug, role in _SHOWN:
        yield f"   {role:<9}{stage.past.links[slug]}"
    yield ""
    yield f"   address  {stage.base_url}/console"
    yield f"   key      {key}  (agent cobranca)"
    yield f"   token    {stage.token}  (Rita, owner)"
    yield f"   curl -H 'Authorization: Bearer {key}' {stage.base_url}/v1/agent-memory/block"
    yield f"   curl -H 'Authorization: Bearer {stage.token}' '{stage.base_url}/v1/agent-memory/notes?limit=3'"


@contextmanager
def _without_options() -> Iterator[None]:
    """Takes the options of ours out of this process: they may point at an installation of somebody's."""
    ours = {name: value for name, value in os.environ.items() if name.startswith("TARIMBA_")}
    for name in ours:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(ours)
