"""From what a caller sent to the declared models, and from a broken rule to a sentence without the value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Generic, TypeVar
from urllib.parse import unquote_to_bytes

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from tarimba.errors import Refusal, invalid
from tarimba.http.body import INTEGER_MAX, find_unstorable, parse, unstorable
from tarimba.http.reply import encode
from tarimba.text import CALLER_ID_MAX, RULES, GateError, caller_id

M = TypeVar("M", bound=BaseModel)
Place = Sequence[str | int]

SHOWN: Final = 5
# Above this, listing what is wrong would cost more than it helps.
COUNTED: Final = 1000

_NUMBER_WORDS: Final = "must be a whole number"
_MOMENT_WORDS: Final = "must be a moment with time zone (RFC 3339)"
_WORDS: Final[Mapping[str, str]] = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "int_type": _NUMBER_WORDS,
    "int_parsing": _NUMBER_WORDS,
    "int_from_float": _NUMBER_WORDS,
    "int_parsing_size": "is too large a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "literal_error": "must be one of {expected}",
    "enum": "must be one of {expected}",
    "none_required": "must be null",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "uuid_type": "must be a UUID",
    "uuid_parsing": "must be a UUID",
    "datetime_type": _MOMENT_WORDS,
    "datetime_parsing": _MOMENT_WORDS,
    "datetime_from_date_parsing": _MOMENT_WORDS,
    "timezone_aware": _MOMENT_WORDS,
}
_OTHERWISE: Final = "does not have the declared form"

_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)")
# Numbers written with a point or an exponent may be whole: then the model gets them as `parse` read them.
_FRACTION: Final = re.compile(rb"[0-9][.eE]")
_BAD_PERCENT: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})")
_REAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,3})?")


def rule(words: str) -> PydanticCustomError:
    """What a validator of a request model raises: `words` follow the field's name and reach the caller.

    They must hold nothing of the value. The text of any other error is never shown.
    """
    return PydanticCustomError("rule", words)


def _written_moment(value: object) -> object:
    # The library's own parser would also take digits for seconds since 1970, and a date for its midnight.
    if not isinstance(value, str):
        return value
    if _RFC3339.fullmatch(value) is None:
        raise rule(_MOMENT_WORDS)
    try:
        return datetime.fromisoformat(value.upper())
    except ValueError:
        raise rule(_MOMENT_WORDS) from None


Moment = Annotated[AwareDatetime, BeforeValidator(_written_moment)]
"""A field that is an RFC 3339 moment with time zone, and nothing else that a date parser would take."""


def _caller_id(written: str) -> str:
    try:
        return caller_id(written, field="")
    except GateError as error:
        raise rule(RULES[error.rule]) from None


CallerId = Annotated[
    str, StringConstraints(min_length=1, max_length=CALLER_ID_MAX), AfterValidator(_caller_id)
]
"""A field that is the caller's own id of a conversation or task, in the form in which it is looked for."""


class BodyShape(Generic[M]):
    """A declared request body; a `tolerant` one has room for what is not declared."""

    def __init__(self, model: type[M], *, tolerant: bool = False) -> None:
        self._model = model
        self._tolerant = tolerant
        self._names = _declared(model)

    def read(self, raw: bytes) -> M:
        """The body as the model. Raises `invalid_input`: 400 not readable, 422 a rule."""
        value = parse(raw)
        if self._tolerant:
            return self._tolerated(value)
        found = find_unstorable(raw, value)
        if found is not None:
            place, code = found
            raise invalid(_field(place, self._names, "The body"), RULES[code])
        try:
            # JSON mode: strict, and still a moment may be written as a string and a tuple as a list.
            source = encode(value) if _FRACTION.search(raw) else raw
            return self._model.model_validate_json(source, strict=True, extra="forbid")
        except ValidationError as error:
            raise _refusal(error, self._names, "The body", "field") from None

    def _tolerated(self, value: Any) -> M:
        try:
            return self._model.model_validate(value, strict=True, extra="ignore")
        except ValidationError as error:
            raise _refusal(error, self._names, "The body", "field") from None


