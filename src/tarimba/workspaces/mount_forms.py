"""The binds of a workspace in the words of each engine. Pure: no I/O, no clock, no settings.

What lies below a read-only bind (a disk mounted there) is read-only too where the engine can say so: docker from
version 25 (`bind-recursive`), runc 1.1 and crun 1.4 in an OCI configuration (`rro`), Kubernetes 1.33
(`recursiveReadOnly`). podman can't say it.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final

from tarimba.errors import Refusal
from tarimba.workspaces.mounts import Bind

FORMATS: Final = ("docker", "podman", "k8s", "oci", "json")
_READ_ONLY: Final = "readonly"
_RECURSIVE: Final = "bind-recursive=readonly"
_PRIVATE: Final = "bind-propagation=rprivate"


def rendered(form: str, binds: Sequence[Bind]) -> str:
    """The binds as text for one of `FORMATS`. Raises 409 for a path that the engine can't be told."""
    for bind in binds:
        _require_sayable(form, bind)
    return _FORMS[form](binds)


def arguments(form: str, binds: Iterable[Bind]) -> list[str]:
    """The arguments of `docker run` or `podman run`, which read each as a line of comma-separated values."""
    last = [_READ_ONLY, _RECURSIVE] if form == "docker" else [_READ_ONLY]
    found: list[str] = []
    for bind in binds:
        fields = ["type=bind", f"source={bind.source}", f"target={bind.target}", _PRIVATE]
        found += ["--mount", _csv(fields + (last if bind.read_only else []))]
    return found


def oci(binds: Iterable[Bind]) -> list[dict[str, Any]]:
    """The array `mounts` of an OCI runtime configuration, to come after those of the system."""
    return [
        {
            "destination": str(bind.target),
            "type": "bind",
            "source": str(bind.source),
            "options": ["rbind", "rprivate", "nosuid", "nodev", *(["ro", "rro"] if bind.read_only else [])],
        }
        for bind in binds
    ]


def kubernetes(binds: Sequence[Bind]) -> dict[str, Any]:
    """`volumes` of a pod and `volumeMounts` of its container."""
    sources = list(dict.fromkeys(_place(bind) for bind in binds))
    names = {source: f"workspace-{number}" for number, source in enumerate(sources)}
    return {
        "volumes": [
            {"name": names[path, kind], "hostPath": {"path": str(path), "type": kind}}
            for path, kind in sources
        ],
        "volumeMounts": [_volume_mount(bind, names[_place(bind)]) for bind in binds],
    }


def listed(binds: Iterable[Bind]) -> list[dict[str, Any]]:
    """For whoever mounts by other means."""
    return [
        {"source": str(bind.source), "target": str(bind.target), "read_only": bind.read_only}
        for bind in binds
    ]


def _place(bind: Bind) -> tuple[PurePath, str]:
    return bind.source, "File" if bind.is_file else "Directory"


def _volume_mount(bind: Bind, name: str) -> dict[str, Any]:
    mount: dict[str, Any] = {"name": name, "mountPath": str(bind.target)}
    return mount | ({"readOnly": True, "recursiveReadOnly": "Enabled"} if bind.read_only else {})


def _command_line(form: str) -> Callable[[Sequence[Bind]], str]:
    def line(binds: Sequence[Bind]) -> str:
        words = arguments(form, binds)
        pairs = zip(words[::2], words[1::2], strict=True)
        return "\n".join(f"{option} {shlex.quote(value)}" for option, value in pairs)

    return line


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _csv(fields: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


def _require_sayable(form: str, bind: Bind) -> None:
    paths = f"{bind.source}{bind.target}"
    if not paths.isprintable() or (form == "k8s" and ":" in str(bind.target)):
        raise Refusal("conflict", "The data folder's path has characters that the engine can't be told.")


_FORMS: Final[Mapping[str, Callable[[Sequence[Bind]], str]]] = MappingProxyType(
    {
        "docker": _command_line("docker"),
        "podman": _command_line("podman"),
        "k8s": lambda binds: _indented(kubernetes(binds)),
        "oci": lambda binds: _indented(oci(binds)),
        "json": lambda binds: _indented(listed(binds)),
    }
)
