"""The filter of system calls, judged as the kernel judges it, for both kinds of machines."""

from __future__ import annotations

import struct

import pytest

from tarimba.workspaces.running.call_filter import program

ALLOWED, KILLED, EPERM, ENOSYS, EAFNOSUPPORT = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026, 0x00050061
MARKS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    "x86_64": {
        "read": 0, "open": 257, "ioctl": 16, "socket": 41, "chmod": 268, "fchmod": 91, "mount": 165, "keyctl": 250,
        "unshare": 272, "fcntl": 72, "bpf": 321, "execve": 59, "clone": 56,
    },
    "aarch64": {
        "read": 63, "open": 56, "ioctl": 29, "socket": 198, "chmod": 53, "fchmod": 52, "mount": 40, "keyctl": 219,
        "unshare": 97, "fcntl": 25, "bpf": 280, "execve": 221, "clone": 220,
    },
}  # fmt: skip
O_CREAT = 0o100
JUDGED = [
    *((name, (), EPERM) for name in ("mount", "keyctl", "unshare", "bpf")),
    *((name, (), ALLOWED) for name in ("read", "execve", "clone")),
    ("ioctl", (0, 0x5412), EPERM),
    ("ioctl", (0, 0x541C), EPERM),
    ("ioctl", (0, 0x5401), ALLOWED),
    *(("socket", (family,), ALLOWED) for family in (1, 2, 10, 16)),
    *(("socket", (family,), EAFNOSUPPORT) for family in (17, 38, 40)),
    ("fcntl", (0, 1024), EPERM),
    *(("fcntl", (0, command), ALLOWED) for command in (1, 6, 1025, 1030)),
    ("chmod", (0, 0, 0o4755), EPERM),
    ("chmod", (0, 0, 0o2755), EPERM),
    ("chmod", (0, 0, 0o1777), ALLOWED),
    ("fchmod", (0, 0o4755), EPERM),
    ("fchmod", (0, 0o755), ALLOWED),
    ("open", (0, 0, O_CREAT, 0o4755), EPERM),
    ("open", (0, 0, 0o20200000, 0o4755), EPERM),
    ("open", (0, 0, O_CREAT, 0o644), ALLOWED),
    # Without making a file the mode is whatever the register held.
    ("open", (0, 0, 0, 0o6777), ALLOWED),
]


@pytest.mark.promise("workspace-confined")
@pytest.mark.parametrize("machine", sorted(MARKS))
def test_each_call_is_judged_by_its_number_and_arguments(machine: str) -> None:
    calls = CALLS[machine]
    found = {(name, given): judge(machine, calls[name], given) for name, given, _ in JUDGED}
    assert found == {(name, given): answer for name, given, answer in JUDGED}
    assert judge(machine, 437) == ENOSYS
    assert judge(machine, calls["read"], mark=MARKS["aarch64" if machine == "x86_64" else "x86_64"]) == KILLED
    # The numbers of 32-bit pointers on a 64-bit machine.
    assert judge("x86_64", 0x40000000 | calls["read"]) == ENOSYS


def judge(machine: str, number: int, given: tuple[int, ...] = (), mark: int | None = None) -> int:
    """Runs the program over one call, as `struct seccomp_data` has it; the answer."""
    arguments = (*given, *[0] * (6 - len(given)))
    data = struct.pack("=IIQ6Q", number, MARKS[machine] if mark is None else mark, 0, *arguments)
    code = list(struct.iter_unpack("=HBBI", program(machine)))
    at, loaded = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x06:
            return int(value)
        if operation == 0x20:
            (loaded,) = struct.unpack_from("=I", data, value)
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[operation]
            at += yes if holds else no
