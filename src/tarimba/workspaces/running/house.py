"""The root that a command sees: the system read-only, a `/proc`, `/dev` and `/tmp` of its own, and what is bound."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from tarimba.workspaces.running import syscalls
from tarimba.workspaces.running.mounting import FIXED, INERT, attach, bound, make_folder, step, tree
from tarimba.workspaces.running.plan import Plan

DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
WRITABLE: Final = ("/tmp", "/dev/shm", "/dev/pts")  # noqa: S108 - those of the command's own root
_SYSTEM: Final = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
# What programs read to find libraries, hosts, certificates and the time; no accounts and no keys.
_CONFIGURATION: Final = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "nsswitch.conf", "gai.conf", "host.conf", "hosts",
    "protocols", "services", "mime.types", "localtime", "timezone", "ca-certificates", "ssl/certs", "ssl/openssl.cnf",
    "pki/tls/certs", "pki/ca-trust", "fonts", "locale.alias", "terminfo", "inputrc", "magic", "os-release",
    "resolv.conf",
)  # fmt: skip
# Read by anybody who may, though it tells of the machine and of others on it.
_HIDDEN_FILES: Final = (
    "kcore", "kmsg", "kallsyms", "keys", "key-users", "timer_list", "sched_debug", "latency_stats", "slabinfo",
    "vmallocinfo", "kpagecount", "kpageflags", "kpagecgroup", "modules", "iomem", "ioports",
)  # fmt: skip
_HIDDEN_FOLDERS: Final = ("acpi", "asound", "bus", "driver", "fs", "irq", "scsi", "tty", "dynamic_debug")
_ROOT_BYTES: Final = "16m"
_SCRATCH_BYTES: Final = "1g"
_LINKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dev/fd": "/proc/self/fd",
        "dev/stdin": "/proc/self/fd/0",
        "dev/stdout": "/proc/self/fd/1",
        "dev/stderr": "/proc/self/fd/2",
        "dev/ptmx": "pts/ptmx",
        "etc/mtab": "/proc/self/mounts",
        "var/tmp": "/tmp",  # noqa: S108 - as the line of the root's own folders says
        "var/run": "/run",
    }
)
_ACCOUNTS: Final = "root:x:0:0:root:/root:/usr/sbin/nologin\n"


@dataclass(frozen=True, slots=True)
class _Tree:
    """A detached tree and where it goes; `owner` makes what is missing there his."""

    path: str
    handle: int
    owner: tuple[int, int] | None = None


def enter(plan: Plan, machine: str, shifted: Sequence[int]) -> int:
    """Makes that root the root of this process, which has a namespace of mounts to itself and may do all in it.

    `shifted` are the trees of its binds where they stand ready. Returns a descriptor of `/proc` that can be written,
    for the last steps before the command. Raises `NotRunError`.
    """
    with step("keep its mounts from others"):
        syscalls.private()
    root, proc = _filesystem("tmpfs", {"mode": "755", "size": _ROOT_BYTES}), _proc(INERT)
    # All of the host is opened before anything of it is covered.
    trees = [*_system(), *_own(plan), *_software(plan), *_bound(plan, shifted)]
    with step("stand on a root of its own"):
        # Any directory of the host does, this one is there on every machine; nobody else sees it covered.
        syscalls.attach_at(root, "/usr")
    _furnish(root, plan)
    for one in trees:
        attach(one.handle, root, one.path, one.owner)
        os.close(one.handle)
    _hide(root)
    with step("stand on a root of its own"):
        syscalls.set_attributes(root, FIXED, recursive=False)
        os.fchdir(root)
        syscalls.pivot_here(machine)
        syscalls.unmount_here()
        os.chdir("/")
    os.close(root)
    return proc


def _system() -> Iterator[_Tree]:
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_dir() and not path.is_symlink():
            yield _Tree(name, tree(str(path), FIXED))
    for name in _CONFIGURATION:
        # Often a link to what a service keeps up to date elsewhere.
        path = Path("/etc", name).resolve()
        if path.exists():
            yield _Tree(f"etc/{name}", tree(str(path), FIXED))


def _own(plan: Plan) -> Iterator[_Tree]:
    # Not a copy of the other one: kernels before 6.15 copy no mount that is attached nowhere.
    yield _Tree("proc", _proc(FIXED))
    # A mount, so that nobody puts another folder in the place of one that something is mounted in.
    for path in ("/tmp", *plan.scratch):  # noqa: S108 - that of the command's own root
        yield _Tree(path.lstrip("/"), _filesystem("tmpfs", {"mode": "1777", "size": _SCRATCH_BYTES}))
    for name in DEVICES:
        yield _Tree(f"dev/{name}", tree(f"/dev/{name}", syscalls.NOSUID | syscalls.NOEXEC | syscalls.RDONLY))
    yield _Tree("dev/shm", _filesystem("tmpfs", {"mode": "1777", "size": _SCRATCH_BYTES}))
    with step("give it terminals of its own"):
        pts = {"newinstance": "", "ptmxmode": "0666", "mode": "0620"}
        yield _Tree("dev/pts", syscalls.new_filesystem("devpts", pts, syscalls.NOSUID | syscalls.NOEXEC))


def _software(plan: Plan) -> Iterator[_Tree]:
    for one in plan.software:
        yield _Tree(one.target.lstrip("/"), tree(one.source, FIXED))


def _bound(plan: Plan, shifted: Sequence[int]) -> Iterator[_Tree]:
    handles = shifted or [bound(bind, plan) for bind in plan.binds]
    for bind, handle in zip(plan.binds, handles, strict=True):
        # What is missing in its workspace is made as the agent; elsewhere it has no rights to make anything.
        is_inside = any(PurePosixPath(bind.target).is_relative_to(one) for one in plan.writable)
        yield _Tree(bind.target.lstrip("/"), handle, (plan.uid, plan.gid) if is_inside else None)


def _proc(attributes: int) -> int:
    options = {"hidepid": "ptraceable"}
    with step("give it a /proc of its own"):
        return syscalls.new_filesystem("proc", options, attributes | syscalls.NOEXEC)


def _filesystem(kind: str, options: dict[str, str]) -> int:
    with step("give it a file system of its own"):
        return syscalls.new_filesystem(kind, options, INERT)


def _furnish(root: int, plan: Plan) -> None:
    for folder in ("proc", "dev", "etc", "run", "tmp", "var", *(path.lstrip("/") for path in plan.writable)):
        os.close(make_folder(root, folder))
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            os.symlink(path.readlink(), name, dir_fd=root)
    for name, target in _LINKS.items():
        os.symlink(target, name, dir_fd=root)
    home = plan.environment.get("HOME", "/")
    mine = f"agent:x:{plan.inside}:{plan.inside}:agent:{home}:/bin/sh\n"
    others = "" if plan.inside == 0 else _ACCOUNTS
    _write(root, "etc/passwd", mine + others)
    _write(root, "etc/group", "".join(f"{name}:x:{number}:\n" for name, number in _groups(plan)))
    _write(root, "etc/hostname", "workspace\n")


def _groups(plan: Plan) -> Iterator[tuple[str, int]]:
    yield "agent", plan.inside
    if plan.inside:
        yield "root", 0


def _write(root: int, path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=root)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _hide(root: int) -> None:
    """Covers what `/proc` tells of the machine beside the command's own processes."""
    for name in _HIDDEN_FILES:
        if _is_there(root, f"proc/{name}"):
            attach(tree("/dev/null", FIXED), root, f"proc/{name}")
    for name in _HIDDEN_FOLDERS:
        if _is_there(root, f"proc/{name}"):
            empty = syscalls.new_filesystem("tmpfs", {"mode": "555"}, FIXED | syscalls.NOEXEC)
            attach(empty, root, f"proc/{name}")


def _is_there(root: int, path: str) -> bool:
    try:
        os.stat(path, dir_fd=root, follow_symlinks=False)
    except (FileNotFoundError, PermissionError):
        return False
    return True
