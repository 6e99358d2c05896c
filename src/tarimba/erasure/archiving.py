"""A zip archive that is sent while it is made: nothing of it is kept but what was not sent yet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from typing_extensions import Buffer

_SENT: Final = 64 * 1024
_LEVEL: Final = 1
_MODE: Final = 0o600 << 16
_ODD: Final = frozenset("%\\:")
# What the format can write.
_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)


def harmless(path: str) -> str:
    """The path as every program that unpacks takes it, none for another folder or drive.

    A backslash, a colon, a control character, what is not UTF-8 and the percent sign itself are `%` and two
    hexadecimal digits for each byte (RFC 3986, 2.1), so what it was can be told from it.
    """
    return "".join(_escaped(char) if _is_odd(char) else char for char in path)


def _is_odd(char: str) -> bool:
    return char in _ODD or char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff"


def _escaped(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


class Archive:
    """`put` a file after the other, yielding what it gives, and `end` it."""

    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(self._sink, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
        self._names: set[str] = set()

    def put(self, name: str, chunks: Iterator[bytes], changed_at: float = 0.0) -> Iterator[bytes]:
        """A file of that name. What is ready to be sent comes as it is ready."""
        with self._zip.open(_info(self._free(name), changed_at), "w", force_zip64=True) as target:
            for chunk in chunks:
                target.write(chunk)
                if self._sink.size >= _SENT:
                    yield self._sink.take()
        yield self._sink.take()

    def put_whole(self, name: str, chunks: Iterator[bytes]) -> None:
        """A file that is made in one go, where it is read from something that may not be held while it is sent."""
        with self._zip.open(_info(self._free(name), 0.0), "w", force_zip64=True) as target:
            for chunk in chunks:
                target.write(chunk)

    def _free(self, name: str) -> str:
        """Two names that no text can tell apart are two files all the same."""
        while name in self._names:
            name += "~"
        self._names.add(name)
        return name

    def end(self) -> bytes:
        self._zip.close()
        return self._sink.take()


class _Sink(io.RawIOBase):
    """What the archive is written to. It can't go back, so sizes come behind each file."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        piece = bytes(data)
        self._held.append(piece)
        self.size += len(piece)
        return len(piece)

    def take(self) -> bytes:
        data = b"".join(self._held)
        self._held, self.size = [], 0
        return data


def _info(name: str, changed_at: float) -> zipfile.ZipInfo:
    moment = min(max(_moment(changed_at), _FIRST), _LAST)
    info = zipfile.ZipInfo(name, moment.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = _MODE
    return info


def _moment(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return _FIRST
