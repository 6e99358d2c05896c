"""An environment of Presidio's own, made once for a state of its requirements, and its server in it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fixtures.cluster import free_port

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
REQUIREMENTS = HERE / "requirements.txt"


class PresidioError(Exception):
    """Presidio did not start; the sentence ends with what it wrote."""


def interpreter() -> Path:
    """The interpreter of the environment, made now if it is not there. Every file's hash is checked."""
    state = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = ROOT / "build" / f"presidio-{state}"
    python = folder / "bin" / "python"
    finished = folder / "finished"
    if not finished.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "-r",
            str(REQUIREMENTS),
        ]
        subprocess.run(install, check=True)
        finished.touch()
    return python


@contextmanager
def presidio(folder: Path) -> Iterator[str]:
    """The URL of a running analyser; `folder` takes its empty pipelines and what it writes."""
    port = free_port()
    command = [str(interpreter()), str(HERE / "analyzer.py"), str(port), str(folder)]
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT / "src")}
    log = folder / "presidio.log"
    with log.open("wb") as written:
        process = subprocess.Popen(command, env=environment, stdout=written, stderr=written)
    try:
        _wait(process, f"http://127.0.0.1:{port}/health", log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    while True:
        try:
            with urllib.request.urlopen(url):
                return
        except urllib.error.URLError:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(0.1)
                raise PresidioError(
                    f"Presidio ended with {code}; it wrote: {log.read_text()[-4000:]}"
                ) from None
