"""Taking apart an archive that somebody sent: every rule has its own words, and nothing is believed.

The list at the end of the archive says what there is; the sizes that count are those of what really comes out.
Source: APPNOTE.TXT of PKWARE (ZIP).
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tarimba.errors import Refusal, invalid
from tarimba.skills import paths

BYTES_MAX: Final = 10 * 1024 * 1024
ENTRIES_MAX: Final = 200
_HEADER: Final = struct.Struct("<4s5H3L2H")
_MAGIC: Final = b"PK\x03\x04"
_EMPTY: Final = b"PK\x05\x06"
# Bits of an entry's flags: encrypted, sizes that follow the data, strongly encrypted, a name in UTF-8.
_ENCRYPTED: Final = 0x01 | 0x40
_SIZES_FOLLOW: Final = 0x08
_UTF8: Final = 0x800
# What systems and tools put in beside the files of a person: as files, and as folders with all in them.
_LITTER: Final = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".git", ".env"})
_LITTERED: Final = frozenset({"__macosx", ".git", ".hg", ".svn"})
# The settings of one machine, passwords among them; the last are examples that people write for others.
_ENV: Final = re.compile(r"\.env\.(?!example$|sample$|template$)")
# What `tarimba skills fmt` leaves beside the file that it wrote anew.
_BEFORE: Final = re.compile(r"skill\.md\.original(\.\d+)?")
_BROKEN: Final = (
    zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, EOFError, IndexError, OSError, struct.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files by their paths inside the skill. `folder` wrapped them, or is empty; `ignored` were no one's."""

    folder: str
    files: Mapping[str, bytes]
    ignored: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry with the path as it was written, in NFC and without the slash that marks a folder."""

    number: int
    path: str
    info: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        return self.info.orig_filename.endswith("/")

    @property
    def is_litter(self) -> bool:
        return is_litter(self.path, is_folder=self.is_folder)

    def refused(self, words: str) -> Refusal:
        return invalid("file", f"entry {self.number} of the archive {words}")


def is_litter(path: str, *, is_folder: bool = False) -> bool:
    """Whether what lies at a path belongs to a system or a tool, and is left out of a skill."""
    steps = path.casefold().split("/")
    folders, last = (steps, "") if is_folder else (steps[:-1], steps[-1])
    if not _LITTERED.isdisjoint(folders):
        return True
    is_before = _BEFORE.fullmatch(last) is not None
    return last in _LITTER or last.startswith("._") or _ENV.match(last) is not None or is_before


def unpack(data: bytes) -> Unpacked:
    """The files of a zip archive. Raises 413 `too_large` and 422 `invalid_input`, each rule in its own words."""
    if len(data) > BYTES_MAX:
        raise Refusal("too_large", f"file: must have at most {BYTES_MAX} bytes.")
    entries, start = _listed(data)
    for entry in entries:
        _check(entry)
    files = [entry for entry in entries if not entry.is_folder and not entry.is_litter]
    if not files:
        raise invalid("file", "the archive holds no files")
    folder = _wrapping(files)
    _check_places([entry for entry in entries if not entry.is_litter], folder)
    contents = _inflated(data, entries, start)
    kept = {_inside(entry.path, folder): contents[entry.number] for entry in files}
    ignored = sum(1 for entry in entries if entry.is_litter and not entry.is_folder)
    return Unpacked(folder, dict(sorted(kept.items())), ignored)


def _listed(data: bytes) -> tuple[list[_Entry], int]:
    """The entries in the order of the list, and where the list begins."""
    if not data.startswith((_MAGIC, _EMPTY)):
        raise invalid("file", "must be a zip archive")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found, start = archive.infolist(), archive.start_dir
    except _BROKEN:
        raise invalid("file", "is a damaged zip archive: its list of entries can't be read") from None
    if len(found) > ENTRIES_MAX:
        raise invalid("file", f"the archive must have at most {ENTRIES_MAX} entries")
    return [_Entry(number, _path(info), info) for number, info in enumerate(found, 1)], start


def _path(info: zipfile.ZipInfo) -> str:
    written = info.orig_filename
    if not info.flag_bits & _UTF8 and not written.isascii():
        # Many write UTF-8 without saying so; text in code page 437 is hardly ever UTF-8 by chance.
        try:
            written = written.encode("cp437").decode()
        except UnicodeError:
            written = info.orig_filename
    return paths.composed(written.removesuffix("/"))


def _check(entry: _Entry) -> None:
    """Raises 422 for an entry that is refused whatever it holds."""
    info = entry.info
    words = paths.fault(entry.path)
    if words is not None:
        raise entry.refused(words)
    if info.flag_bits & _ENCRYPTED:
        raise entry.refused("is encrypted")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise entry.refused("is a symbolic link")
    if kind not in (0, stat.S_IFDIR if entry.is_folder else stat.S_IFREG):
        raise entry.refused("is neither a file nor a folder")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise entry.refused("is compressed in a way other than deflate")
    if entry.is_folder and info.file_size:
        raise entry.refused("is a folder that holds bytes")


def _wrapping(files: Sequence[_Entry]) -> str:
    """The one folder that somebody zipped, when all files are in it."""
    if any("/" not in entry.path for entry in files):
        return ""
    tops = {entry.path.split("/", 1)[0] for entry in files}
    return tops.pop() if len(tops) == 1 else ""


def _check_places(entries: Sequence[_Entry], folder: str) -> None:
    words = paths.clash(entry.path for entry in entries if not entry.is_folder)
    if words is None and len({entry.info.orig_filename for entry in entries}) != len(entries):
        words = "holds two entries with one path"
    if words is not None:
        raise invalid("file", f"the archive {words}")
    for entry in entries:
        if paths.is_too_deep(_inside(entry.path, folder)):
            raise entry.refused(f"lies more than {paths.DEPTH_MAX} steps deep inside the skill")


def _inside(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path


def _inflated(data: bytes, entries: Sequence[_Entry], start: int) -> dict[int, bytes]:
    """What really comes out, by the number of the entry."""
    contents: dict[int, bytes] = {}
    room, end = BYTES_MAX, 0
    for entry in sorted(entries, key=lambda one: one.info.header_offset):
        if entry.info.header_offset < end:
            raise entry.refused("lies over another one")
        begins = _data_of(data, entry)
        end = begins + entry.info.compress_size
        if end > start:
            raise entry.refused("says that it is larger than the archive")
        contents[entry.number] = _bytes_of(data[begins:end], entry, room)
        room -= len(contents[entry.number])
    return contents


def _data_of(data: bytes, entry: _Entry) -> int:
    """Where the data of an entry begins, when what stands before it says what the list says."""
    info, at = entry.info, entry.info.header_offset
    if at < 0 or at + _HEADER.size > len(data):
        raise entry.refused("is not where the list says")
    magic, _, flags, method, _, _, crc, packed, size, name, extra = _HEADER.unpack_from(data, at)
    written = data[at + _HEADER.size : at + _HEADER.size + name]
    if magic != _MAGIC or written != _raw_name(info):
        raise entry.refused("is not where the list says, or has another path there")
    if method != info.compress_type or flags & _ENCRYPTED:
        raise entry.refused("is stored in another way than the list says")
    large = 0xFFFFFFFF in (packed, size)
    told = (crc, packed, size) == (info.CRC, info.compress_size, info.file_size)
    if not (told or large or flags & _SIZES_FOLLOW):
        raise entry.refused("has other sizes than the list says")
    return int(at + _HEADER.size + name + extra)


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")


def _bytes_of(packed: bytes, entry: _Entry, room: int) -> bytes:
    """The bytes of an entry, of which there may be `room`."""
    content, is_whole = _unpacked(packed, entry.info.compress_type, room)
    if len(content) > room:
        raise invalid("file", f"the archive must unpack to at most {BYTES_MAX} bytes in all")
    if not is_whole or zlib.crc32(content) != entry.info.CRC:
        raise entry.refused("is damaged")
    if len(content) != entry.info.file_size:
        raise entry.refused("unpacks to another size than the archive says")
    return content


def _unpacked(packed: bytes, method: int, room: int) -> tuple[bytes, bool]:
    """At most one byte more than `room`, and whether the data end where they should."""
    if method == zipfile.ZIP_STORED:
        return packed, True
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflater.decompress(packed, room + 1)
    except zlib.error:
        return b"", False
    return content, inflater.eof and not inflater.unused_data
