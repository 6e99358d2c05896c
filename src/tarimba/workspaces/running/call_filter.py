"""System calls that no command in a workspace needs, refused before the kernel looks at them.

Most of them need a capability that the command does not have; this is the second lock on the same door. It alone keeps
from the keys of the user that several agents may share, from typing into the terminal that it was started from
(TIOCSTI), and from kinds of sockets that reach the host by themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
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
_SOCKET: Final = {"x86_64": 41, "aarch64": 198}
# TIOCSTI, TIOCLINUX
_TYPING: Final = (0x5412, 0x541C)
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
_FAMILIES: Final = (1, 2, 10, 16)
_X32: Final = 0x40000000

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000
_EPERM: Final = _ERRNO | 1
_ENOSYS: Final = _ERRNO | 38
_EAFNOSUPPORT: Final = _ERRNO | 97
# In `struct seccomp_data`: the number, the architecture, the low halves of the first two arguments.
_NUMBER: Final = 0
_ARCH: Final = 4
_FIRST: Final = 16
_SECOND: Final = 24


def restrict(machine: str) -> None:
    """For good, and for every process that follows; the process must have given up new privileges."""
    syscalls.filter_calls(program(machine))


def program(machine: str) -> bytes:
    """The filter in classic BPF. Calls of another architecture end the process."""
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(machine))


def _steps(machine: str) -> Iterator[tuple[int, int, int, int]]:
    yield _LOAD, 0, 0, _ARCH
    yield _EQUAL, 1, 0, _MARK[machine]
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    if machine == "x86_64":
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _ENOSYS
    for number in sorted({*_DENIED_FOR_ALL, *_DENIED[machine].values()}):
        yield from _refused(number, _EPERM)
    yield _EQUAL, 0, 2 + 2 * len(_TYPING), _IOCTL[machine]
    yield _LOAD, 0, 0, _SECOND
    for request in _TYPING:
        yield from _refused(request, _EPERM)
    yield _RETURN, 0, 0, _ALLOW
    yield _EQUAL, 0, 2 + 2 * len(_FAMILIES), _SOCKET[machine]
    yield _LOAD, 0, 0, _FIRST
    for family in _FAMILIES:
        yield from _refused(family, _ALLOW)
    yield _RETURN, 0, 0, _EAFNOSUPPORT
    yield _RETURN, 0, 0, _ALLOW


def _refused(value: int, answer: int) -> Iterator[tuple[int, int, int, int]]:
    """Answers when the loaded word is `value`."""
    yield _EQUAL, 0, 1, value
    yield _RETURN, 0, 0, answer
