"""What is to be run and where, as the command line hands it to a fresh process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final

LAYERS: Final = frozenset({"read_only", "no_capabilities", "landlock", "call_filter"})
"""What stands one upon the other. Tests leave some out, to see that each holds by itself; nothing else may."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """One bind: `source` on the host, `target` inside.

    `inner` is a path below `source`, where an agent may have left a link: none is followed.
    """

    source: str
    target: str
    read_only: bool
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`folder` is where the command begins, `binds` are in the order in which they are made.

    `writable` are the paths inside that the command may write below. `uid` and `gid` are whom it is on the host,
    `inside` the number of both that it sees itself by. `software` are trees of the host that it reads beside the
    system. `scratch` are folders that begin empty and that the command may write in. `held` are descriptors that stay
    open, in the processes that are not the command's, while it runs.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    binds: tuple[Mounted, ...]
    writable: tuple[str, ...]
    uid: int
    gid: int
    inside: int
    has_network: bool = True
    software: tuple[Mounted, ...] = ()
    layers: frozenset[str] = field(default=LAYERS)
    scratch: tuple[str, ...] = ()
    held: tuple[int, ...] = ()

    def as_json(self) -> bytes:
        return json.dumps(asdict(self) | {"layers": sorted(self.layers)}).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Plan:
        given = json.loads(data)
        tuples = {name: tuple(given[name]) for name in ("command", "writable", "scratch", "held")}
        trees = {name: tuple(Mounted(**one) for one in given[name]) for name in ("binds", "software")}
        return cls(**given | tuples | trees | {"layers": frozenset(given["layers"])})
