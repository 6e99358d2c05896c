"""Administrators' skills on this host's disk: for each agent in each subscription one directory of whole skills.

`<data>/effective-skills/<space>/<subscription>/<agent>/<name>/SKILL.md`, and in the same way, in `effective-files`,
the folders `tenant` and `subscription` with the files that administrators share. A directory begins when somebody asks
for it, and follows what is published from then on: by the job of a publish, and on every other host by looking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from sqlalchemy import Connection

from tarimba.clock import SECOND
from tarimba.errors import Refusal, not_found
from tarimba.ids import is_id
from tarimba.jobs import service as jobs
from tarimba.jobs.model import Job
from tarimba.kernel import Kernel
from tarimba.skills import disk_store as store
from tarimba.skills.disk_files import SharedSet, shared_set
from tarimba.skills.disk_set import DiskSet, ErasedError, disk_set
from tarimba.skills.staging import Content, Tree
from tarimba.skills.swapping import BusyError, Settled, Site, held

SKILLS: Final = "effective-skills"
FILES: Final = "effective-files"
FLATTEN: Final = "skills.flatten"
# Beside the directories that readers see, on the same file system; no id looks like it.
_WORK: Final = ".work"
_TRIES: Final = 5
_TIDIED: Final = 50
# What recurs does a little and lets others have their turn.
_PIECE: Final = 200
_REST: Final = 60 * SECOND
_WHOLE: Final = "whole"
_MORE: Final = "more"
_AGAIN: Final = "again"
_log = structlog.get_logger("tarimba.skills")


@dataclass(frozen=True, slots=True)
class Target:
    """Whose directory it is: ids that we minted."""

    space_id: str
    subscription_id: str
    source_id: str

    def site(self, data: Path, root: str) -> Site:
        inner = Path(self.space_id, self.subscription_id, self.source_id)
        return Site(data / root / inner, data / root / _WORK / inner)


@dataclass(frozen=True, slots=True)
class Flattened:
    """The directory of skills as it stands now, that of shared files, and what the skills took."""

    path: Path
    files: Path
    settled: Settled


@dataclass(frozen=True, slots=True)
class _Seen:
    """How a space was when its directories were last made: `mark` differs when they have to be made anew."""

    generation: int
    mark: tuple[tuple[int, ...], str]


def flatten(kernel: Kernel, space_id: str, subscription_id: str, source_id: str) -> Flattened:
    """Makes the directory of an agent in a subscription hold what is in force for it, and nothing else.

    Copies only what differs, waits for whoever does the same, and does what a killed process left undone.
    Raises 404 when there is no such subscription or agent, and `OSError` when the disk refuses.
    """
    with kernel.database.read() as connection:
        if not subscription_id or store.told_of(connection, space_id, subscription_id, source_id) is None:
            raise not_found("subscription or agent")
    target = Target(space_id, subscription_id, source_id)
    settled, data = _renewed(kernel, target), kernel.settings.data.absolute()
    return Flattened(target.site(data, SKILLS).visible, target.site(data, FILES).visible, settled)


def work(kernel: Kernel, job: Job) -> None:
    """The job of a publish: brings up to date those directories of this host that its scope reaches."""
    for target in _targets(kernel.settings.data, job.space_id):
        wanted = job.payload["subscription_id"], job.payload["source_id"]
        given = target.subscription_id, target.source_id
        if all(want in {"", have} for want, have in zip(wanted, given, strict=True)):
            _renewed(kernel, target)
    kernel.writer.commit(job.space_id, lambda tx: jobs.finish(tx, job))


class Disk:
    """Keeps the directories of this host as they should be, for a process that asks every second.

    The first time it looks at all of them, so a start ends what a crash interrupted; then at those of a space where
    something was published, by whatever host. Once a minute it takes out what nobody reads any more.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._seen: dict[str, _Seen] = {}
        self._rests_from: int | None = None

    def piece(self) -> bool:
        """Whether there may be more to write or to take out at once."""
        more = True in {self._follow(space_id) for space_id in _inside(self._kernel.settings.data / SKILLS)}
        now = self._kernel.clock.now_us()
        if self._rests_from is not None and 0 <= now - self._rests_from < _REST:
            return more
        has_old = self._tidy(now // SECOND)
        self._rests_from = None if has_old else now
        return more or has_old

    def _follow(self, space_id: str) -> bool:
        """Brings the directories of a space nearer to what is in force. Whether there is more to write."""
        seen = self._seen.get(space_id)
        with self._kernel.database.read() as connection:
            generation = store.generation(connection, space_id)
            if seen is not None and generation == seen.generation:
                return False
            mark = (store.published_mark(connection, space_id), store.fleet_mark(connection, space_id))
        found = {_WHOLE} if seen is not None and mark == seen.mark else self._renew_all(space_id)
        if found <= {_WHOLE}:
            self._seen[space_id] = _Seen(generation, mark)
        return _MORE in found

    def _renew_all(self, space_id: str) -> set[str]:
        """What became of the directories of the space: one that somebody has, or the disk refuses, is tried again."""
        return {self._renew(target) for target in _targets(self._kernel.settings.data, space_id)}

    def _renew(self, target: Target) -> str:
        try:
            settled = _renewed(self._kernel, target, _PIECE)
        except BusyError:
            return _AGAIN
        except OSError as error:
            _log.warning("skills.disk_refused", error=error.strerror, source_id=target.source_id)
            return _AGAIN
        return _WHOLE if settled.is_whole else _MORE

    def _tidy(self, now_s: int) -> bool:
        data = self._kernel.settings.data
        more = False
        for space_id in _inside(data / SKILLS):
            for target in _targets(data, space_id):
                more |= True in {_tidied(target.site(data, root), now_s) for root in (SKILLS, FILES)}
        return more


def _tidied(site: Site, now_s: int) -> bool:
    try:
        with held(site, now_s, waits=False) as keeper:
            return keeper.tidy(_TIDIED)
    except BusyError:
        return False


def _renewed(kernel: Kernel, target: Target, limit: int | None = None) -> Settled:
    """With a `limit` of trees to copy it does not wait either: raises `BusyError`."""
    data, ids = kernel.settings.data, (target.space_id, target.subscription_id, target.source_id)
    _swapped(kernel, target.site(data, FILES), lambda connection: shared_set(connection, *ids), limit)
    return _swapped(kernel, target.site(data, SKILLS), lambda connection: disk_set(connection, *ids), limit)


def _swapped(
    kernel: Kernel, site: Site, wanted: Callable[[Connection], DiskSet | SharedSet], limit: int | None
) -> Settled:
    with held(site, kernel.clock.now_us() // SECOND, waits=limit is None) as keeper:
        for _ in range(_TRIES):
            # Read under the lock of the directory, so that nobody puts something older in the place of it.
            with kernel.database.read() as connection:
                found = wanted(connection)
            try:
                return keeper.settle(found.trees, partial(_content, kernel, found), limit)
            except ErasedError:
                # What is in force now does not hold what was erased.
                continue
    raise Refusal("unavailable", "What is published changes faster than it can be written. Try again.")


def _content(kernel: Kernel, found: DiskSet | SharedSet, tree: Tree) -> Content:
    return found.content(kernel.database, tree.name)


def _targets(data: Path, space_id: str) -> Iterator[Target]:
    """The directories that this host has for a space."""
    for subscription_id in _inside(data / SKILLS / space_id):
        for source_id in _inside(data / SKILLS / space_id / subscription_id):
            yield Target(space_id, subscription_id, source_id)


def _inside(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if is_id(path.name))
    except FileNotFoundError:
        return []
