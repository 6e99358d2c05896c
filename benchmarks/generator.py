"""A load generator in a process of its own. Run: python -m benchmarks.generator < JOB, prints JSON.

Closed loop: each connection asks again as soon as it is answered. Open loop: requests are due at moments that
were drawn before the run (Poisson arrivals, one seed for every arm), whatever the server does; a latency counts
from the moment that the request was due, so that waiting for a slow server is not left out (the coordinated
omission of closed loops).
"""

from __future__ import annotations

import json
import random
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.wire import answer_length

ARRIVAL_SEED = 11


@dataclass(frozen=True, slots=True)
class Job:
    """What to send where. `rate` in requests a second makes it an open loop; 0 a closed one."""

    port: int
    request: str
    connections: int
    seconds: float
    rate: float = 0.0


@dataclass(slots=True)
class Line:
    """A connection with the answer it is waiting for. `due` is None while it is free."""

    socket: socket.socket
    due: float | None = None
    received: bytearray = field(default_factory=bytearray)


@dataclass(slots=True)
class Tally:
    """Latencies in seconds, and answers that were no 2xx or 304."""

    latencies: list[float] = field(default_factory=list)
    failed: int = 0


def closed(job: Job) -> Tally:
    """As many requests as the server answers in the time."""
    tally, lines = Tally(), _connect(job)
    sent = job.request.encode("latin-1")
    start = time.perf_counter()
    for line in lines.values():
        _send(line, sent, start)
    until = start + job.seconds
    while (now := time.perf_counter()) < until:
        for line in _answered(lines, until - now, tally):
            _send(line, sent, time.perf_counter())
    _close(lines)
    return tally


def opened(job: Job) -> Tally:
    """The requests of the schedule, all of them, however long that takes."""
    tally, lines = Tally(), _connect(job)
    sent = job.request.encode("latin-1")
    free = list(lines.values())
    schedule = arrivals(job.rate, job.seconds)
    start = time.perf_counter() + 0.01
    while schedule or len(free) < len(lines):
        now = time.perf_counter() - start
        while schedule and free and schedule[0] <= now:
            _send(free.pop(), sent, start + schedule.popleft())
        wait = max(0.0, schedule[0] - now) if schedule and free else 1.0
        free += _answered(lines, wait, tally)
    _close(lines)
    return tally


def arrivals(rate: float, seconds: float) -> deque[float]:
    """The moments, in seconds from the start, at which requests are due."""
    chance = random.Random(ARRIVAL_SEED)
    moments: deque[float] = deque()
    at = chance.expovariate(rate)
    while at < seconds:
        moments.append(at)
        at += chance.expovariate(rate)
    return moments


def _connect(job: Job) -> dict[int, Line]:
    lines = {}
    for _ in range(job.connections):
        connection = socket.create_connection(("127.0.0.1", job.port), timeout=60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines[connection.fileno()] = Line(connection)
    return lines


def _close(lines: dict[int, Line]) -> None:
    for line in lines.values():
        line.socket.close()


def _send(line: Line, sent: bytes, due: float) -> None:
    line.due = due
    line.socket.sendall(sent)


def _answered(lines: dict[int, Line], wait: float, tally: Tally) -> Sequence[Line]:
    """Reads what has come within `wait` seconds and returns the lines whose answer is complete."""
    # `select` waits with the precision of microseconds; `epoll` would round to milliseconds.
    ready, _, _ = select.select(list(lines), [], [], max(0.0, wait))
    done = []
    for number in ready:
        line = lines[number]
        more = line.socket.recv(65536)
        if not more:
            raise ConnectionError("the server closed a connection")
        line.received += more
        length = answer_length(line.received)
        if length and len(line.received) >= length and line.due is not None:
            tally.latencies.append(time.perf_counter() - line.due)
            tally.failed += line.received[9:10] != b"2" and line.received[9:12] != b"304"
            line.received.clear()
            line.due = None
            done.append(line)
    return done


def main() -> None:
    job = Job(**json.load(sys.stdin))
    start = time.perf_counter()
    tally = opened(job) if job.rate else closed(job)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "failed": tally.failed, "latencies": tally.latencies}))


if __name__ == "__main__":
    main()
