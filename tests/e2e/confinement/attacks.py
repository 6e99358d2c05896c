"""Run inside, by the system's own interpreter: tries to get at what it must not, and says what became of each attempt.

Its first argument is JSON: the fixed files and folders, the agent's own folder, paths of the host, a process of the
host, an abstract socket. Its answer is one line of JSON: by name, `done` or the name of the error. Nothing here knows
how it is held.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import platform
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

GIVEN: dict[str, Any] = json.loads(sys.argv[1])
OWN = Path(GIVEN["own"])
LIBC = ctypes.CDLL(None, use_errno=True)
AT_CWD = -100
X86 = platform.machine() == "x86_64"
RESULTS: dict[str, str] = {}
OTHER = OWN / "folder"
OTHER.mkdir(exist_ok=True)
# What it came to life with besides the standard three; the list itself was open while it was made.
HELD_AT_FIRST = [
    name for name in os.listdir("/proc/self/fd") if int(name) > 2 and os.path.exists(f"/proc/self/fd/{name}")
]


def call(number: int, *arguments: Any) -> None:
    if LIBC.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def libc(name: str, *arguments: Any) -> None:
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def attempt(name: str, act: Callable[..., Any], *arguments: Any) -> None:
    try:
        act(*arguments)
    except OSError as error:
        RESULTS[name] = errno.errorcode.get(error.errno or 0, str(error.errno))
    else:
        RESULTS[name] = "done"


def mine() -> Path:
    (OWN / "mine").write_text("the agent's words\n")
    return OWN / "mine"


def write(path: str, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.write(handle, b"the agent's words\n")
    finally:
        os.close(handle)


def reopened(path: str) -> None:
    """By the descriptor of a file that may be read."""
    handle = os.open(path, os.O_RDONLY)
    try:
        write(f"/proc/self/fd/{handle}", os.O_WRONLY)
    finally:
        os.close(handle)


def by_handle(path: str) -> None:
    buffer = ctypes.create_string_buffer(256)
    ctypes.cast(buffer, ctypes.POINTER(ctypes.c_uint))[0] = 128
    mount = ctypes.c_int()
    call(303 if X86 else 264, AT_CWD, os.fsencode(path), buffer, ctypes.byref(mount), 0)
    call(304 if X86 else 265, os.open(OWN, os.O_RDONLY), buffer, os.O_RDWR)


def through_link(path: str) -> None:
    link = OWN / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    write(str(link), os.O_WRONLY)


def cloned(path: str) -> None:
    """FICLONE of own bytes into a file that is opened to be read."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with mine().open("rb") as source:
            fcntl.ioctl(handle, 0x40049409, source.fileno())
    finally:
        os.close(handle)


def flagged(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, 0x40086602, b"\x20\0\0\0\0\0\0\0")
    finally:
        os.close(handle)


def exchanged(path: Any, other: Any) -> None:
    libc("renameat2", AT_CWD, os.fsencode(path), AT_CWD, os.fsencode(other), 2)


