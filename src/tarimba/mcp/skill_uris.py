"""The addresses of skills and of their files and directories, and back. Pure.

`skill://<scope>/<name>/<path>`; directories are written without a slash at the end. Source: SEP-2640.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from tarimba.skills.model import FILE_NAME

_SCHEME: Final = "skill://"
_SCOPES: Final = frozenset({"tenant", "subscription"})


@dataclass(frozen=True, slots=True)
class Address:
    """What an address names. `name` is empty for all skills of a scope, `path` for the root of one."""

    scope: str
    name: str = ""
    path: str = ""

    @property
    def uri(self) -> str:
        parts = (self.scope, self.name, *self.path.split("/"))
        return _SCHEME + "/".join(quote(part, safe="") for part in parts if part)


def skill_file(scope: str, name: str) -> Address:
    """Where a skill begins."""
    return Address(scope, name, FILE_NAME)


def read_uri(uri: str) -> Address | None:
    """What the address names; None unless it is one that is written here."""
    scope, _, rest = uri.removeprefix(_SCHEME).partition("/")
    name, _, path = rest.partition("/")
    try:
        found = Address(scope, unquote(name, errors="strict"), unquote(path, errors="strict"))
        written = found.uri
    except UnicodeError:
        return None
    # One way to write each: what a host compares with its list is equal letter by letter.
    return found if scope in _SCOPES and written == uri else None
