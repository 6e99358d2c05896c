"""Finding the route of a path.

The framework tries one pattern after the other; here a path without parameters is one look-up, and the answer
to a wrong method names every method of the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final, Generic, TypeVar

from starlette.routing import BaseRoute, Match, NoMatchFound

from tarimba.http.body import Receive
from tarimba.http.reply import Send

T = TypeVar("T")

# `{name}` is one step of a path, `{name:path}` all that is left of it.
_PARAMETER: Final = re.compile(r"\{(\w+(?::path)?)\}")


class Table(Generic[T]):
    """Paths, and for each the things that its methods mean. Literal steps win over parameters."""

    def __init__(self, entries: Iterable[tuple[str, str, T]]) -> None:
        """`entries` are (path, method, thing). Raises `ValueError` for a pair that comes twice."""
        paths: dict[str, dict[str, T]] = {}
        for path, method, thing in entries:
            if thing is not paths.setdefault(path, {}).setdefault(method, thing):
                raise ValueError(f"{method} {path} is declared twice")
        self._literal = {path: methods for path, methods in paths.items() if "{" not in path}
        patterned = sorted(paths.keys() - self._literal.keys(), key=_literal_first)
        self._patterned = [(_pattern(path), paths[path]) for path in patterned]

    def find(self, path: str) -> tuple[Mapping[str, T], Mapping[str, str]] | None:
        """The things by method, and the values of the path's parameters. None for an unknown path."""
        methods = self._literal.get(path)
        if methods is not None:
            return methods, {}
        for pattern, candidates in self._patterned:
            found = pattern.fullmatch(path)
            if found is not None:
                return candidates, found.groupdict()
        return None


class Mounted(BaseRoute):
    """A table inside the framework's router: it claims the paths it knows and serves them with `serve`."""

    def __init__(self, table: Table[Any], serve: Any) -> None:
        self._table = table
        self._serve = serve

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        if scope["type"] == "http":
            found = self._table.find(scope["path"].removeprefix(scope.get("root_path", "")))
            if found is not None:
                return Match.FULL, {"tarimba.found": found}
        return Match.NONE, {}

    async def handle(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        await self._serve(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: Any) -> Any:
        raise NoMatchFound(name, path_params)


def _literal_first(path: str) -> tuple[bool, ...]:
    return tuple(step.startswith("{") for step in path.split("/"))


def _pattern(path: str) -> re.Pattern[str]:
    parts = _PARAMETER.split(path)
    # Odd parts are the names of parameters.
    return re.compile("".join(_group(part) if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def _group(parameter: str) -> str:
    name, _, is_rest = parameter.partition(":")
    return f"(?P<{name}>{'.+' if is_rest else '[^/]+'})"