FILE_ATTEMPTS: dict[str, Callable[[str], Any]] = {
    "write": lambda path: write(path, os.O_WRONLY),
    "append": lambda path: write(path, os.O_WRONLY | os.O_APPEND),
    "open empty": lambda path: write(path, os.O_WRONLY | os.O_TRUNC),
    "open both ways": lambda path: write(path, os.O_RDWR),
    "truncate": lambda path: os.truncate(path, 0),
    "chmod": lambda path: os.chmod(path, 0o666),
    "chown": lambda path: os.chown(path, os.getuid(), os.getgid()),
    "touch": lambda path: os.utime(path, (0, 0)),
    "attribute": lambda path: os.setxattr(path, "user.mine", b"1"),
    "flags": lambda path: flagged(path),
    "clone into": lambda path: cloned(path),
    "hard link of": lambda path: os.link(path, OWN / "linked"),
    "rename over": lambda path: os.replace(mine(), path),
    "exchange with": lambda path: exchanged(mine(), path),
    "rename away": lambda path: os.rename(path, OWN / "taken"),
    "unlink": os.unlink,
    "by its descriptor": lambda path: reopened(path),
    "by its handle": lambda path: by_handle(path),
    "through a link": lambda path: through_link(path),
    "through /proc/self/root": lambda path: write(f"/proc/self/root{path}", os.O_WRONLY),
    "through /proc/self/cwd": lambda path: write(f"/proc/self/cwd/{os.path.relpath(path)}", os.O_WRONLY),
}
FOLDER_ATTEMPTS: dict[str, Callable[[str], Any]] = {
    "create in": lambda folder: write(f"{folder}/agents", os.O_WRONLY | os.O_CREAT),
    "nameless in": lambda folder: write(folder, os.O_WRONLY | os.O_TMPFILE),
    "mkdir in": lambda folder: os.mkdir(f"{folder}/agents"),
    "pipe in": lambda folder: os.mkfifo(f"{folder}/agents"),
    "symlink in": lambda folder: os.symlink("/etc/passwd", f"{folder}/agents"),
    "hard link into": lambda folder: os.link(mine(), f"{folder}/agents"),
    "rename into": lambda folder: os.rename(mine(), f"{folder}/agents"),
    "socket in": lambda folder: socket.socket(socket.AF_UNIX).bind(f"{folder}/agents"),
    "chmod of": lambda folder: os.chmod(folder, 0o777),
    "chown of": lambda folder: os.chown(folder, os.getuid(), os.getgid()),
    "touch of": lambda folder: os.utime(folder, (0, 0)),
    "attribute of": lambda folder: os.setxattr(folder, "user.mine", b"1"),
}
HELD_ATTEMPTS: dict[str, Callable[[str], Any]] = {
    "move": lambda folder: os.rename(folder, f"{folder}-aside"),
    "exchange": lambda folder: exchanged(folder, OTHER),
    "remove": os.rmdir,
    "move over": lambda folder: os.rename(OTHER, folder),
}
MOUNT_ATTEMPTS: dict[str, Callable[[str], Any]] = {
    "remount": lambda path: libc("mount", None, os.fsencode(path), None, ctypes.c_ulong(32 | 4096), None),
    "remount whole": lambda path: libc("mount", None, os.fsencode(path), None, ctypes.c_ulong(32), None),
    "lift read-only from": lambda path: lifted(os.fsencode(path)),
    "unmount": lambda path: libc("umount2", os.fsencode(path), 0),
    "detach": lambda path: libc("umount2", os.fsencode(path), 2),
}


def on_paths() -> None:
    some = [*GIVEN["folders"], *GIVEN["files"][:1], "/proc", "/usr"]
    for attempts, paths in (
        (FILE_ATTEMPTS, GIVEN["files"]),
        (FOLDER_ATTEMPTS, GIVEN["folders"]),
        (HELD_ATTEMPTS, GIVEN["held"]),
        (MOUNT_ATTEMPTS, some),
    ):
        for path in paths:
            for name, act in attempts.items():
                attempt(f"{name} {path}", act, path)


def lifted(name: bytes) -> None:
    attr = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
    call(442, AT_CWD, name, 0x8000, attr, ctypes.c_size_t(32))


def covering() -> None:
    folder = os.fsencode(GIVEN["folders"][0])
    own = os.fsencode(OWN)
    attempt("bind over", lambda: libc("mount", own, folder, None, ctypes.c_ulong(4096), None))
    attempt("bind elsewhere", lambda: libc("mount", folder, own, None, ctypes.c_ulong(4096), None))
    attempt("move a mount", lambda: libc("mount", folder, own, None, ctypes.c_ulong(8192), None))
    attempt("tmpfs over", lambda: libc("mount", b"tmpfs", folder, b"tmpfs", ctypes.c_ulong(0), None))
    attempt("proc anew", lambda: libc("mount", b"proc", own, b"proc", ctypes.c_ulong(0), None))
    attempt("sysfs", lambda: libc("mount", b"sysfs", own, b"sysfs", ctypes.c_ulong(0), None))
    attempt("clone a tree", lambda: call(428, AT_CWD, folder, 1))
    attempt("open a tree", lambda: call(428, AT_CWD, folder, 0))
    attempt("begin a file system", lambda: call(430, b"tmpfs", 0))
    attempt("pivot_root", lambda: call(155 if X86 else 41, b".", b"."))
    attempt("chroot", lambda: os.chroot(OWN))


