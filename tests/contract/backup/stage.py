"""An installation in this process, its backup, and fresh places to restore it into."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr
from sqlalchemy import select

from tarimba import cli
from tarimba.app import open_kernel
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.storage.tables import metadata
from tests.e2e.company import Company, found_in

MASTER: Final = base64.b64encode(b"m" * 32).decode()
OTHER_MASTER: Final = base64.b64encode(b"o" * 32).decode()


@dataclass(frozen=True)
class Site:
    """A data folder and a database URL, or None for the SQLite file in the folder."""

    data: Path
    db: str | None

    @property
    def arguments(self) -> list[str]:
        return ["--data", str(self.data), *(("--db", self.db) if self.db else ())]

    @contextmanager
    def kernel(self, **options: Any) -> Iterator[Kernel]:
        given = {"data": self.data, "db": self.db, "master_key": SecretStr(MASTER), **options}
        with open_kernel(Settings.model_validate(given)) as kernel:
            yield kernel

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, in an order of its own."""
        with self.kernel() as kernel, kernel.database.read() as connection:
            return {
                table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
                for table in metadata.sorted_tables
            }


@dataclass
class Stage:
    """The installation with a company in it. `run` is the command line in this process."""

    site: Site
    folder: Path
    company: Company
    said: list[str] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "acme.tar.gz"

    @property
    def workspace(self) -> Path:
        """A member's, as far as the disk goes."""
        ids = ("01900000-0000-7000-8000-000000000001", self.company.sources["billing"], "p-1")
        top = self.site.data / "spaces" / self.company.space_id
        return top / "subscriptions" / ids[0] / "agents" / ids[1] / "members" / ids[2] / "workspace"

    def back_up(self) -> Path:
        assert cli.run(["backup", "--out", str(self.file), *self.site.arguments]) == 0
        return self.file

    def restore(self, site: Site, *options: str) -> int:
        return cli.run(["restore", "--from", str(self.file), *options, *site.arguments])

    def verify(self, site: Site, *options: str) -> int:
        return cli.run(["receipts", "verify", *options, *site.arguments])


def founded(site: Site, folder: Path) -> Stage:
    with site.kernel() as kernel:
        return Stage(site, folder, found_in(kernel))


def fill_workspace(root: Path) -> None:
    """Files of all kinds that an agent can make, some of which lead elsewhere."""
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "MEMORY.md").write_text("Remembered.")
    (root / "memory" / "MEMORY.md").chmod(0o640)
    (root / os.fsdecode(b"caf\xe9 \xff.txt")).write_text("Not UTF-8.")
    (root / "leads-out").symlink_to("/etc/passwd")
    (root / "folder-out").symlink_to("/etc")
    (root / "twice").write_text("Two names.")
    os.link(root / "twice", root / "twice-again")
    os.mkfifo(root / "pipe")
    secrets = root.parent / ".secrets"
    secrets.mkdir()
    (secrets / "TOKEN").write_text("plain-secret-value")


def told(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found
