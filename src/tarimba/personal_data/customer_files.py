"""Files of customers: CSV with a column for each kind of value, or a JSON object a line. Pure.

Errors name lines and columns, never what stands there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Final

from pydantic import ValidationError

from tarimba.errors import Refusal, invalid
from tarimba.personal_data.handles import HANDLE_TYPES
from tarimba.personal_data.known_customers import Customer
from tarimba.personal_data.requests import CustomerBody

_NAME: Final = "name"


def read_customers(suffix: str, text: str) -> list[Customer]:
    """The customers of a file, in its order. Raises 422 naming the line."""
    if suffix.lower() == ".csv":
        return list(_from_csv(text))
    if suffix.lower() in (".jsonl", ".ndjson"):
        return list(_from_lines(text))
    raise Refusal("invalid_input", "The file must be .csv or .jsonl.")


def _from_csv(text: str) -> Iterator[Customer]:
    rows = csv.DictReader(text.splitlines(), restkey="", strict=True)
    columns = set(rows.fieldnames or ())
    if not columns or not columns <= HANDLE_TYPES | {_NAME}:
        raise invalid("The first line", f"must name columns of: {', '.join((_NAME, *sorted(HANDLE_TYPES)))}")
    try:
        for row in rows:
            if "" in row:
                raise invalid(f"line {rows.line_num}", "has more fields than columns")
            handles = tuple((kind, value) for kind, value in row.items() if kind != _NAME and value)
            yield Customer(row.get(_NAME) or None, handles)
    except csv.Error:
        raise invalid(f"line {rows.line_num}", "is not readable as CSV") from None


def _from_lines(text: str) -> Iterator[Customer]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield CustomerBody.model_validate_json(line, strict=True).customer()
            except ValidationError:
                raise invalid(
                    f"line {number}", 'must be {"name"?, "handles"?: [{"type", "value"}]}'
                ) from None
