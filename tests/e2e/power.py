"""Power cuts, simulated: what a program wrote is recorded call by call, and put on a disk as a cut would leave it.

A call to sync makes durable, when it returns, what was written to that file before it began. Of what was written since,
a disk has an arbitrary part: any of the writes, each whole, missing, or torn at a sector of 512 bytes. What happens to
names (made, renamed, taken out) and to lengths counts as durable at once: the one thing that this does not test.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

SECTOR: Final = 512
CALLS: Final = (
    "write,pwrite64,pwritev,writev,sendto,sendmsg,fsync,fdatasync,ftruncate,rename,link,unlink,openat"
)
# Every byte in hexadecimal, so that a line is parsed without knowing how the tracer escapes.
TRACER: Final = (
    "strace",
    "-f",
    "-y",
    "-xx",
    "-s",
    "2000000",
    "--seccomp-bpf",
    "-e",
    f"trace={CALLS}",
    "-e",
    "signal=none",
)

_LINE: Final = re.compile(r"(\d+) +(.*)")
_RESUMED: Final = re.compile(r"<\.\.\. \w+ resumed>(.*)")
_CALL: Final = re.compile(r"(\w+)\((.*)\) += (-?\d+)(?:<[^>]*>)?")
_STRING: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_TARGET: Final = re.compile(r"(\d+)<([^>]*)>")
_RECEIPT: Final = re.compile(
    rb"tarimba-receipt: ([0-9a-f-]{36}); seq=(\d+); leaf=([0-9a-f]{64})", re.IGNORECASE
)

Kind = Literal["written", "synced", "cut to", "renamed", "linked", "unlinked", "emptied", "answered"]


@dataclass(frozen=True)
class Step:
    """Something that happened. Of a `synced` file `at` is the step after which the call began."""

    kind: Kind
    path: str = ""
    at: int = 0
    data: bytes = b""
    other: str = ""
    receipts: Sequence[tuple[str, int, str]] = ()


@dataclass
class Trace:
    """The steps of one recording within `root`, in their order."""

    root: Path
    steps: list[Step] = field(default_factory=list)
    _begun: dict[str, tuple[str, int]] = field(default_factory=dict)
    # Where each open file stands, for who writes on from there: by process and descriptor.
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path, root: Path) -> Trace:
        trace = cls(root.resolve())
        with file.open(encoding="ascii", errors="replace") as lines:
            for line in lines:
                trace._take(line.rstrip("\n"))
        return trace

    def _take(self, line: str) -> None:
        """One line: a whole call, the beginning of one, or the rest of one that began before."""
        found = _LINE.match(line)
        if found is None:
            return
        thread, text = found.groups()
        if text.endswith("<unfinished ...>"):
            self._begun[thread] = text.removesuffix("<unfinished ...>").rstrip(), len(self.steps)
            self._answers(text)
            return
        resumed = _RESUMED.match(text)
        began = len(self.steps)
        if resumed is not None:
            head, began = self._begun.pop(thread, ("", began))
            text = head + resumed[1]
        else:
            self._answers(text)
        call = _CALL.match(text)
        if call is not None and int(call[3]) >= 0:
            self._keep(thread, call[1], call[2], int(call[3]), began)

    def _answers(self, text: str) -> None:
        """An answer counts as given when its sending begins."""
        target = _TARGET.search(text)
        if target is not None and _unescaped(target[2]).startswith(("socket:", "TCP")):
            data = b"".join(map(_bytes, _STRING.findall(text)))
            said = [(i.decode(), int(seq), leaf.decode()) for i, seq, leaf in _RECEIPT.findall(data)]
            if said:
                self.steps.append(Step("answered", receipts=said))

    def _keep(self, process: str, name: str, arguments: str, returned: int, began: int) -> None:
        strings = [_bytes(one) for one in _STRING.findall(arguments)]
        if name == "openat":
            self._open(process, strings[0], arguments, returned)
        elif name in {"rename", "link", "unlink"}:
            self._name(name, [self._inside(one.decode()) for one in strings])
        else:
            target = _TARGET.match(arguments)
            path = (
                self._inside(_unescaped(target[2])) if target and _unescaped(target[2])[:1] == "/" else None
            )
            if target is not None and path is not None:
                last = arguments.rsplit(", ", 1)[-1]
                self._change(name, path, (process, target[1]), b"".join(strings)[:returned], last, began)

    def _open(self, process: str, path: bytes, arguments: str, descriptor: int) -> None:
        self._places[process, str(descriptor)] = -1 if "O_APPEND" in arguments else 0
        inside = self._inside(path.decode())
        if "O_TRUNC" in arguments and inside:
            self.steps.append(Step("emptied", inside))

    def _name(self, name: str, paths: list[str | None]) -> None:
        first, *others = paths
        if first and name == "unlink":
            self.steps.append(Step("unlinked", first))
        elif first and others and others[0]:
            self.steps.append(Step("renamed" if name == "rename" else "linked", first, other=others[0]))

    def _change(
        self, name: str, path: str, handle: tuple[str, str], data: bytes, last: str, began: int
    ) -> None:
        if name in {"pwrite64", "pwritev"}:
            self.steps.append(Step("written", path, int(last), data))
        elif name == "write":
            place = self._places.get(handle, -1)
            self.steps.append(Step("written", path, place, data))
            self._places[handle] = place if place < 0 else place + len(data)
        elif name in {"fsync", "fdatasync"}:
            self.steps.append(Step("synced", path, began))
        elif name == "ftruncate":
            self.steps.append(Step("cut to", path, int(last)))

    def _inside(self, path: str) -> str | None:
        """The path within the root, of what the program names from there or from the top."""
        whole = self.root / path
        return str(whole.relative_to(self.root)) if whole.is_relative_to(self.root) else None


@dataclass
class File:
    """What is durable of a file, and what was written since: (step, place, bytes)."""

    durable: bytearray
    pending: list[tuple[int, int, bytes]] = field(default_factory=list)
    end: int = 0

    def write(self, step: int, at: int, data: bytes) -> None:
        place = self.end if at < 0 else at
        self.pending.append((step, place, data))
        self.end = max(self.end, place + len(data))

    def sync(self, before: int) -> None:
        for step, at, data in self.pending:
            if step < before:
                _put(self.durable, at, data)
        self.pending = [one for one in self.pending if one[0] >= before]

    def cut_to(self, size: int) -> None:
        del self.durable[size:]
        self.durable.extend(bytes(max(0, size - len(self.durable))))
        self.pending = [(step, at, data[: size - at]) for step, at, data in self.pending if at < size]
        self.end = size

    def left(self, dice: random.Random, share: float | None = None) -> bytes:
        """What a disk may have of it after a cut: of what was not synced a `share`, by default any."""
        content = bytearray(self.durable)
        share = dice.choice((0.0, 0.3, 0.7, 1.0)) if share is None else share
        for _, at, data in self.pending:
            if dice.random() < share:
                torn = dice.random() < 0.3 and len(data) > SECTOR
                kept = data[: dice.randrange(0, len(data), SECTOR)] if torn else data
                _put(content, at, kept)
        return bytes(content)


def cut(
    trace: Trace, before: Path, after: Path, at: int, dice: random.Random, share: float | None = None
) -> list[tuple[str, int, str]]:
    """Puts into `after` what a cut after `at` steps leaves of `before`. Returns the receipts answered by then."""
    shutil.copytree(before, after, symlinks=True)
    files: dict[str, File] = {}
    answered: list[tuple[str, int, str]] = []
    for number, step in enumerate(trace.steps[:at]):
        if step.kind == "answered":
            answered.extend(step.receipts)
        else:
            _apply(files, after, number, step)
    for path, file in files.items():
        target = after / path
        if target.parent.is_dir():
            target.write_bytes(file.left(dice, share))
    return answered


def _apply(files: dict[str, File], after: Path, number: int, step: Step) -> None:
    if step.kind == "renamed":
        files[step.other] = files.pop(step.path) if step.path in files else _file(after, step.path)
        (after / step.path).unlink(missing_ok=True)
    elif step.kind == "linked":
        files[step.other] = files.setdefault(step.path, _file(after, step.path))
    elif step.kind == "unlinked":
        files.pop(step.path, None)
        if (after / step.path).is_file():
            (after / step.path).unlink()
    elif step.kind == "synced" and (after / step.path).is_dir():
        return
    else:
        file = files.setdefault(step.path, _file(after, step.path))
        if step.kind == "written":
            file.write(number, step.at, step.data)
        elif step.kind == "synced":
            file.sync(step.at)
        else:
            file.cut_to(step.at)


def _file(after: Path, path: str) -> File:
    content = bytearray((after / path).read_bytes()) if (after / path).is_file() else bytearray()
    return File(content, end=len(content))


def moments(trace: Trace, count: int, dice: random.Random) -> Iterator[int]:
    """So many moments, half of them right before or after an answer: there it matters most."""
    answers = [at for at, step in enumerate(trace.steps) if step.kind == "answered"]
    for number in range(count):
        near = dice.choice(answers) + dice.choice((0, 1, 1, 2))
        yield min(near if number % 2 else dice.randrange(answers[0], len(trace.steps)), len(trace.steps))


def _put(content: bytearray, at: int, data: bytes) -> None:
    if len(content) < at:
        content.extend(bytes(at - len(content)))
    content[at : at + len(data)] = data


def _bytes(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


def _unescaped(path: str) -> str:
    return _bytes(path).decode() if path.startswith("\\x") else path
