"""The files of deploy/, read: manifests of Kubernetes, the compose file and units of systemd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.recipes.environment import ROOT

DEPLOY = ROOT / "deploy"
UNITS = DEPLOY / "systemd"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
KUBERNETES = DEPLOY / "kubernetes"


def manifests() -> list[Path]:
    """The files that hold objects of a cluster, not those that list them."""
    return sorted(path for path in KUBERNETES.rglob("*.yaml") if path.name != "kustomization.yaml")


def read(path: Path) -> list[dict[str, Any]]:
    return [dict(one) for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def objects() -> Iterator[dict[str, Any]]:
    for path in manifests():
        yield from read(path)


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and specification of each pod that an object makes."""
    for one in objects():
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield f"{one['kind']}/{one['metadata']['name']}", template["spec"]


def options_of_cluster() -> Mapping[str, str]:
    (found,) = (one for one in objects() if one["kind"] == "ConfigMap")
    return dict(found["data"])


def unit(name: str) -> dict[str, list[str]]:
    """Every directive of a unit with its values, in their order."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        key, is_directive, value = line.partition("=")
        if is_directive and not line.startswith(("#", "[")):
            found.setdefault(key, []).append(value)
    return found
