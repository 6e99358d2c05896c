"""A directory of skills that readers look into while it changes: each skill is exchanged whole, in one step.

Readers have the directory itself bound, so it stays and its entries are replaced. Beside it, outside what they see, lie
the lock, what is being built (`fresh`), what was replaced and may still be read (`old`), and a manifest of what
stands: it names less than that while a change is under way, so that whoever comes after a crash does the rest again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from tarimba.confined import Confined, exchange, move, remove
from tarimba.openat2 import FOLDER, sync_all
from tarimba.skills.staging import FOLDER_MODE, Content, Tree, restamp, stage, stands

# A reader that opened a skill before it was replaced has this long to read on.
KEEP_SECONDS: Final = 600
_BATCH: Final = 500
# So few are brought to disk one by one: all that others write there would take longer.
_FEW: Final = 16
_MANIFEST: Final = "manifest.json"
_MANIFEST_MAX: Final = 64 * 1024 * 1024
_FRESH: Final = "fresh"
_OLD: Final = "old"
_LOCK: Final = "lock"


@dataclass(frozen=True, slots=True)
class Site:
    """The directory that readers see, and the one that its keeper works in: on the same file system."""

    visible: Path
    work: Path


@dataclass(frozen=True, slots=True)
class Settled:
    """What it took: how many trees were copied, taken out and left as they were; `tag` names the set that is wanted.

    `is_whole` is whether that stands now: else there was more to copy than was allowed.
    """

    copied: int
    removed: int
    kept: int
    tag: str
    is_whole: bool = True


class BusyError(Exception):
    """Somebody else has the site."""


@dataclass(frozen=True, slots=True)
class _Plan:
    copied: Sequence[Tree]
    restamped: Sequence[Tree]
    removed: Sequence[str]
    left: Mapping[str, Tree]
    later: frozenset[str]


def tag_of(trees: Mapping[str, Tree]) -> str:
    """The SHA-256 of a set: equal where the same names stand for the same bytes and times."""
    told = "".join(f"{name}\0{tree.content_hash}\0{tree.stamp}\n" for name, tree in sorted(trees.items()))
    return hashlib.sha256(told.encode()).hexdigest()


@contextmanager
def held(site: Site, now_s: int, *, waits: bool = True) -> Iterator[Keeper]:
    """The site, made if it is missing, for this caller alone: waits for whoever has it, in whatever process.

    `now_s` is the time in seconds. Raises `OSError` when the disk refuses, and `BusyError` instead of waiting.
    """
    with ExitStack() as stack:
        visible = _made(stack, site.visible, FOLDER_MODE)
        work = _made(stack, site.work, 0o700)
        lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=work)
        stack.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError from None
        yield Keeper(visible, stack, work, now_s)


class Keeper:
    """A site while its lock is held. `work` is the keeper's own directory."""

    def __init__(self, visible: int, stack: ExitStack, work: int, now_s: int) -> None:
        self._visible = visible
        self.work = Confined(work)
        self._fresh, self._old = (
            stack.enter_context(self.work.beneath(name, make=True)).fileno() for name in (_FRESH, _OLD)
        )
        self._now_s = now_s

    def standing(self) -> dict[str, Tree]:
        """What surely stands there whole, by name."""
        there = set(_names(self._visible))
        return {name: tree for name, tree in self._noted().items() if name in there}

    def check(self) -> None:
        """Compares all that stands with what was built: what somebody changed is built anew by the next `settle`."""
        noted = self._noted()
        sound = {name: tree for name, tree in noted.items() if stands(self._visible, tree)}
        if sound != noted:
            self._note(sound)

    def settle(
        self, wanted: Mapping[str, Tree], content: Callable[[Tree], Content], limit: int | None = None
    ) -> Settled:
        """Makes the directory hold `wanted` and nothing else. `content` is asked only for what differs.

        Copies `limit` trees at most, if that is given.
        Whatever `content` raises ends it between two skills; what is done stays, and the next call does the rest.
        """
        # What a killed process was about to show, or had just replaced: a reader may be in it.
        for name in _names(self._fresh):
            self._retire(self._fresh, name)
        plan = _planned(self._noted(), set(_names(self._visible)), wanted, limit)
        if plan.copied or plan.restamped or plan.removed:
            self._note(plan.left)
            self._carry_out(plan, content)
            self._note({name: tree for name, tree in wanted.items() if name not in plan.later})
        copied, later = len(plan.copied), len(plan.later)
        return Settled(copied, len(plan.removed), len(wanted) - copied - later, tag_of(wanted), not later)

    def tidy(self, limit: int) -> bool:
        """Takes out what was replaced long enough ago, `limit` trees at most. Whether there may be more."""
        # Whole seconds: what was replaced in the last moment of one is not that old yet.
        past = [name for name in _names(self._old) if self._now_s - _retired_at(name) > KEEP_SECONDS]
        for name in sorted(past)[:limit]:
            remove(self._old, name)
        return len(past) > limit

    def _carry_out(self, plan: _Plan, content: Callable[[Tree], Content]) -> None:
        rest = iter(plan.copied)
        while batch := list(islice(rest, _BATCH)):
            self._renew(batch, content)
        for name in plan.removed:
            self._retire(self._visible, name)
        for tree in plan.restamped:
            restamp(self._visible, tree.name, tree.stamp)
        os.fsync(self._visible)

    def _renew(self, batch: Sequence[Tree], content: Callable[[Tree], Content]) -> None:
        is_synced = len(batch) <= _FEW
        built = []
        for tree in batch:
            token = secrets.token_hex(8)
            stage(self._fresh, token, content(tree), tree.stamp, is_synced=is_synced)
            built.append((token, tree.name))
        if not is_synced:
            sync_all(self._fresh)
        for token, name in built:
            try:
                move(self._fresh, token, self._visible, name)
            except FileExistsError:
                exchange(self._fresh, token, self._visible, name)
                self._retire(self._fresh, token)

    def _retire(self, folder: int, name: str) -> None:
        move(folder, name, self._old, f"{self._now_s}-{secrets.token_hex(8)}")

    def _noted(self) -> dict[str, Tree]:
        try:
            told = json.loads(self.work.read(_MANIFEST, _MANIFEST_MAX))
            return {name: Tree(name, digest, stamp) for name, digest, stamp in told}
        except (FileNotFoundError, ValueError, TypeError):
            # Nothing is known of what stands there, so all of it is built anew.
            return {}

    def _note(self, trees: Mapping[str, Tree]) -> None:
        told = json.dumps(list(trees.values()), separators=(",", ":"))
        self.work.replace(_MANIFEST, told.encode())


def _planned(
    noted: Mapping[str, Tree], there: set[str], wanted: Mapping[str, Tree], limit: int | None
) -> _Plan:
    copied, restamped, left = [], [], {}
    for name, tree in wanted.items():
        known = noted.get(name) if name in there else None
        if known is None or known.content_hash != tree.content_hash:
            copied.append(tree)
        elif known.stamp != tree.stamp:
            restamped.append(tree)
        else:
            left[name] = tree
    now = copied[:limit]
    later = frozenset(tree.name for tree in copied[len(now) :])
    return _Plan(now, restamped, sorted(there - wanted.keys()), left, later)


def _made(stack: ExitStack, path: Path, mode: int) -> int:
    path.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, FOLDER | os.O_NOFOLLOW)
    stack.callback(os.close, handle)
    os.fchmod(handle, mode)
    return handle


def _names(folder: int) -> list[str]:
    return os.listdir(folder)


def _retired_at(name: str) -> int:
    told = name.partition("-")[0]
    return int(told) if told.isdecimal() else 0
