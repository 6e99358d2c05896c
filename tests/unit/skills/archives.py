"""Archives written byte by byte, so that each can lie about one thing."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SKILL = b"---\nname: close-month\ndescription: Use when the month is to be closed.\n---\nLock it first.\n"
STORED, DEFLATED = 0, 8
UTF8, SIZES_FOLLOW, ENCRYPTED = 0x800, 0x08, 0x01
FILE, FOLDER, LINK = 0o100644, 0o040755, 0o120777
UNIX, WINDOWS = 3, 0


@dataclass(frozen=True)
class Entry:
    """One entry. `local` and `listed` are fields in which the header, or the list, says something else."""

    name: bytes
    data: bytes = b""
    method: int = DEFLATED
    flags: int = 0
    mode: int = FILE
    system: int = UNIX
    extra: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)
    listed: dict[str, Any] = field(default_factory=dict)

    @property
    def packed(self) -> bytes:
        if self.method != DEFLATED:
            return self.data
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.data) + packer.flush()


def named(name: str, data: bytes = b"x", **options: Any) -> Entry:
    return Entry(name.encode(), data, **options)


def folder(name: str) -> Entry:
    return Entry(f"{name}/".encode(), method=STORED, mode=FOLDER)


def whole(*entries: Entry) -> bytes:
    """An archive with SKILL.md and these."""
    return written([Entry(b"SKILL.md", SKILL), *entries])


def written(entries: Sequence[Entry], *, tail: bytes = b"", count: int | None = None) -> bytes:
    """The bytes of an archive. `tail` is its comment; `count` is what its end says."""
    body, listed = b"", b""
    for entry in entries:
        told = _told(entry) | entry.local
        if entry.flags & SIZES_FOLLOW:
            told |= {"crc": 0, "packed": 0, "size": 0}
        at = len(body)
        body += _local(entry, told) + entry.packed
        if entry.flags & SIZES_FOLLOW:
            body += b"PK\x07\x08" + struct.pack(
                "<3L", *(_told(entry)[name] for name in ("crc", "packed", "size"))
            )
        listed += _listed(entry, {"at": at, **_told(entry), **entry.listed})
    number = len(entries) if count is None else count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(listed), len(body), len(tail))
    return body + listed + end + tail


def over(entry: Entry, times: int) -> bytes:
    """One body that so many entries of the list share: it unpacks to far more than it is."""
    one = written([entry])
    start = one.index(b"PK\1\2")
    listed = b"".join(_listed(entry, {"at": 0, **_told(entry), "name": b"%d" % at}) for at in range(times))
    return (
        one[:start] + listed + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, times, times, len(listed), start, 0)
    )


def _told(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "flags": entry.flags,
        "method": entry.method,
        "crc": zlib.crc32(entry.data),
        "packed": len(entry.packed),
        "size": len(entry.data),
    }


def _local(entry: Entry, told: dict[str, Any]) -> bytes:
    sizes = (told["crc"], told["packed"], told["size"], len(told["name"]), len(entry.extra))
    head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, told["flags"], told["method"], 0, 0x21, *sizes)
    name: bytes = told["name"]
    return head + name + entry.extra


def _listed(entry: Entry, told: dict[str, Any]) -> bytes:
    sizes = (told["crc"], told["packed"], told["size"], len(told["name"]), len(entry.extra), 0, 0, 0)
    made = entry.system << 8 | 20
    attributes = entry.mode << 16 | (0x10 if entry.mode == FOLDER else 0)
    head = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        made,
        20,
        told["flags"],
        told["method"],
        0,
        0x21,
        *sizes,
        attributes,
        told["at"],
    )
    name: bytes = told["name"]
    return head + name + entry.extra
