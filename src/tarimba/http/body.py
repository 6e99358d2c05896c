"""Reading JSON bodies strictly: what two readers could understand differently is refused.

Source: RFC 8259 (JSON) and RFC 7493 (I-JSON: UTF-8, unique names, integers up to 2^53 - 1).
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any, Final, NoReturn

from tarimba.errors import Refusal

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

DEPTH_MAX: Final = 32
INTEGER_MAX: Final = 2**53 - 1
# A caller who is a little over the limit is heard out: closing on unread bytes would lose our answer.
DRAIN_MAX: Final = 4 * 1024 * 1024

# Longer than any healthy network pauses; a caller who stalls holds a connection and what it sent so far.
STALL_SECONDS: Final = 30.0
# One who sends a byte now and then is no better: a body has a minute, and more when it may be large, at a pace that a
# poor mobile connection keeps.
WHOLE_SECONDS: Final = 60.0
SLOWEST: Final = 128 * 1024

_JSON_TYPE: Final = re.compile(rb'application/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?', re.IGNORECASE)
# Only these escapes can make a string that UTF-8 can't carry or that PostgreSQL can't store.
_SUSPECT: Final = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


class ClientGoneError(Exception):
    """The caller closed the connection before the exchange was complete. There is nobody to answer."""


async def read_all(receive: Receive, limit: int, *, declared: int = 0, patient: bool = True) -> bytes:
    """The whole body. Raises 413 `too_large` above `limit` bytes, counted as they come, and `ClientGoneError`.

    Raises 408 `invalid_input` when nothing comes for `STALL_SECONDS`, or when the whole takes longer than
    `WHOLE_SECONDS` and what `limit` bytes take at `SLOWEST` bytes a second.

    `declared` is the Content-Length (0 if unknown). `patient` reads on, and forgets, a moderate excess before
    it refuses; a caller who waits for `100 Continue` is refused at once.
    """
    if declared > limit and (not patient or declared > limit + DRAIN_MAX):
        raise too_large(limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(WHOLE_SECONDS + limit / SLOWEST):
            async for chunk in _chunks(receive):
                size += len(chunk)
                if size <= limit:
                    chunks.append(chunk)
                elif size > limit + DRAIN_MAX:
                    break
    except TimeoutError:
        raise _too_slow() from None
    if size > limit:
        raise too_large(limit)
    return b"".join(chunks)


def too_large(limit: int) -> Refusal:
    """413, naming the limit."""
    return Refusal("too_large", f"The body must have at most {limit} bytes.")


def check_content_type(value: bytes | None, *, also: str = "") -> None:
    """Raises 415 unless the header says JSON in UTF-8, or what `also` names. `None` is an absent header."""
    if also and value is not None and value.partition(b";")[0].strip().lower() == also.encode():
        return
    if value is None or _JSON_TYPE.fullmatch(value.strip()) is None:
        raise Refusal(
            "unsupported_media_type", "Send the body as `Content-Type: application/json`, in UTF-8."
        )


def parse(raw: bytes) -> Any:
    """The JSON value of a body.

    Raises `invalid_input`: 400 for what is not JSON in UTF-8 (NaN and Infinity are not), 422 for a repeated
    name, more than 32 levels, or a number that other readers would take for a different one.
    """
    try:
        value = _DECODER.decode(raw.decode())
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        # The decoder's own error carries the body: it is not kept as the cause.
        raise _unreadable() from None
    if raw.count(b"{") + raw.count(b"[") > DEPTH_MAX:
        _check_depth(value)
    return value


def find_unstorable(raw: bytes, value: Any) -> tuple[tuple[str | int, ...], str] | None:
    """The place of the first string with an unpaired surrogate or a NUL, and `surrogate` or `nul`; else None.

    `value` is what `parse(raw)` gave. Costs one scan of the bytes when there is no such escape.
    """
    if _SUSPECT.search(raw) is None:
        return None
    for place, text in _strings(value, ()):
        rule = unstorable(text)
        if rule is not None:
            return place, rule
    return None


def unstorable(text: str) -> str | None:
    """`nul` or `surrogate` when the text holds one, else None."""
    if "\x00" in text:
        return "nul"
    return "surrogate" if any("\ud800" <= char <= "\udfff" for char in text) else None


async def _chunks(receive: Receive) -> Any:
    more = True
    while more:
        async with asyncio.timeout(STALL_SECONDS):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        more = message.get("more_body", False)
        yield message.get("body", b"")


def _strings(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every string with its place; a name counts as a string at the place of its object. At most 32 levels."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, child in value.items():
            yield place, name
            yield from _strings(child, (*place, name))
    elif isinstance(value, list):
        for at, child in enumerate(value):
            yield from _strings(child, (*place, at))


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [child for node in level for child in _children(node) if isinstance(child, dict | list)]
        if not level:
            return
    raise _too_deep()


def _children(node: Any) -> Iterable[Any]:
    return node.values() if isinstance(node, dict) else node


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refusal("invalid_input", "The body repeats a name inside one object.")
    return members


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > INTEGER_MAX:
        raise _number()
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _number()
    # JSON has one kind of number: 3.0 is the whole number 3, as JSON Schema says too.
    return int(value) if value.is_integer() and abs(value) <= INTEGER_MAX else value


def _no_constant(_name: str) -> NoReturn:
    raise _unreadable()


def _unreadable() -> Refusal:
    return Refusal("invalid_input", "The body is not JSON in UTF-8.", status=400)


def _too_slow() -> Refusal:
    return Refusal("invalid_input", "The body did not come in time. Send it again.", status=408)


def _too_deep() -> Refusal:
    return Refusal("invalid_input", f"The body must have at most {DEPTH_MAX} levels.")


def _number() -> Refusal:
    return Refusal("invalid_input", f"Numbers must be finite, whole ones at most {INTEGER_MAX}.")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_real, parse_constant=_no_constant
)
