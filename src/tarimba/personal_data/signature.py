"""The constants that rules go by, as one text: when a word or a pattern changes, so does the detectors' version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType


def constants(modules: Iterable[ModuleType]) -> Iterator[str]:
    """Name and value of every constant of the modules, the same in every process."""
    for module in modules:
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
