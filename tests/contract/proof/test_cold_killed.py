"""kill -9 while receipts move to cold storage: none is lost, and the next run completes what was begun."""

import os
import subprocess
import sys

import pytest

from tests.contract.proof.frozen import AFTER_DAYS, Frozen, cool_receipts

# One process that does the upkeep, and dies when it gets to one function.
DIES = """
import os, signal
from tarimba.app import open_kernel
from tarimba.proof import cold_store, cooling
from tarimba.receipts import cold_places
from tarimba.settings import Settings

def die(*_arguments, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

{function} = die
with open_kernel(Settings()) as kernel:
    cooling.Cooling(kernel).piece()
    die()
"""
BEFORE = ("cold_places.Folder.put", "os.replace", "cold_places._sync", "cold_places.Folder.get")
WITHIN = ("cold_store.take_out", "cold_store.add", "cooling.record")
AFTER = ("_nothing",)


@pytest.mark.parametrize("function", [*BEFORE, *WITHIN, *AFTER])
@pytest.mark.promise("cold-storage-whole")
def test_whatever_a_killed_process_had_begun_the_next_one_completes(frozen: Frozen, function: str) -> None:
    frozen.age()
    before = frozen.log()
    settings = frozen.world.kernel.settings
    assert settings.master_key is not None
    options = {
        "TARIMBA_DATA": str(settings.data),
        "TARIMBA_DB": settings.url,
        "TARIMBA_MASTER_KEY": settings.master_key.get_secret_value(),
        "TARIMBA_COLD_DIR": str(frozen.folder),
        "TARIMBA_COLD_AFTER_DAYS": str(AFTER_DAYS),
        "TARIMBA_CLOCK_OFFSET_S": str((AFTER_DAYS + 1) * 24 * 3600),
    }
    program = [sys.executable, "-c", DIES.format(function=function)]
    done = subprocess.run(program, env=os.environ | options, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    moved = int(function in AFTER)
    assert len(frozen.files()) == moved
    assert frozen.first_row() == 256 * moved
    assert frozen.log()[: len(before)] == before
    assert frozen.verify().ok
    frozen.move()
    assert frozen.first_row() == 512
    assert frozen.log()[: len(before)] == before
    assert len(cool_receipts(frozen.log())) == 2
    assert frozen.verify().ok
    # What was left half-written has gone into the file, or was written over.
    assert sum(path.is_file() for path in frozen.folder.rglob("*")) == 2
