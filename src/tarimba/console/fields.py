"""What a form or an address says, read one field at a time. Raises 422 naming the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from tarimba.errors import Refusal, invalid
from tarimba.http.body import unstorable
from tarimba.http.form import read_form

FIELDS_MAX = 500
_URLENCODED = b"application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Fields:
    """The values by name, in their order. `files` are the uploaded ones."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """The last value; what browsers put at the ends of lines is one newline."""
        found = self.values.get(name)
        return found[-1].replace("\r\n", "\n") if found else default

    def line(self, name: str, default: str = "") -> str:
        """The value without white space around it."""
        return self.text(name, default).strip()

    def all(self, name: str) -> list[str]:
        """Every value that is not empty."""
        return [value for value in self.values.get(name, ()) if value]

    def flag(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.line(name))

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number between two. Raises 422."""
        said = self.line(name)
        if not said:
            return default
        if not said.isascii() or not said.lstrip("-").isdigit() or not low <= int(said[:20]) <= high:
            raise invalid(name, f"must be a whole number from {low} to {high}")
        return int(said)

    def choice(self, name: str, among: Iterable[str], default: str = "") -> str:
        """One of these, or the default. Raises 422."""
        said = self.line(name)
        if not said:
            return default
        if said not in among:
            raise invalid(name, "must be one of those that the form offers")
        return said


def of_query(raw: bytes) -> Fields:
    return Fields(_pairs(raw))


def of_body(content_type: bytes | None, raw: bytes) -> Fields:
    """A form as browsers send them. Raises 415, 400, 422."""
    kind = (content_type or b"").split(b";")[0].strip().lower()
    if kind == _URLENCODED:
        return Fields(_pairs(raw))
    values: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    for name, value in read_form(content_type, raw).items():
        if name.startswith("file"):
            files[name] = value
        else:
            values[name] = [_text(value)]
    return Fields(values, files)


def _pairs(raw: bytes) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"
        )
    except ValueError:
        raise Refusal("invalid_input", "The form can't be read.", status=400) from None
    for name, value in pairs:
        found.setdefault(name, []).append(_storable(value))
    return found


def _text(value: bytes) -> str:
    try:
        return _storable(value.decode())
    except UnicodeDecodeError:
        raise Refusal("invalid_input", "The form can't be read.", status=400) from None


def _storable(value: str) -> str:
    if unstorable(value) is not None:
        raise Refusal("invalid_input", "The form holds a character that can't be stored.")
    return value
