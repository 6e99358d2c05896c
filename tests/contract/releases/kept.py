"""The fixtures of releases: what `record` made, put back into a database."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import sqlite3
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from pydantic import SecretStr

from tarimba.clock import SECOND
from tests.architecture.house import ROOT
from tests.contract.api.served import Api, serving
from tests.e2e.company import Place

FOLDER = ROOT / "tests" / "data" / "releases"
_HEADING = re.compile(r"^## (\d+\.\d+\.\d+) ", re.MULTILINE)


def released() -> list[str]:
    """Every version that the changelog calls a release, newest first."""
    return _HEADING.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def described(version: str) -> Mapping[str, Any]:
    """What is known of a release: its commit, its schema, and the migrations as they were."""
    return tomllib.loads((FOLDER / version / "release.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Kept:
    """A release's database. `told` is what the release answered last; see `record`."""

    place: Place
    told: Mapping[str, Any]

    @property
    def environment(self) -> dict[str, str]:
        """The options of its servers and commands."""
        return {
            "TARIMBA_MASTER_KEY": self.told["master_key"],
            "TARIMBA_MCP_TOKEN_SECRET": self.told["mcp_token_secret"],
        }

    def headers(self, who: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.told['bearers'][who]}"}

    @contextmanager
    def served(self) -> Iterator[Api]:
        """This version's application over it, at the time at which the release answered last."""
        with serving(
            self.place,
            master_key=SecretStr(self.told["master_key"]),
            mcp_token_secret=SecretStr(self.told["mcp_token_secret"]),
            clock_offset_s=(self.told["at"] - time.time_ns() // 1000) // SECOND,
        ) as api:
            yield api


def put_back(version: str, kind: str, place: Place) -> Kept:
    """Reads the dump of a release into the empty database of `place`."""
    folder = FOLDER / version
    dump = gzip.decompress((folder / f"{kind}.sql.gz").read_bytes()).decode()
    if place.db is not None:
        with psycopg.connect(place.db, autocommit=True) as connection:
            connection.execute(dump.encode())
    else:
        with contextlib.closing(sqlite3.connect(place.data / "tarimba.db")) as file:
            file.executescript(dump)
    return Kept(place, json.loads((folder / f"{kind}.json").read_text(encoding="utf-8")))


def placed(url: str, data: Path) -> Place:
    """The place of a database URL; an SQLite file must be the one in the data folder."""
    return Place(data, None if url.startswith("sqlite") else url)
