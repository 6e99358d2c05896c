"""Runs the examples of a document as a reader would: in one shell, one after the other, in an empty folder.

A fence says with its second word what it is: `sh run` and `python run` are run, `sh serve` starts a server that
stays, `toml file=NAME` (any language) becomes a file, and each line of `text shows` must be a line of what the
example before it printed (`...` stands for anything).
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.markdown import Fence, fences
from tests.fixtures.cluster import free_port

PORT = "8750"
DATABASE = "postgresql://tarimba@db.internal/tarimba"
DEADLINE_SECONDS = 120
_MARK = "@@@ example"
# What an example prints must not depend on how busy the machine is, and a client's budgets do.
_PATIENCE = """\
from tarimba.client import Budgets, client
object.__setattr__(client._DEFAULTS, "budgets", Budgets(30.0, 30.0, 30.0))
"""
_READY = """\
trap 'kill $server; wait $server || true' EXIT
until curl --silent --output /dev/null http://127.0.0.1:{PORT}/healthz; do kill -0 $server; sleep 0.05; done
"""


@dataclass(slots=True)
class Script:
    """One document's examples as one shell script, and the lines that each step must print."""

    steps: list[str] = field(default_factory=list)
    shown: dict[int, list[str]] = field(default_factory=dict)

    def add(self, fence: Fence) -> None:
        """Takes one fence in; one that is no example is passed over."""
        match fence.words:
            case ("sh", "run"):
                self.steps.append(fence.text)
            case ("sh", "serve"):
                self.steps.append(
                    f"{fence.text.rstrip()} >server.log 2>&1 &\nserver=$!\n" + _READY.format(PORT=PORT)
                )
            case ("python", "run"):
                text = _PATIENCE * ("tarimba.client" in fence.text) + fence.text
                self.steps.append(f"python - <<'EXAMPLE'\n{text}EXAMPLE\n")
            case ("text", "shows"):
                self.shown[len(self.steps) - 1] = fence.text.splitlines()
            case (_, word) if word.startswith("file="):
                self.steps.append(f"cat >{word.removeprefix('file=')} <<'EXAMPLE'\n{fence.text}EXAMPLE\n")

    def text(self) -> str:
        marked = [f"printf '\\n{_MARK} {at}\\n'\n{step}" for at, step in enumerate(self.steps)]
        return "set -euo pipefail\n" + "\n".join(marked)


def script_of(path: Path) -> Script:
    script = Script()
    for fence in fences(path):
        script.add(fence)
    return script


def run(script: Script, folder: Path, database: str) -> None:
    """Raises AssertionError with what was printed when an example fails or prints something else."""
    port = str(free_port())
    text = script.text().replace(PORT, port).replace(DATABASE, database)
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=_environment(port),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{_log(folder)}"
    printed = _by_step(done.stdout)
    missing = [
        f"{line!r} is not in what example {at} printed:\n{printed[at]}"
        for at, lines in script.shown.items()
        for line in _missing(lines, printed[at], port)
    ]
    assert not missing, "\n".join(missing)


def _environment(port: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TARIMBA_")}
    path = f"{Path(sys.executable).parent}:{kept['PATH']}"
    return {**kept, "PATH": path, "TARIMBA_PORT": port, "TARIMBA_BASE_URL": f"http://127.0.0.1:{port}"}


def _by_step(printed: str) -> dict[int, str]:
    pieces = re.split(rf"^{_MARK} (\d+)\n", printed, flags=re.MULTILINE)
    return {int(at): text for at, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def _missing(lines: list[str], printed: str, port: str) -> Iterator[str]:
    for line in lines:
        wanted = ".*".join(re.escape(part) for part in line.replace(PORT, port).split("..."))
        if not re.search(rf"^{wanted}$", printed, re.MULTILINE):
            yield line


def _log(folder: Path) -> str:
    log = folder / "server.log"
    return log.read_text(errors="replace")[-2000:] if log.exists() else ""
