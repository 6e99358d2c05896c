"""kill -9 in the middle of a restore: what was there opens as before, or nothing does until it is run again."""

import os
import subprocess
import sys

import pytest

from tarimba import cli
from tests.contract.backup.stage import Site, Stage, fill_workspace

# The command line, which dies when it gets to one function.
DIES = """
import os, signal
from tarimba.backup import placing, settling, staging

def die(*_arguments, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

{function} = die
from tarimba.cli import main
main()
"""
BEFORE = ("staging._require_mac", "settling._anchor", "placing._mark")
WITHIN = ("placing._aside", "placing.sync_folder", "placing._unmark")


def killed(stage: Stage, site: Site, function: str, *options: str) -> None:
    program = [sys.executable, "-c", DIES.format(function=function)]
    command = [*program, "restore", "--from", str(stage.file), *options, *site.arguments]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, check=False)
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize("function", [*BEFORE, *WITHIN])
@pytest.mark.promise("restore-whole")
def test_a_killed_restore_is_run_again(
    stage: Stage, function: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fill_workspace(stage.workspace)
    stage.back_up()
    killed(stage, stage.site, function, "--replace", "--yes")
    capsys.readouterr()
    if function in BEFORE:
        assert stage.verify(stage.site) == 0
        assert (stage.workspace / "memory" / "MEMORY.md").exists()
    else:
        assert cli.run(["keys", "list", *stage.site.arguments]) == 1
        assert "was interrupted" in capsys.readouterr().err
    assert stage.restore(stage.site, "--replace", "--yes") == 0
    assert stage.verify(stage.site) == 0
    assert (stage.workspace / "memory" / "MEMORY.md").read_text() == "Remembered."
    assert not (stage.site.data / ".restoring").exists()
    assert not list(stage.site.data.glob("*.restoring*"))
