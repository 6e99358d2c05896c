"""Reading an export document as it arrives: one row at a time, so that its size does not matter."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tarimba.errors import Refusal

ARRAYS: Final = ("notes", "proposals")
_SCALARS: Final = ("source_id", "exported_at")
ROW_MAX: Final = 1024 * 1024
_READ_AT_ONCE: Final = 64 * 1024
_SPACES: Final = re.compile(r"[ \t\r\n]*")


class Digested(Iterator[bytes]):
    """Chunks that pass through."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._digest = hashlib.sha256()

    def __next__(self) -> bytes:
        chunk = next(self._chunks)
        self._digest.update(chunk)
        return chunk

    @property
    def digest(self) -> str:
        """SHA-256 of the chunks that have passed, in hexadecimal."""
        return self._digest.hexdigest()


class Document:
    """Iterate once: `(array, index, row)` for every row of `notes` and `proposals`.

    Raises 400 `invalid_input` for what is not readable JSON, 422 for another document, 413 for a row above 1 MiB.
    """

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._decode = codecs.getincrementaldecoder("utf-8")("strict").decode
        self._json = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant)
        self._text = ""
        self._at = 0
        self._ended = False

    def __iter__(self) -> Iterator[tuple[str, int, Any]]:
        self._take("{")
        more = self._next() != "}"
        seen: set[str] = set()
        while more:
            name = self._value()
            self._take(":")
            if not isinstance(name, str) or name in seen:
                raise _unreadable()
            seen.add(name)
            if name in ARRAYS:
                for index, row in enumerate(self._rows()):
                    yield name, index, row
            elif name in _SCALARS:
                self._value()
            else:
                raise Refusal("invalid_input", "The document has a member that is none of an export.")
            more = self._next() == ","
            if more:
                self._take(",")
        self._take("}")
        if self._next():
            raise _unreadable()

    def _rows(self) -> Iterator[Any]:
        self._take("[")
        more = self._next() != "]"
        while more:
            yield self._value()
            more = self._next() == ","
            if more:
                self._take(",")
        self._take("]")

    def _next(self) -> str:
        """The next character that is no white space, not taken; "" at the end."""
        while True:
            self._at = _SPACES.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read()

    def _take(self, wanted: str) -> None:
        if self._next() != wanted:
            raise _unreadable()
        self._at += 1

    def _value(self) -> Any:
        self._next()
        while True:
            found = self._parsed()
            # A number that ends with the text may go on in the next chunk.
            if found is not None and (self._ended or found[1] < len(self._text)):
                self._at = found[1]
                return found[0]
            if len(self._text) - self._at > ROW_MAX:
                raise Refusal("too_large", f"A row of the document is above {ROW_MAX} characters.")
            if self._ended:
                raise _unreadable()
            self._read()

    def _parsed(self) -> tuple[Any, int] | None:
        try:
            return self._json.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            return None

    def _read(self) -> None:
        """Appends at least so much that parsing a long row again and again stays cheap."""
        parts = [self._text[self._at :]]
        size = 0
        while size < _READ_AT_ONCE and not self._ended:
            chunk = next(self._chunks, None)
            self._ended = chunk is None
            try:
                parts.append(self._decode(chunk or b"", self._ended))
            except UnicodeDecodeError:
                raise _unreadable() from None
            size += len(chunk or b"")
        self._text, self._at = "".join(parts), 0


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _unreadable()
    return members


def _no_constant(_name: str) -> Any:
    raise _unreadable()


def _unreadable() -> Refusal:
    return Refusal("invalid_input", "The body is not one readable JSON document in UTF-8.", status=400)
