"""What a backup and a restore cost: time, size, and how much longer a write takes beside one.

`python -m benchmarks.backup [NOTES] [MIB]` prints a table for both databases.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from benchmarks.footprint import size_mib
from benchmarks.load import median
from benchmarks.seed import fill
from tarimba import cli
from tarimba.app import open_kernel
from tarimba.identity.spaces import host_principal, list_spaces
from tarimba.kernel import Kernel
from tarimba.receipts.model import Receipt
from tarimba.receipts.service import record_read
from tarimba.settings import Settings
from tests.fixtures.cluster import throwaway_postgres

_MASTER: Final = base64.b64encode(b"m" * 32).decode()
_BACKUP: Final = (sys.executable, "-m", "tarimba.cli", "backup", "--json", "--out")
_FILE_BYTES: Final = 256 * 1024


def main(notes: int, mib: int) -> None:
    columns = (
        "database",
        "notes",
        "database, MiB",
        "files, MiB",
        "backup, s",
        "size of all",
        "a write beside it",
    )
    print(f"| {' | '.join(columns)} | verify, s | restore, s |\n|{' --- |' * (len(columns) + 2)}")
    os.environ["TARIMBA_MASTER_KEY"] = _MASTER
    with tempfile.TemporaryDirectory() as folder:
        _row("SQLite", None, Path(folder), notes, mib)
    with tempfile.TemporaryDirectory() as folder, throwaway_postgres() as cluster:
        _row("PostgreSQL", (cluster.create_database(), cluster.create_database()), Path(folder), notes, mib)


def _row(name: str, urls: tuple[str, str] | None, folder: Path, notes: int, mib: int) -> None:
    here, there, file = folder / "here", folder / "there", folder / "backup.tar.gz"
    settings = _settings(here, urls[0] if urls else None)
    with open_kernel(settings) as kernel:
        fill(kernel, notes)
        _fill_files(here, mib)
        quiet = median(_writes(kernel, 100))
        with _writing(kernel) as beside:
            # In a process of its own, as an operator does it.
            command = [*_BACKUP, str(file), *_place(here, urls, 0)]
            taking = _seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    stored = _stored(file)
    target = _place(there, urls, 1)
    # The notes of a seeded space have no receipts, so that the log does not vouch for them.
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        verifying = _seconds(lambda: cli.run(["backup", "verify", str(file)]))
        restoring = _seconds(lambda: cli.run(["restore", "--from", str(file), "--despite-findings", *target]))
    ratio = file.stat().st_size / 2**20 / (stored + mib)
    slower = median(beside) / quiet
    cells = (
        name, f"{notes:,}", f"{stored:.0f}", str(mib), f"{taking:.1f}", f"{ratio:.2f}", f"{slower:.1f} x",
        f"{verifying:.1f}", f"{restoring:.1f}",
    )  # fmt: skip
    print(f"| {' | '.join(cells)} |")
    assert size_mib(there) > 0


def _place(data: Path, urls: tuple[str, str] | None, which: int) -> list[str]:
    return ["--data", str(data), *(("--db", urls[which]) if urls else ())]


def _settings(data: Path, url: str | None) -> Settings:
    return Settings.model_validate({"data": data, "db": url, "master_key": SecretStr(_MASTER)})


def _fill_files(data: Path, mib: int) -> None:
    """Files that do not pack well, as most large ones."""
    folder = data / "spaces" / "s" / "files"
    folder.mkdir(parents=True)
    for number in range(mib * 2**20 // _FILE_BYTES):
        (folder / str(number)).write_bytes(os.urandom(_FILE_BYTES))


def _stored(file: Path) -> float:
    """The size of the database in a backup, MiB."""
    with tarfile.open(file) as tar:
        return tar.getmember("database.sqlite").size / 2**20


@contextmanager
def _writing(kernel: Kernel) -> Iterator[list[float]]:
    taken: list[float] = []
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            taken.extend(_writes(kernel, 1))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield taken
    finally:
        over.set()
        thread.join()


def _writes(kernel: Kernel, count: int) -> list[float]:
    """Seconds of durable receipts, one after the other."""
    host = host_principal(list_spaces(kernel)[0])
    receipt = Receipt("notes.list", host.actor, "cli")
    return [_seconds(lambda: record_read(kernel.writer, host.space_id, receipt)) for _ in range(count)]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 100)
