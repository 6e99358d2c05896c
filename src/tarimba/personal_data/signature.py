"""The constants that rules go by, as one text: when a word or a pattern changes, so does the detectors' version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from types import ModuleType


@cache
def constants(*modules: ModuleType) -> str:
    """Name and value of every constant of the modules, the same in every process. Gathered once: they are constants."""
    return "\n".join(chain.from_iterable(map(_lines, modules)))


def _lines(module: ModuleType) -> Iterator[str]:
    for name, value in sorted(vars(module).items()):
        if name.isupper():
            yield f"{module.__name__}.{name} {_known(value)}"


def _known(value: object) -> str:
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    if isinstance(value, Mapping):
        return str(sorted((str(key), _known(item)) for key, item in value.items() if not callable(item)))
    if isinstance(value, frozenset):
        return str(sorted(map(str, value)))
    if isinstance(value, tuple):
        return str([_known(item) for item in value])
    return "" if callable(value) else str(value)