def namespaces() -> None:
    for name, flag in {
        "user": 0x10000000, "mounts": 0x20000, "processes": 0x20000000, "network": 0x40000000, "time": 0x80,
        "user and mounts": 0x10020000,
    }.items():  # fmt: skip
        attempt(f"namespace of {name}", libc, "unshare", flag)
    for name, flag in {"user": 0x10000000, "user and mounts": 0x10020000}.items():
        attempt(f"child with a namespace of {name}", child_with, flag)
    for kind in ("mnt", "user", "pid"):
        attempt(f"enter the first one's {kind}", entered, f"/proc/1/ns/{kind}")
    attempt("renumber users", lambda: write("/proc/self/uid_map", os.O_WRONLY))
    attempt("allow namespaces", lambda: written("/proc/sys/user/max_user_namespaces", b"9"))


def child_with(flag: int) -> None:
    arguments = (ctypes.c_uint64 * 8)(flag, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    child = LIBC.syscall(ctypes.c_long(435), arguments, ctypes.c_size_t(64))
    if child < 0:
        raise OSError(ctypes.get_errno(), "refused")
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def entered(path: str) -> None:
    with open(path, "rb") as namespace:
        libc("setns", namespace.fileno(), 0)


def written(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)


def read(path: Any) -> None:
    """Done when there is one byte to be had, or one name in a folder."""
    if os.path.isdir(path):
        is_there = bool(os.listdir(path))
    else:
        with open(path, "rb") as file:
            is_there = bool(file.read(1))
    if not is_there:
        raise FileNotFoundError(errno.ENOENT, "nothing there")


def host() -> None:
    for path in GIVEN["host_paths"]:
        attempt(f"read {path}", read, path)
        attempt(f"read by /proc/1 {path}", read, f"/proc/1/root{path}")
        attempt(f"climb to {path}", read, "../" * 40 + path.lstrip("/"))
        attempt(f"link to {path}", linked, path)
        attempt(f"make in {path}", write, f"{path}/agents", os.O_WRONLY | os.O_CREAT)
    for name in ("environ", "root", "cwd", "mem", "maps", "fd", "exe", "cmdline", "stack", "auxv"):
        attempt(f"/proc/1/{name}", read, f"/proc/1/{name}")
    for name in (
        "kcore", "kmsg", "kallsyms", "keys", "key-users", "iomem", "timer_list", "slabinfo", "bus", "irq", "fs", "acpi",
    ):  # fmt: skip
        attempt(f"read /proc/{name}", read, f"/proc/{name}")
    attempt("read /sys", lambda: read("/sys"))
    attempt("processes of the host", foreign_processes)
    attempt("a file of the system", lambda: written("/usr/bin/env", b""))
    attempt("make in /usr", lambda: written("/usr/agents", b""))
    attempt("make in /etc", lambda: Path("/etc/agents").touch())
    attempt("make in /", lambda: Path("/agents").touch())


def linked(path: str) -> None:
    link = OWN / "outward"
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    read(link)


def foreign_processes() -> None:
    mine_only = {os.getpid(), os.getppid()}
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in mine_only:
            with open(f"/proc/{name}/environ", "rb") as file:
                file.read()
            return
    raise ProcessLookupError(errno.ESRCH, "none is seen")


def processes() -> None:
    pid = GIVEN["host_pid"]
    attempt("signal a process of the host", lambda: os.kill(pid, 0))
    attempt("trace a process of the host", lambda: libc("ptrace", 16, pid, None, None))
    attempt("trace the first process", lambda: libc("ptrace", 16, 1, None, None))
    attempt("read its memory", lambda: call(310 if X86 else 270, 1, None, 0, None, 0, 0))
    attempt("open it", lambda: os.close(os.pidfd_open(pid)))


def kernel() -> None:
    numbers = {
        "load a module": (175, 105), "load a module's file": (313, 273), "kexec": (246, 104), "kexec file": (320, 294),
        "reboot": (169, 142), "the kernel's log": (103, 116), "set the clock": (164, 170), "add a key": (248, 217),
        "keyctl": (250, 219), "bpf": (321, 280), "events": (298, 241), "faults": (323, 282), "swap": (167, 224),
        "set the host's name": (170, 161), "accounting": (163, 89), "io_uring": (425, 425),
    }  # fmt: skip
    arguments: dict[str, tuple[Any, ...]] = {
        "keyctl": (0, -4, 1), "io_uring": (1, ctypes.create_string_buffer(120)),
        "add a key": (b"user", b"mine", b"x", ctypes.c_size_t(1), -4), "set the host's name": (b"x", 1),
        "events": (ctypes.create_string_buffer(b"\1\0\0\0\x70\0\0\0", 112), 0, -1, -1, 0),
        "the kernel's log": (3, 0, 0),
        "faults": (0,), "bpf": (0, ctypes.create_string_buffer(b"\1\0\0\0\4\0\0\0\4\0\0\0\4\0\0\0", 72), 72),
    }  # fmt: skip
    for name, (here, there) in numbers.items():
        attempt(name, call, here if X86 else there, *arguments.get(name, (None, 0, 0)))
    for name in (
        "kernel/core_pattern",
        "vm/swappiness",
        "kernel/hostname",
        "fs/file-max",
    ):
        path = f"/proc/sys/{name}"
        attempt(f"set {name}", written, path, Path(path).read_bytes())
    attempt("sysrq", lambda: written("/proc/sysrq-trigger", b"h"))
    disk = os.stat(OWN).st_dev
    attempt("device of memory", lambda: os.mknod(OWN / "mem", 0o20600, os.makedev(1, 1)))
    attempt("device of the disk", lambda: os.mknod(OWN / "disk", 0o60600, disk))


def sockets() -> None:
    attempt("packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x300))
    attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
    attempt("host of the machine", lambda: socket.socket(40, socket.SOCK_STREAM))
    attempt("cryptography of the kernel", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
    if GIVEN["abstract"]:
        attempt(
            "abstract socket of the host",
            lambda: socket.socket(socket.AF_UNIX).connect("\0" + GIVEN["abstract"]),
        )


def rights() -> None:
    attempt("be root", lambda: os.setresuid(GIVEN["other_uid"], GIVEN["other_uid"], GIVEN["other_uid"]))
    attempt("be of a group", lambda: os.setgroups([0]))
    attempt("have capabilities", capabilities)
    attempt("take capabilities", take_capabilities)
    attempt("type into a terminal", typed)
    attempt("run as its owner", os.chmod, mine(), 0o4755)
    attempt("begin as its owner", lambda: os.open(OWN / "raised", os.O_CREAT | os.O_WRONLY, 0o4755))
    attempt("descriptors of the host", descriptors)


def capabilities() -> None:
    status = Path("/proc/self/status").read_text()
    sets = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
    if not any(int(value, 16) for value in sets):
        raise PermissionError(errno.EPERM, "none")


def take_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    every = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    libc("capset", header, every)


def typed() -> None:
    _, follower = os.openpty()
    with contextlib.suppress(OSError):
        # It leads a session already.
        os.setsid()
    fcntl.ioctl(follower, 0x540E, 0)
    fcntl.ioctl(follower, 0x5412, b"x")


def descriptors() -> None:
    if not HELD_AT_FIRST:
        raise FileNotFoundError(errno.ENOENT, "none")


def allowed() -> None:
    """What the agent must be able to do."""
    skill = Path(GIVEN["own_skills"]) / "mine"
    skill.mkdir(exist_ok=True)
    (skill / "SKILL.md").write_text("mine\n")
    (skill / "other").write_text("mine\n")
    (skill / "other").rename(skill / "renamed")
    (skill / "renamed").unlink()
    for path in GIVEN["files"]:
        Path(path).read_bytes()
    os.mkfifo("/tmp/pipe")
    Path("/dev/null").write_text("x")
    os.close(os.openpty()[0])
    for end in socket.socketpair():
        end.close()


for group in (on_paths, covering, namespaces, host, processes, kernel, sockets, rights):
    if group.__name__ in GIVEN["groups"]:
        group()
attempt("allowed", allowed)
print(json.dumps({"results": RESULTS, "environment": dict(os.environ), "uid": os.getuid()}))
