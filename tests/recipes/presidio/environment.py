"""Presidio's server in an environment of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fixtures.cluster import free_port
from tests.recipes.environment import ROOT, interpreter, running

HERE = Path(__file__).parent


@contextmanager
def presidio(folder: Path) -> Iterator[str]:
    """The URL of a running analyser; `folder` takes its empty pipelines and what it writes."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [str(interpreter(HERE)), str(HERE / "analyzer.py"), str(port), str(folder)]
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT / "src")}
    with running(command, environment, f"{url}/health", folder / "presidio.log"):
        yield url
