"""Which of four layers wins, and what a set of files is called by. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from tarimba.skills.records import Chosen, File, Published


def cascade(layers: Iterable[Published]) -> dict[str, Chosen]:
    """What each name comes to, sorted by name: the highest layer wins, as a whole, never file by file."""
    found: dict[str, list[Published]] = {}
    for one in layers:
        found.setdefault(one.name, []).append(one)
    return {name: _chosen(found[name]) for name in sorted(found)}


def set_hash(chosen: Mapping[str, Chosen]) -> str:
    """The SHA-256 of a whole effective set: equal when the same names hold the same bytes."""
    told = "".join(f"{name}\0{one.winner.content_hash}\n" for name, one in sorted(chosen.items()))
    return hashlib.sha256(told.encode()).hexdigest()


def content_hash(files: Sequence[File]) -> str:
    """The SHA-256 of what the files are: paths, hashes and sizes, sorted by path."""
    told = [
        {"hash": one.hash, "path": one.path, "size": one.size} for one in sorted(files, key=lambda f: f.path)
    ]
    written = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()


def _chosen(layers: list[Published]) -> Chosen:
    strongest = sorted(layers, key=lambda one: one.place.layer, reverse=True)
    return Chosen(strongest[0], tuple(strongest[1:]))
