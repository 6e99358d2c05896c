"""What a batch may hold, read leniently: item by item, with what is unknown counted, and no value in an error.

A bad item is refused with the field and its rule; the others are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from tarimba.notes.service import moment
from tarimba.text import CALLER_ID_MAX, GateError, caller_id

NAME_MAX: Final = 256
ID_MAX: Final = 512
VALUE_MAX: Final = 320
_UNSTORABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Handle(NamedTuple):
    """A handle as it was sent."""

    type: str
    value: str
    scope: str | None
    subject_kind: str | None


class BadItemError(Exception):
    """An item breaks a rule. Carries a sentence that names the field, never what came."""


class Fields:
    """An object of a batch. Each look says what is wanted; null counts as absent."""

    __slots__ = ("_inside", "_seen", "_value", "_where")

    def __init__(self, value: Any, where: str = "") -> None:
        if not isinstance(value, dict):
            raise BadItemError(f"{where.removesuffix('.') or 'The item'}: must be an object")
        self._value = value
        self._where = where
        self._seen: set[str] = set()
        self._inside: list[Fields] = []

    @property
    def unread(self) -> int:
        """How many fields nobody has looked at, here and inside: they are not kept."""
        return len(self._value.keys() - self._seen) + sum(one.unread for one in self._inside)

    def know(self, names: Iterable[str]) -> Fields:
        """The same, with these fields known: they are not kept, and are not counted as unread."""
        self._seen.update(names)
        return self

    def text(self, name: str, most: int, *, required: bool = False) -> str | None:
        """A string of 1 to `most` characters that can be stored or hashed. An empty one counts as absent."""
        return self._storable(name, self.speech(name, most, required=required))

    def speech(self, name: str, most: int, *, required: bool = False) -> str | None:
        """A string of 1 to `most` characters, whatever they are: what somebody said."""
        value = self._take(name, str, "a string")
        if not value:
            if required:
                raise BadItemError(f"{self._where}{name}: is required")
            return None
        if len(value) > most:
            raise BadItemError(f"{self._where}{name}: must have at most {most} characters")
        return str(value)

    def id(self, name: str, *, required: bool = False) -> str | None:
        """Another id of the caller's own, of 1 to 512 characters: it is hashed as it came."""
        return self.text(name, ID_MAX, required=required)

    def caller_id(self, name: str, *, required: bool = False) -> str | None:
        """An id of a conversation or task, in the form in which it is looked for."""
        value = self.speech(name, CALLER_ID_MAX, required=required)
        return value and self._gated(name, value)

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        value: str | None = self._take(name, str, "a string")
        if value is not None and value not in choices:
            raise BadItemError(f"{self._where}{name}: must be one of {', '.join(choices)}")
        return value

    def truth(self, name: str) -> bool | None:
        value: bool | None = self._take(name, bool, "true or false")
        return value

    def moment(self, name: str) -> int | None:
        """An RFC 3339 moment with zone, in microseconds."""
        written = self._take(name, str, "a string")
        try:
            return None if written is None else moment(written)
        except ValueError:
            raise BadItemError(f"{self._where}{name}: must be a moment with time zone (RFC 3339)") from None

    def object(self, name: str) -> Fields | None:
        value = self._take(name, dict, "an object")
        return None if value is None else self._with(Fields(value, f"{self._where}{name}."))

    def objects(self, name: str, most: int, read: Callable[[Any], Any] = lambda value: value) -> list[Fields]:
        """A list of at most `most` objects; `read` makes an object of another way to write one."""
        return [
            self._with(Fields(read(value), f"{self._where}{name}[{at}]."))
            for at, value in enumerate(self._list(name, most))
        ]

    def caller_ids(self, name: str, most: int) -> list[str]:
        """A list of at most `most` ids of conversations."""
        found = []
        for at, value in enumerate(self._list(name, most)):
            if not isinstance(value, str) or not 1 <= len(value) <= CALLER_ID_MAX:
                raise BadItemError(
                    f"{self._where}{name}[{at}]: must be a string of 1 to {CALLER_ID_MAX} characters"
                )
            found.append(self._gated(f"{name}[{at}]", value))
        return found

    def _with(self, inside: Fields) -> Fields:
        self._inside.append(inside)
        return inside

    def _list(self, name: str, most: int) -> Sequence[Any]:
        value: Sequence[Any] = self._take(name, list, "a list") or ()
        if len(value) > most:
            raise BadItemError(f"{self._where}{name}: must have at most {most} entries")
        return value

    def _take(self, name: str, kind: type, words: str) -> Any:
        self._seen.add(name)
        value = self._value.get(name)
        if value is not None and not isinstance(value, kind):
            raise BadItemError(f"{self._where}{name}: must be {words}")
        return value

    def _gated(self, name: str, value: str) -> str:
        try:
            return caller_id(value, field=f"{self._where}{name}")
        except GateError as error:
            raise BadItemError(error.sentence) from None

    def _storable(self, name: str, value: str | None) -> str | None:
        if value is not None and _UNSTORABLE.search(value):
            raise BadItemError(f"{self._where}{name}: holds a control character or an unpaired surrogate")
        return value


def handles_of(sent: Iterable[Fields]) -> list[Handle]:
    """The handles in these objects."""
    found = []
    for one in sent:
        handle_type = str(one.text("type", NAME_MAX, required=True))
        value = str(one.text("value", VALUE_MAX, required=True))
        found.append(
            Handle(handle_type, value, one.text("scope", NAME_MAX), one.text("subject_kind", NAME_MAX))
        )
    return found
