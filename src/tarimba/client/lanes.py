"""Threads that wait for the network, so that a caller never waits longer than its budget.

The timeouts of httpx are for each phase and each read: a server that sends a byte now and then, or a name that
does not resolve, outlasts them all. So each attempt runs in a lane, a thread with a connection of its own, and
the caller waits for the lane just as long as its budget says.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from tarimba.client.budgets import Deadline
from tarimba.client.errors import BudgetExceededError, ClosedError
from tarimba.client.transport import Connection, out_of_time
from tarimba.client.wire import Request, Response

# A little less than servers keep an idle connection.
IDLE_SECONDS = 150.0


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt, and where its answer goes."""

    request: Request
    deadline: Deadline
    answer: Future[Response] = field(default_factory=Future)


class Lanes:
    """At most `most` lanes, started when needed; each ends after a while without work."""

    def __init__(self, connect: Callable[[], Connection], most: int) -> None:
        self._connect = connect
        self._most = most
        self._closed = False
        self._free: threading.Condition
        self._idle: list[Lane]
        self._begin()

    def send(self, request: Request, deadline: Deadline) -> Response:
        """The answer, at the latest when the deadline is over. Raises a TarimbaError."""
        self._stay_here()
        job = Job(request, deadline)
        lane = self._take(deadline)
        lane.jobs.put(job)
        try:
            return job.answer.result(timeout=deadline.left())
        except TimeoutError:
            lane.abandon(job)
            raise out_of_time() from None

    def close(self) -> None:
        """Ends idle lanes now and busy ones after their present work; callers that wait get ClosedError."""
        self._stay_here()
        with self._free:
            self._closed = True
            idle, self._idle = self._idle, []
            self._free.notify_all()
        for lane in idle:
            lane.jobs.put(None)
        for lane in idle:
            lane.thread.join(timeout=1.0)

    def give_back(self, lane: Lane) -> bool:
        """Whether the lane waits for more work; else it ends."""
        with self._free:
            if self._closed:
                return False
            self._idle.append(lane)
            self._free.notify()
            return True

    def retire(self, lane: Lane) -> bool:
        """Whether the lane may end: not when it was just taken for a job."""
        with self._free:
            if lane not in self._idle:
                return False
            self._idle.remove(lane)
            return True

    def forget(self) -> None:
        """A lane has ended: another may begin."""
        with self._free:
            self._count -= 1
            self._free.notify()

    def _stay_here(self) -> None:
        """Threads don't survive a fork: a child begins with none, and with locks that nobody holds."""
        if os.getpid() != self._pid:
            self._begin()

    def _begin(self) -> None:
        self._free = threading.Condition()
        self._idle = []
        self._count = 0
        self._pid = os.getpid()

    def _take(self, deadline: Deadline) -> Lane:
        with self._free:
            while not self._closed and not self._idle and self._count >= self._most:
                if not self._free.wait(deadline.left()):
                    raise BudgetExceededError("timeout", "All connections of the client were busy.")
            if self._closed:
                raise ClosedError("closed", "The client was closed.")
            if self._idle:
                # The last one back is the one whose connection is warm.
                return self._idle.pop()
            self._count += 1
        try:
            return Lane(self, self._connect())
        except BaseException:
            self.forget()
            raise


class Lane:
    """A thread and its connection. `jobs` takes one job at a time, or None to end."""

    def __init__(self, lanes: Lanes, connection: Connection) -> None:
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lanes = lanes
        self._connection = connection
        self._lock = threading.Lock()
        self._abandoned = False
        # A daemon: a server that never answers must not keep a program from ending.
        self.thread = threading.Thread(target=self._serve, name="tarimba-client", daemon=True)
        self.thread.start()

    def abandon(self, job: Job) -> None:
        """Nobody waits for this job any more: breaks its connection, and the lane ends with it."""
        with self._lock:
            if job.answer.done():
                return
            self._abandoned = True
        self._connection.close()

    def _serve(self) -> None:
        try:
            while (job := self._next()) is not None:
                if not self._run(job) or not self._lanes.give_back(self):
                    break
        finally:
            self._connection.close()
            self._lanes.forget()

    def _next(self) -> Job | None:
        while True:
            try:
                return self.jobs.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                if self._lanes.retire(self):
                    return None

    def _run(self, job: Job) -> bool:
        """Does one job. False when it was given up meanwhile."""
        outcome = self._outcome(job)
        with self._lock:
            if self._abandoned:
                return False
            if isinstance(outcome, Exception):
                job.answer.set_exception(outcome)
            else:
                job.answer.set_result(outcome)
            return True

    def _outcome(self, job: Job) -> Response | Exception:
        try:
            return self._connection.send(job.request, job.deadline)
        except Exception as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
            return error
