"""Reading bodies that are forms with files (`multipart/form-data`): bounded, and nothing that reads in two ways.

Source: RFC 7578 (forms) and RFC 2046, section 5.1 (multipart).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from tarimba.errors import Refusal, invalid

PARTS_MAX: Final = 32
# One that is asked for in a header would need decoding, which no client does (RFC 7578, section 4.7).
_PLAIN: Final = frozenset({b"7bit", b"8bit", b"binary"})


class _Parts:
    """What the parser calls, piece by piece."""

    def __init__(self) -> None:
        self.found: dict[str, bytes] = {}
        self.is_whole = False
        self._headers: dict[bytes, bytes] = {}
        self._field = b""
        self._value = b""
        self._pieces: list[bytes] = []

    @property
    def callbacks(self) -> Any:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header,
            "on_part_data": self._on_data,
            "on_part_end": self._end,
            "on_end": self._whole,
        }

    def _begin(self) -> None:
        if len(self.found) >= PARTS_MAX:
            raise Refusal("invalid_input", f"The form must have at most {PARTS_MAX} fields.")
        self._headers, self._pieces = {}, []

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header(self) -> None:
        name = self._field.lower()
        if name in self._headers:
            raise _unreadable()
        self._headers[name] = self._value
        self._field = self._value = b""

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        self._pieces.append(data[start:end])

    def _end(self) -> None:
        name = _name(self._headers)
        if name in self.found:
            raise Refusal("invalid_input", "The form repeats a field.")
        self.found[name] = b"".join(self._pieces)

    def _whole(self) -> None:
        self.is_whole = True


def read_form(content_type: bytes | None, raw: bytes) -> dict[str, bytes]:
    """The fields of a form in their order. Raises 415, and `invalid_input`: 400 not readable, 422 a repeated field."""
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise Refusal("unsupported_media_type", "Send the body as `Content-Type: multipart/form-data`.")
    parts = _Parts()
    try:
        MultipartParser(boundary, parts.callbacks).write(raw)
    except FormParserError:
        # The parser's own error quotes the body.
        raise _unreadable() from None
    if not parts.is_whole:
        raise _unreadable()
    return parts.found


def told(fields: Mapping[str, bytes]) -> bytes:
    """What a form says, whatever stands between its parts: equal for a request that is sent again."""
    return b"".join(
        b"%s\0%s\n" % (name.encode(), hashlib.sha256(value).hexdigest().encode())
        for name, value in sorted(fields.items())
    )


def _name(headers: Mapping[bytes, bytes]) -> str:
    kind, options = parse_options_header(headers.get(b"content-disposition"))
    coding = headers.get(b"content-transfer-encoding", b"binary").strip().lower()
    if kind != b"form-data" or b"name" not in options or coding not in _PLAIN:
        raise _unreadable()
    try:
        return options[b"name"].decode()
    except UnicodeDecodeError:
        raise invalid("The form", "names a field in something other than UTF-8") from None


def _unreadable() -> Refusal:
    return Refusal("invalid_input", "The body is not a whole form (`multipart/form-data`).", status=400)