class QueryShape(Generic[M]):
    """A declared query string. Only a field that is a list may come more than once."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self._names = _declared(model)
        schema = model.model_json_schema()
        kinds = {name: _kind(member) for name, member in schema.get("properties", {}).items()}
        self._lists = frozenset(name for name, (is_list, _) in kinds.items() if is_list)
        self._read: dict[str, Callable[[str], Any]] = {
            name: _READERS[kind] for name, (_, kind) in kinds.items() if kind in _READERS
        }

    def read(self, raw: bytes) -> M:
        """The query as the model. Raises 422 `invalid_input`."""
        values: dict[str, Any] = {}
        for name, text in _pairs(raw):
            if name in self._lists:
                values.setdefault(name, []).append(self._value(name, text))
            elif name in values and name in self._names:
                raise invalid(name, "must be given only once")
            else:
                values[name] = self._value(name, text)
        try:
            return self._model.model_validate(values, extra="forbid")
        except ValidationError as error:
            raise _refusal(error, self._names, "The query", "query parameter") from None

    def _value(self, name: str, text: str) -> Any:
        unfit = unstorable(text)
        if unfit is not None and name in self._names:
            raise invalid(name, RULES[unfit])
        reader = self._read.get(name)
        return text if reader is None else reader(text)


class FormShape(Generic[M]):
    """A declared form. Its fields of type `bytes` are files, taken as they come; the others are texts in UTF-8."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self._names = _declared(model)
        schema = model.model_json_schema()
        self._files = frozenset(
            name for name, member in schema.get("properties", {}).items() if _is_file(member)
        )

    def read(self, fields: Mapping[str, bytes]) -> M:
        """The fields as the model. Raises 422 `invalid_input`."""
        values = {
            name: value if name in self._files else self._text(name, value) for name, value in fields.items()
        }
        try:
            return self._model.model_validate(values, extra="forbid")
        except ValidationError as error:
            raise _refusal(error, self._names, "The form", "field") from None

    def _text(self, name: str, value: bytes) -> str:
        field = name if name in self._names else "The form"
        try:
            text = value.decode()
        except UnicodeDecodeError:
            raise invalid(field, "must be text in UTF-8") from None
        if "\x00" in text:
            raise invalid(field, RULES["nul"])
        return text


def refuse_query(raw: bytes) -> None:
    """For a route without query parameters. Raises 422 `invalid_input` when one is sent."""
    count = sum(1 for _ in _pairs(raw))
    if count:
        raise Refusal("invalid_input", _unknown(count, "query parameter"))


def _pairs(raw: bytes) -> Iterator[tuple[str, str]]:
    for part in raw.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            yield _decoded(name), _decoded(value)


def _decoded(raw: bytes) -> str:
    if _BAD_PERCENT.search(raw):
        raise Refusal("invalid_input", "The query is not percent-encoded UTF-8.")
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        raise Refusal("invalid_input", "The query is not percent-encoded UTF-8.") from None


class _Unreadable:
    """Stands for a text that is no value of the field's kind, so that the model refuses it in its own words."""


def _whole(text: str) -> Any:
    return int(text) if _WHOLE.fullmatch(text) and abs(int(text)) <= INTEGER_MAX else _Unreadable()


def _real(text: str) -> Any:
    return float(text) if _REAL.fullmatch(text) and math.isfinite(float(text)) else _Unreadable()


def _truth(text: str) -> Any:
    return text == "true" if text in ("true", "false") else _Unreadable()


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {"integer": _whole, "number": _real, "boolean": _truth}


def _kind(schema: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a field is a list, and the JSON type of one value of it."""
    for choice in schema.get("anyOf", ()):
        if choice.get("type") != "null":
            return _kind(choice)
    if schema.get("type") == "array":
        return True, _kind(schema.get("items", {}))[1]
    return False, schema.get("type", "string")


def _is_file(schema: Mapping[str, Any]) -> bool:
    return any(choice.get("format") == "binary" for choice in (schema, *schema.get("anyOf", ())))


def _declared(model: type[BaseModel]) -> frozenset[str]:
    """The wire names of all fields of the model and of the models inside it."""
    schema = model.model_json_schema()
    found = [schema, *schema.get("$defs", {}).values()]
    return frozenset(name for part in found for name in part.get("properties", {}))


def _refusal(error: ValidationError, names: frozenset[str], whole: str, what: str) -> Refusal:
    if error.error_count() > COUNTED:
        return Refusal("invalid_input", f"{whole} breaks more than {COUNTED} rules.")
    problems: dict[str, None] = {}
    unknown = 0
    for item in error.errors(include_url=False, include_input=False):
        if item["type"] == "extra_forbidden":
            unknown += 1
        else:
            problems[f"{_field(item['loc'], names, whole)}: {_sentence(item)}"] = None
    return Refusal("invalid_input", _summary(list(problems), unknown, what))


def _summary(problems: list[str], unknown: int, what: str) -> str:
    parts = problems[:SHOWN]
    if len(problems) > SHOWN:
        parts.append(f"{len(problems) - SHOWN} more")
    if unknown:
        parts.append(_unknown(unknown, what))
    return "; ".join(parts)


def _unknown(count: int, what: str) -> str:
    return f"{count} unknown {what}{'' if count == 1 else 's'}"


def _sentence(item: Mapping[str, Any]) -> str:
    if item["type"] == "rule":
        return str(item["msg"])
    # Pydantic's own messages may quote the input; ours take declared limits only.
    return _WORDS.get(item["type"], _OTHERWISE).format_map(item.get("ctx", {}))


def _field(place: Place, names: frozenset[str], whole: str) -> str:
    """`evidence.task_id`, `tags[3]`. A step that is not a declared name was the caller's word: left out."""
    path = ""
    for step in place:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step in names:
            path += f".{step}" if path else step
    return path or whole
