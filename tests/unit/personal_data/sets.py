"""The development sets: synthetic rows, no person in them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tarimba.personal_data.detectors import Detectors
from tarimba.personal_data.structured import Structured

DIRECTORY = Path(__file__).parents[2] / "data" / "pii"
# The sets say `pix_evp` for what the wire calls `pix_key`.
WIRE_KINDS = {"pix_evp": "pix_key"}


@dataclass(frozen=True, slots=True)
class Entity:
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    text: str
    raw: dict[str, Any]

    @property
    def persons(self) -> tuple[Entity, ...]:
        return tuple(
            Entity("name", entity["start"], entity["end"])
            for entity in self.raw.get("entities", ())
            if entity["kind"] == "person"
        )

    @property
    def structured(self) -> tuple[Entity, ...]:
        """The entities that rules can find: names are for other layers."""
        return tuple(
            Entity(WIRE_KINDS.get(entity["kind"], entity["kind"]), entity["start"], entity["end"])
            for entity in self.raw.get("entities", ())
            if entity["kind"] != "person"
        )


def rows(name: str) -> Iterator[Row]:
    for line in (DIRECTORY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        yield Row(raw["id"], raw["text"], raw)


@lru_cache(maxsize=1)
def rules_only() -> Detectors:
    """The layer of patterns and check digits, without any that finds names."""
    return Detectors.of(Structured())


@lru_cache(maxsize=1)
def detectors() -> Detectors:
    """The local detectors, built once: they hold no state."""
    return Detectors.local()
