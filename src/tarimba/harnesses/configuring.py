"""A harness's own file of configuration, with our server of MCP in it and everything else as it was. Pure.

JSON is read and written anew, with the order of its keys. Of TOML only the table of our server is exchanged, line by
line, so comments stay; what comes of it is read again and compared before anybody gets it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tarimba.harnesses.model import Profile

SERVER: Final = "memory"
"""The name of our server in every harness."""
_ENDPOINT: Final = "/v1/mcp"
_MASK: Final = "***"


class ConfigurationError(Exception):
    """A file of configuration can't be kept as it is: why, as a sentence that holds nothing of the file."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """Where the memory graph is, and the token of one workspace for it."""

    url: str
    token: str

    def entry(self, profile: Profile) -> dict[str, Any]:
        """As it stands in a file of this harness."""
        return _filled(profile.mcp_server, {"url": self.url, "authorization": f"Bearer {self.token}"})


def configured(profile: Profile, before: bytes | None, server: McpServer | None) -> bytes:
    """What the file holds with our server in it, without it for None; `before` itself when nothing differs.

    None is no file: then it is made, with a table of no servers where there is none of ours, so that nobody else makes
    it. Raises `ConfigurationError` for one that can't be read, whose other keys could not stay, or that has another
    server of our name.
    """
    if before is None and server is None:
        return _empty(profile)
    if profile.config_format == "toml":
        return _toml(profile, before, server)
    return _json(profile, before, server)


def masked(profile: Profile, server: McpServer) -> dict[str, Any]:
    """Our server as it may be shown: without the values of its headers."""
    shown = server.entry(profile)
    return {
        key: dict.fromkeys(value, _MASK) if isinstance(value, Mapping) else value
        for key, value in shown.items()
    }


def _empty(profile: Profile) -> bytes:
    """What every harness of the format reads: some refuse a file of JSON that has no table of servers."""
    if profile.config_format == "toml":
        return b""
    document: dict[str, Any] = {}
    _table(document, profile.mcp_servers)
    return json.dumps(document, indent=2).encode() + b"\n"


def _json(profile: Profile, before: bytes | None, server: McpServer | None) -> bytes:
    document = {} if before is None else _read_json(before)
    if not _settle(profile, document, server) and before is not None:
        return before
    try:
        return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).encode() + b"\n"
    except ValueError:
        raise ConfigurationError("The file holds a number or a text that can't be written again.") from None


def _settle(profile: Profile, document: dict[str, Any], server: McpServer | None) -> bool:
    """Puts our server in, or takes it out. Whether that changed anything."""
    if server is None:
        servers = _look(document, profile.mcp_servers)
        if not isinstance(servers, dict) or not _is_ours(profile, servers.get(SERVER)):
            return False
        del servers[SERVER]
        return True
    servers = _table(document, profile.mcp_servers)
    if SERVER in servers and not _is_tarimba(servers[SERVER]):
        name = ".".join((*profile.mcp_servers, SERVER))
        raise ConfigurationError(f"In the file `{name}` is another server: give that one another name.")
    changed = servers.get(SERVER) != server.entry(profile)
    servers[SERVER] = server.entry(profile)
    for switch in profile.mcp_switches:
        *above, name = switch.split(".")
        table = _table(document, above)
        changed |= table.get(name) is not True
        table[name] = True
    return changed


def _look(document: Mapping[str, Any], path: Sequence[str]) -> Any:
    found: Any = document
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _table(document: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    for at, step in enumerate(path, 1):
        document = document.setdefault(step, {})
        if not isinstance(document, dict):
            raise ConfigurationError(f"In the file `{'.'.join(path[:at])}` must be a table of keys.")
    return document


def _is_ours(profile: Profile, entry: Any) -> bool:
    """Whether we wrote it, and nobody added to it."""
    return _is_tarimba(entry) and entry.keys() == profile.mcp_server.keys()


def _is_tarimba(entry: Any) -> bool:
    """Whether it is a server of ours, at whatever address: another one may have the same name."""
    return isinstance(entry, Mapping) and str(entry.get("url", "")).endswith(_ENDPOINT)


def _read_json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise ConfigurationError("The file is not readable as JSON without comments.") from None
    if not isinstance(found, dict):
        raise ConfigurationError("The file must hold one JSON object.")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ConfigurationError("The file has a key twice in one object.")
    return found


def _toml(profile: Profile, before: bytes | None, server: McpServer | None) -> bytes:
    text, wanted = _read_toml(before or b"")
    if not _settle(profile, wanted, server) and before is not None:
        return before
    lines = _without(text.splitlines(keepends=True), (*profile.mcp_servers, SERVER))
    kept = "".join(lines).rstrip("\n")
    added = "" if server is None else _written((*profile.mcp_servers, SERVER), server.entry(profile))
    made = "\n\n".join(part for part in (kept, added) if part).rstrip("\n") + "\n"
    try:
        is_right = _bare(tomllib.loads(made), profile) == _bare(wanted, profile)
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        name = ".".join((*profile.mcp_servers, SERVER))
        raise ConfigurationError(
            f"In the file `{name}` must be a table under a heading of its own, or be left out."
        )
    return made.encode()


def _read_toml(data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        text = data.decode("utf-8")
        return text, tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        raise ConfigurationError("The file is not readable as TOML.") from None


def _bare(document: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """Without a table of servers that is empty: taking the last one out may leave none."""
    servers = _look(document, profile.mcp_servers)
    if servers == {} and len(profile.mcp_servers) == 1:
        return {key: value for key, value in document.items() if key != profile.mcp_servers[0]}
    return document


def _without(lines: Sequence[str], path: Sequence[str]) -> list[str]:
    """The lines without the table at `path` and those below it, each from its heading to the next."""
    kept, is_ours = [], False
    for line in lines:
        heading = _heading(line)
        if heading is not None:
            is_ours = heading[: len(path)] == list(path)
        if not is_ours:
            kept.append(line)
    return kept


def _heading(line: str) -> list[str] | None:
    """The keys of a `[heading]`, None for another line."""
    stripped = line.strip()
    if not stripped.startswith("["):
        return None
    try:
        found: Any = tomllib.loads(stripped)
    except tomllib.TOMLDecodeError:
        return None
    steps = []
    while isinstance(found, dict) and found:
        ((step, found),) = found.items()
        steps.append(step)
    return steps


def _written(path: Sequence[str], table: Mapping[str, Any]) -> str:
    """A table of texts, truth values and tables of the same, with its heading."""
    plain = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, Mapping)]
    inner = [_written((*path, key), value) for key, value in table.items() if isinstance(value, Mapping)]
    return "\n\n".join(["\n".join([f"[{'.'.join(path)}]", *plain]), *inner])


def _filled(template: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    return {key: _value(value, places) for key, value in template.items()}


def _value(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return _filled(value, places)
    return value.format_map(places) if isinstance(value, str) else value
