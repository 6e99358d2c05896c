"""Putting load on a port from another process, and what the process under it pays."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.generator import Job
from benchmarks.processes import cpu_seconds
from benchmarks.wire import request

_WRK_TOTALS = re.compile(r"(\d+) requests in ([\d.]+)(ms|s|m),")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


@dataclass(frozen=True, slots=True)
class Target:
    """Where load goes: a port, its process, a path, and the key to send."""

    name: str
    port: int
    pid: int
    path: str
    bearer: str = ""


@dataclass(frozen=True, slots=True)
class Pace:
    """A closed loop: requests a second, and CPU microseconds of the server's process for each."""

    per_second: float
    cpu_us: float


@dataclass(frozen=True, slots=True)
class Delay:
    """Latencies in milliseconds."""

    p50: float
    p99: float
    worst: float


def generator() -> str:
    """What drives the closed loop here: wrk where it is installed, as it costs the machine least."""
    return "wrk" if shutil.which("wrk") else "benchmarks.generator"


def closed_loop(target: Target, connections: int, seconds: float) -> Pace:
    """As fast as the target answers on that many connections."""
    drive = _wrk if generator() == "wrk" else _own
    before = cpu_seconds(target.pid)
    requests, took = drive(target, connections, seconds)
    spent = cpu_seconds(target.pid) - before
    return Pace(requests / took, spent / requests * 1e6)


def open_loop(target: Target, rate: float, connections: int, seconds: float) -> Delay:
    """At `rate` requests a second, due at the same moments for every target."""
    return delay(_run(target, connections, seconds, rate)[0])


def delay(latencies: Sequence[float]) -> Delay:
    """The summary of latencies in seconds."""
    ordered = sorted(latencies)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 for share in (0.5, 0.99)]
    return Delay(at[0], at[1], ordered[-1] * 1000)


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def _wrk(target: Target, connections: int, seconds: float) -> tuple[int, float]:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s"]
    with tempfile.TemporaryDirectory() as directory:
        # A script and not a flag: a key on a command line is seen by everybody on the machine.
        script = Path(directory) / "headers.lua"
        script.write_text(f'wrk.headers["Authorization"] = "Bearer {target.bearer}"\n')
        url = f"http://127.0.0.1:{target.port}{target.path}"
        done = subprocess.run([*command, "-s", script, url], capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise ValueError(f"{target.name}: {done.stdout}")
    totals = _WRK_TOTALS.search(done.stdout)
    assert totals is not None
    return int(totals[1]), float(totals[2]) * _UNITS[totals[3]]


def _own(target: Target, connections: int, seconds: float) -> tuple[int, float]:
    latencies, took = _run(target, connections, seconds, 0.0)
    return len(latencies), took


def _run(target: Target, connections: int, seconds: float, rate: float) -> tuple[list[float], float]:
    sent = request("GET", target.path, bearer=target.bearer).decode("latin-1")
    job = Job(target.port, sent, connections, seconds, rate)
    command = [sys.executable, "-m", "benchmarks.generator"]
    done = subprocess.run(command, input=json.dumps(asdict(job)), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    if result["failed"]:
        raise ValueError(f"{target.name}: {result['failed']} answers were no success")
    return result["latencies"], result["seconds"]
