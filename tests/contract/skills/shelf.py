"""Published skills as rows, for tests of what becomes of them, and a reader that looks at them on disk."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import func, insert, select, update

from tarimba.harnesses.service import profile
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.receipts.model import Actor, Receipt
from tarimba.receipts.service import record
from tarimba.skills import rules
from tarimba.skills.disk import flatten
from tarimba.skills.managed import managed
from tarimba.skills.records import File, Place
from tarimba.skills.swapping import Settled
from tarimba.storage import Tx
from tarimba.storage.tables import blob, shared_file, skill, skill_version, subscription
from tests.contract.notes.world import World

TENANT = Place("tenant")
READER = Path(__file__).with_name("reader.py")


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one space has published, and one agent in one subscription that gets it."""

    world: World
    subscription_id: str
    source_id: str

    @property
    def kernel(self) -> Kernel:
        return self.world.kernel

    @property
    def folder(self) -> Path:
        root = self.kernel.settings.data / "effective-skills"
        return root / self.world.space_id / self.subscription_id / self.source_id

    @property
    def work(self) -> Path:
        root = self.kernel.settings.data / "effective-skills/.work"
        return root / self.world.space_id / self.subscription_id / self.source_id

    def publish(self, name: str, files: Mapping[str, bytes], place: Place = TENANT) -> None:
        """A new version of these files, in force from now on."""
        hashes = {hashlib.sha256(data).hexdigest(): data for data in files.values()}
        listed = tuple(
            File(path, hashlib.sha256(data).hexdigest(), len(data)) for path, data in sorted(files.items())
        )

        def commit(tx: Tx) -> None:
            skill_id, version = self._named(tx, place, name)
            _hold(tx, hashes)
            row = {"space_id": tx.space_id, "skill_id": skill_id, "version": version + 1, "verdict": "ok"}
            row |= {
                "description": "When told to.",
                "problems": "[]",
                "files": json.dumps(list(map(asdict, listed))),
            }
            row |= {"content_hash": rules.content_hash(listed), "size": sum(file.size for file in listed)}
            row |= {"published_at": tx.now, "published_by": "nobody", "ordinal": tx.next_ordinal()}
            tx.write(insert(skill_version).values(**row))
            self._put_in_force(tx, skill_id, version + 1)

        self.kernel.writer.commit(self.world.space_id, commit)

    def share(self, path: str, data: bytes, place: Place = TENANT) -> None:
        """A file for agents, in place of one that is at that path."""
        digest = hashlib.sha256(data).hexdigest()
        where = {"scope": place.scope, "subscription_id": place.subscription_id, "source_id": place.source_id}

        def commit(tx: Tx) -> None:
            _hold(tx, {digest: data})
            mine = shared_file.delete().filter_by(space_id=tx.space_id, path=path, **where)
            tx.write(mine)
            row = {
                "space_id": tx.space_id,
                "file_id": new_id(),
                "path": path,
                "hash": digest,
                "size": len(data),
            }
            row |= {
                "version": 1,
                "published_at": tx.now,
                "published_by": "nobody",
                "ordinal": tx.next_ordinal(),
            }
            tx.write(insert(shared_file).values(**row, **where))
            tx.changed()
            record(tx, Receipt("file.publish", Actor("system", "cli"), "cli"))

        self.kernel.writer.commit(self.world.space_id, commit)

    def remove(self, name: str, place: Place = TENANT) -> None:
        self.kernel.writer.commit(
            self.world.space_id, lambda tx: self._put_in_force(tx, self._named(tx, place, name)[0], 0)
        )

    def flatten(self) -> Settled:
        return flatten(self.kernel, self.world.space_id, self.subscription_id, self.source_id).settled

    def on_disk(self) -> dict[str, bytes]:
        """Every file of what is published, as readers see it, by its path."""
        shipped = {one.name for one in managed(profile("generic"), "en")}
        found = files_in(self.folder)
        return {path: data for path, data in found.items() if path.partition("/")[0] not in shipped}

    def _named(self, tx: Tx, place: Place, name: str) -> tuple[str, int]:
        """The id of a name at a scope, and its newest version; it begins if it is not there."""
        ids = {"scope": place.scope, "subscription_id": place.subscription_id, "source_id": place.source_id}
        mine = {"space_id": tx.space_id, "name": name, **ids}
        skill_id = tx.scalar(select(skill.c.skill_id).filter_by(**mine))
        if skill_id is None:
            skill_id = new_id()
            row = mine | {
                "skill_id": skill_id,
                "version": 0,
                "created_at": tx.now,
                "ordinal": tx.next_ordinal(),
            }
            tx.write(insert(skill).values(**row))
        newest = select(func.max(skill_version.c.version)).where(skill_version.c.skill_id == skill_id)
        return str(skill_id), int(tx.scalar(newest.where(skill_version.c.space_id == tx.space_id)) or 0)

    def _put_in_force(self, tx: Tx, skill_id: str, version: int) -> None:
        tx.write(update(skill).where(skill.c.skill_id == skill_id).values(version=version))
        tx.changed()
        record(tx, Receipt("skill.publish", Actor("system", "cli"), "cli"))


def _hold(tx: Tx, contents: Mapping[str, bytes]) -> None:
    held = set(tx.connection.scalars(select(blob.c.hash).where(blob.c.space_id == tx.space_id)))
    for digest, data in contents.items():
        if digest not in held:
            tx.write(insert(blob).values(space_id=tx.space_id, hash=digest, size=len(data), content=data))


def shelf_of(world: World, agent: str = "billing") -> Shelf:
    """A subscription of its own in that space."""
    subscription_id = new_id()
    row = {
        "space_id": world.space_id,
        "subscription_id": subscription_id,
        "slug": subscription_id,
        "name": "S",
    }
    with world.kernel.database.write() as connection:
        connection.execute(insert(subscription).values(created_at=0, ordinal=0, **row))
    return Shelf(world, subscription_id, world.sources[agent])


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def marked(name: str, version: int) -> dict[str, bytes]:
    """Files that all say which version they are of, long enough to be caught half-written."""
    mark = f"{name} {version:06d}\n".encode() * 3000
    return {
        path: path.encode() + b"\n" + mark for path in ("SKILL.md", "references/a/b.md", "scripts/run.py")
    }


@contextmanager
def reading(folder: Path, kept: tuple[str, ...], *, bound_at: Path | None = None) -> Iterator[list[str]]:
    """A process that reads those skills in a tight loop while the block runs; then what it saw that was wrong.

    `bound_at` has it read through a mount of the directory there, read-only, in a mount namespace of its own.
    """
    command = [sys.executable, str(READER), str(bound_at or folder), *kept]
    if bound_at is not None:
        bound_at.mkdir()
        mount = 'mount --bind "$0" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mount, str(folder), str(bound_at), *command]
    wrong: list[str] = []
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "reading\n"
        yield wrong
    finally:
        process.stdin.close()
        wrong += process.stdout.read().splitlines()
        process.stdout.close()
        assert process.wait() == 0


def can_mount() -> bool:
    """Whether this process may make a mount namespace."""
    if os.geteuid() != 0:
        return False
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0
