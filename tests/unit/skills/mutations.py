"""Frontmatters made worse by chance: what no person would write and a parser must bear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tests.unit.skills.samples import cases

# What means something to YAML, to a fence, or to a decoder.
PIECES: Sequence[bytes] = (
    b"---", b"\n---\n", b"\n", b"\r", b"\r\n", b"\n\n", b": ", b":", b" #", b"#", b"- ", b"? ", b"'", b'"', b"''",
    b'\\"', b"\\", b"\\u0000", b"\\ud83d", b"\\x", b"[", b"]", b"{", b"}", b",", b"&a ", b"*a", b"!!str ", b"!", b"|",
    b">", b">-", b"|2", b"@", b"%", b"`", b"~", b"null", b"yes", b"1.10", b"2026-01-01", b"<<: ", b"name", b"name: x",
    b"\nname: y\n", b"description", b"\ndescription: z\n", b"\tindent", b"  ", b"\t", b"\x00", b"\x07", b"\x1b[0m",
    b"\x85", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\x8b", b"\xef\xbb\xbf", b"\xef\xbf\xbf", b"\xff", b"\xc3\xa9",
    b"e\xcc\x81", b"\xf0\x9f\x98\x80", b"..", b"A", b"-", b"_", b"+++", b"...", b"\n  - a\n", b"\n  k: v\n",
    b'{"name":"x","description":"y"}',
)  # fmt: skip
Mutation = Callable[[bytes, Random], bytes]


def seeds() -> list[bytes]:
    """Short files of every kind to begin from."""
    return [case.data for case in cases() if len(case.data) < 400]


def mutated(data: bytes, dice: Random) -> bytes:
    """The file after one to four changes."""
    for _ in range(dice.randint(1, 4)):
        data = dice.choice((_insert, _insert, _insert, _cut, _double, _flip, _swap_lines))(data, dice)
    return data


def _insert(data: bytes, dice: Random) -> bytes:
    at = _place(data, dice)
    return data[:at] + dice.choice(PIECES) + data[at:]


def _cut(data: bytes, dice: Random) -> bytes:
    at = _place(data, dice)
    return data[:at] + data[at + dice.randint(1, 12) :]


def _double(data: bytes, dice: Random) -> bytes:
    at = _place(data, dice)
    return data[:at] + data[at : at + dice.randint(1, 40)] * dice.randint(2, 4) + data[at:]


def _flip(data: bytes, dice: Random) -> bytes:
    at = _place(data, dice)
    return data[:at] + bytes([dice.randrange(128)]) + data[at + 1 :]


def _swap_lines(data: bytes, dice: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _place(data: bytes, dice: Random) -> int:
    return dice.randint(0, min(len(data), 160))
