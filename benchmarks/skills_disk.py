"""Ten thousand published skills on disk: how long the first writing takes, and one change after that.

Run alone: python -m benchmarks.skills_disk
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import insert, update

from benchmarks.load import median
from tarimba.app import open_kernel
from tarimba.identity import hosting
from tarimba.ids import new_id
from tarimba.kernel import Kernel
from tarimba.settings import Settings
from tarimba.skills.disk import Flattened, flatten
from tarimba.skills.records import File
from tarimba.skills.rules import content_hash
from tarimba.skills.store import files_text
from tarimba.storage.tables import blob, skill, skill_version, subscription

SKILLS = 10_000
_CHANGES = 9
_PUBLISHED_AT = 1_700_000_000_000_000
_SIZES = {"SKILL.md": 2400, "references/terms.md": 1200}
_SPACE = """
[space]
slug = "skills"
name = "Skills"
language = "en"
[[vendor]]
slug = "north"
[[agent]]
slug = "billing"
vendor = "north"
harness = "generic"
"""


def measure() -> dict[str, Any]:
    """Seconds of the first writing, milliseconds after one change, and whether two hosts have the same."""
    master = SecretStr(base64.b64encode(os.urandom(32)).decode())
    with tempfile.TemporaryDirectory(prefix="tarimba-bench-") as folder:
        db = f"sqlite:///{folder}/tarimba.db"
        with open_kernel(Settings(data=Path(folder, "a"), db=db, master_key=master)) as kernel:
            ids = _fill(kernel)
            first, made = _timed(lambda: flatten(kernel, *ids))
            changed = []
            for number in range(_CHANGES):
                _change(kernel, ids[0], number)
                changed.append(_timed(lambda: flatten(kernel, *ids))[0])
        with open_kernel(Settings(data=Path(folder, "b"), db=db, master_key=master)) as kernel:
            other = flatten(kernel, *ids)
        is_same = _digest(made.path) == _digest(other.path)
    return {
        "skills": SKILLS,
        "first_s": round(first, 2),
        "changed_ms": round(median(changed) * 1000, 1),
        "same_on_two_hosts": is_same,
    }


def _timed(work: Callable[[], Flattened]) -> tuple[float, Flattened]:
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def _fill(kernel: Kernel) -> tuple[str, str, str]:
    """The ids of a space with that many skills, of a subscription and of an agent."""
    applied = hosting.apply_text(kernel, _SPACE)
    ids = (applied.space_id, new_id(), applied.agents["billing"])
    found: dict[Any, list[dict[str, Any]]] = {skill: [], skill_version: [], blob: []}
    for number in range(SKILLS):
        for table, row in _rows(number):
            found[table].append({"space_id": ids[0], **row})
    with kernel.database.write() as connection:
        theirs: dict[str, Any] = {
            "space_id": ids[0],
            "subscription_id": ids[1],
            "slug": "team",
            "name": "Team",
        }
        connection.execute(insert(subscription).values(created_at=0, ordinal=0, **theirs))
        for table, rows in found.items():
            connection.execute(insert(table), rows)
    return ids


def _rows(number: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    name, skill_id, files = f"skill-{number:05d}", new_id(), []
    for path, size in _SIZES.items():
        data = (f"{name} {path}: look before you write.\n" * size)[:size].encode()
        files.append(File(path, hashlib.sha256(data).hexdigest(), size))
        yield blob, {"hash": files[-1].hash, "size": size, "content": data}
    where: dict[str, Any] = {"scope": "tenant", "subscription_id": "", "source_id": ""}
    yield (
        skill,
        {"skill_id": skill_id, "name": name, "version": 1, "created_at": 0, "ordinal": number} | where,
    )
    told: dict[str, Any] = {"description": f"When told of {name}.", "verdict": "ok", "problems": "[]"}
    told |= {"files": files_text(files), "content_hash": content_hash(files), "size": sum(_SIZES.values())}
    by: dict[str, Any] = {"published_at": _PUBLISHED_AT, "published_by": "nobody", "ordinal": number}
    yield skill_version, {"skill_id": skill_id, "version": 1} | told | by


def _change(kernel: Kernel, space_id: str, number: int) -> None:
    """Gives one skill the files of the next, which is a change as good as any."""
    names = [f"skill-{number:05d}", f"skill-{number + 1:05d}"]
    with kernel.database.write() as connection:
        one, other = (
            connection.execute(
                skill_version.select()
                .join(skill, skill.c.skill_id == skill_version.c.skill_id)
                .where(skill.c.space_id == space_id, skill.c.name == name)
            ).one()
            for name in names
        )
        mine = (skill_version.c.space_id == space_id, skill_version.c.skill_id == one.skill_id)
        values = {"files": other.files, "content_hash": other.content_hash}
        connection.execute(update(skill_version).where(*mine).values(**values))


def _digest(folder: Path) -> str:
    """A digest of all paths, modes, times and bytes."""
    told = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        seen = path.lstat()
        told.update(f"{path.relative_to(folder)}\0{seen.st_mode}\0{seen.st_mtime_ns}\0".encode())
        told.update(path.read_bytes() if path.is_file() else b"")
    return told.hexdigest()


if __name__ == "__main__":
    print(measure())
