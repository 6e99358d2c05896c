"""A PostgreSQL cluster of a test's own, whose files are looked through byte by byte."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from pydantic import SecretStr

from tarimba.app import open_kernel
from tarimba.settings import Settings
from tests.contract.notes.world import World, found_company
from tests.fixtures.cluster import PostgresServer


@contextmanager
def opened(url: str, data: Path) -> Iterator[World]:
    master = SecretStr(base64.b64encode(b"m" * 32).decode())
    with open_kernel(Settings.model_validate({"data": data, "db": url, "master_key": master})) as kernel:
        yield found_company(kernel)


def left_in(cluster: PostgresServer, *words: str) -> dict[str, list[str]]:
    """The files of the cluster that hold a word, by the word."""
    files = [path for path in cluster.data.rglob("*") if path.is_file()]
    held = {path.name: path.read_bytes() for path in files}
    found = {word: [name for name, raw in held.items() if word.encode() in raw] for word in words}
    return {word: names for word, names in found.items() if names}


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
