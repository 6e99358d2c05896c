"""System calls that no command in a workspace needs, refused before the kernel looks at them.

Most of them need a capability that the command does not have; this is the second lock on the same door. It alone keeps
from the keys of the user that several agents may share, from typing into the terminal that it was started from
(TIOCSTI), from holding a file against whoever opens it (leases), from kinds of sockets that reach the host by
themselves, and from leaving a program in the workspace that runs as its owner for whoever starts it on the host.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from tarimba.workspaces.running import syscalls

_DENIED_FOR_ALL: Final = (
    # Mounts, by every door.
    428, 429, 430, 431, 432, 433, 442, 457, 458, 467,
    # io_uring does what this filter forbids.
    425, 426, 427,
    # quotactl_fd, memfd_secret
    443, 447,
)  # fmt: skip
_NAMES: Final = (
    "mount umount2 pivot_root chroot unshare setns open_by_handle_at name_to_handle_at add_key request_key keyctl "
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff syslog acct quotactl "
    "bpf perf_event_open userfaultfd fanotify_init settimeofday adjtimex clock_adjtime sethostname setdomainname "
    "vhangup kcmp lookup_dcookie process_vm_readv process_vm_writev"
).split()
# fmt: off
_DENIED: Final = {
    "x86_64": dict(zip(_NAMES, (
        165, 166, 155, 161, 272, 308, 304, 303, 248, 249, 250,
        175, 313, 176, 246, 320, 169, 167, 168, 103, 163, 179,
        321, 298, 323, 300, 164, 159, 305, 170, 171,
        153, 312, 212, 310, 311,
    ), strict=True)) | {"iopl": 172, "ioperm": 173},
    "aarch64": dict(zip(_NAMES, (
        40, 39, 41, 51, 97, 268, 265, 264, 217, 218, 219,
        105, 273, 106, 104, 294, 142, 224, 225, 116, 89, 60,
        280, 241, 282, 262, 170, 171, 266, 161, 162,
        58, 272, 18, 270, 271,
    ), strict=True)),
}
# fmt: on
_MARK: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_IOCTL: Final = {"x86_64": 16, "aarch64": 29}
_FCNTL: Final = {"x86_64": 72, "aarch64": 25}
# F_SETLEASE: whoever else opens the file has to wait for its holder.
_LEASES: Final = (1024,)
_SOCKET: Final = {"x86_64": 41, "aarch64": 198}
# TIOCSTI, TIOCLINUX
_TYPING: Final = (0x5412, 0x541C)
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
_FAMILIES: Final = (1, 2, 10, 16)
_X32: Final = 0x40000000
# chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat: which argument is the mode.
_MODES: Final = {
    "x86_64": {90: 1, 91: 1, 268: 2, 452: 2, 85: 1, 133: 1, 259: 2},
    "aarch64": {52: 1, 53: 2, 452: 2, 33: 2},
}
# open, openat: which argument is the flags; the mode comes after them, and counts where a file is made.
_OPENS: Final = {"x86_64": {2: 1, 257: 2}, "aarch64": {56: 2}}
_CREATES: Final = 0o100 | 0o20000000
_SET_ID: Final = 0o6000
# Its mode lies in memory, where a filter does not look.
_OPENAT2: Final = 437

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY: Final = 0x45
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000
_EPERM: Final = _ERRNO | 1
_ENOSYS: Final = _ERRNO | 38
_EAFNOSUPPORT: Final = _ERRNO | 97
# In `struct seccomp_data`: the number, the architecture, the low half of the first argument.
_NUMBER: Final = 0
_ARCH: Final = 4
_FIRST: Final = 16
_Step = tuple[int, int, int, int]


def restrict(machine: str) -> None:
    """For good, and for every process that follows; the process must have given up new privileges."""
    syscalls.filter_calls(program(machine))


def program(machine: str) -> bytes:
    """The filter in classic BPF. Calls of another architecture end the process."""
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(machine))


def _steps(machine: str) -> Iterator[_Step]:
    yield _LOAD, 0, 0, _ARCH
    yield _EQUAL, 1, 0, _MARK[machine]
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    if machine == "x86_64":
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _ENOSYS
    for number in sorted({*_DENIED_FOR_ALL, *_DENIED[machine].values()}):
        yield from _answer(number, _EPERM)
    yield from _answer(_OPENAT2, _ENOSYS)
    yield from _only(_IOCTL[machine], _judged(1, _TYPING, _EPERM, _ALLOW))
    yield from _only(_FCNTL[machine], _judged(1, _LEASES, _EPERM, _ALLOW))
    yield from _only(_SOCKET[machine], _judged(0, _FAMILIES, _ALLOW, _EAFNOSUPPORT))
    for number, mode in _MODES[machine].items():
        yield from _only(number, _raising(mode))
    for number, flags in _OPENS[machine].items():
        yield from _only(
            number, [(_LOAD, 0, 0, _word(flags)), (_ANY, 1, 0, _CREATES), *_allowed(), *_raising(flags + 1)]
        )
    yield from _allowed()


def _only(number: int, steps: Iterable[_Step]) -> Iterator[_Step]:
    """What is asked of one system call; `steps` end with an answer."""
    held = list(steps)
    yield _EQUAL, 0, len(held), number
    yield from held


def _judged(argument: int, values: Iterable[int], answer: int, otherwise: int) -> Iterator[_Step]:
    yield _LOAD, 0, 0, _word(argument)
    for value in values:
        yield from _answer(value, answer)
    yield _RETURN, 0, 0, otherwise


def _raising(argument: int) -> list[_Step]:
    """Refuses a mode by which a file would run as its owner or group."""
    return [(_LOAD, 0, 0, _word(argument)), (_ANY, 0, 1, _SET_ID), (_RETURN, 0, 0, _EPERM), *_allowed()]


def _allowed() -> list[_Step]:
    return [(_RETURN, 0, 0, _ALLOW)]


def _answer(value: int, answer: int) -> Iterator[_Step]:
    """Answers when the loaded word is `value`."""
    yield _EQUAL, 0, 1, value
    yield _RETURN, 0, 0, answer


def _word(argument: int) -> int:
    """Where the low half of an argument is."""
    return _FIRST + 8 * argument
