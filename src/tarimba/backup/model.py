"""What a backup says of itself, and what is in it. Frozen; the forms of the two documents in the file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT: Final = 1
Kind = Literal["folder", "file", "link"]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class About(_Form):
    """The first document in the file: enough to refuse it before the rest is read.

    `key_check` tells which master key it needs and nothing of the key; `revision` is that of the schema.
    """

    format: int
    version: str
    revision: str
    database: Literal["sqlite", "postgresql"]
    key_check: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    made_at: str


class SpaceState(_Form):
    """How the log of a space stood: its size, its root, and the last checkpoint that was signed, if any."""

    space_id: str
    size: int
    root: Hash
    checkpoint: str | None


class Manifest(_Form):
    """The last document: without it the file is not finished.

    `files` and `bytes` count what is in it, `left_out` what is not, by reason; `list_sha256` is that of the list of
    files, which has the SHA-256 of each. `mac` is made with the master key over all of this.
    """

    about: About
    spaces: tuple[SpaceState, ...]
    files: int
    bytes: int
    left_out: dict[str, int]
    list_sha256: Hash
    mac: str = ""

    def signed_text(self) -> str:
        """What the MAC is over."""
        told = self.model_dump(mode="json", exclude={"mac"})
        return json.dumps(told, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in the file, or one that was left out (`why`). `path` is relative to the backup's root.

    What is not UTF-8 in a path is there as surrogates. `mode`, `uid` and `gid` are those of the original, `mtime` is in
    seconds; `sha256` is empty for what is no file, `target` is where a link points.
    """

    path: str
    kind: Kind
    size: int = 0
    mode: int = 0
    uid: int = 0
    gid: int = 0
    mtime: int = 0
    sha256: str = ""
    target: str = ""
    why: str = ""

    def line(self) -> bytes:
        """Its line in the list of files."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Item:
        """The item again. Raises `ValueError` for what is none."""
        told = json.loads(line)
        if not isinstance(told, dict) or set(told) != {one.name for one in fields(cls)}:
            raise ValueError("no line of a list")
        return cls(**told)
