"""What the host's command line asks of published skills: words in, JSON out.

`host` is the principal of the command line. Errors are those of the use cases behind.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tarimba.errors import invalid
from tarimba.identity.listing import Window
from tarimba.identity.model import Principal
from tarimba.kernel import Kernel
from tarimba.skills import looking, publishing, removing, views
from tarimba.skills.access import Asked
from tarimba.skills.drafting import Offer
from tarimba.skills.explaining import explain
from tarimba.skills.zips import BYTES_MAX, ENTRIES_MAX, is_litter

_PAGE: Final = 500


def scope(subscription: str, agent: str) -> Asked:
    """The scope as the command line names it: a subscription's as soon as one is named."""
    return Asked("subscription" if subscription else "tenant", subscription, agent)


def publish(kernel: Kernel, host: Principal, asked: Asked, path: Path, name: str) -> dict[str, Any]:
    """Publishes a zip archive, a skill's directory, or the text of a SKILL.md. Raises OSError too."""
    language = views.language_of(host.language)
    ignored = 0
    if path.is_dir():
        archive, ignored = _zipped(path)
        offer = Offer(name, archive=archive, language=language)
    elif zipfile.is_zipfile(path):
        offer = Offer(name, archive=path.read_bytes(), language=language)
    else:
        offer = Offer(name, text=path.read_bytes(), language=language)
    made = publishing.publish(kernel, host, asked, offer)
    return _published(kernel, host, replace(made, ignored=made.ignored + ignored))


def roll_back(
    kernel: Kernel, host: Principal, asked: Asked, name: str, version: int | None
) -> dict[str, Any]:
    return _published(kernel, host, publishing.roll_back(kernel, host, asked, name, version))


def remove(kernel: Kernel, host: Principal, asked: Asked, name: str, *, erases: bool) -> dict[str, str]:
    act = removing.erase if erases else removing.remove
    return {"skill_id": act(kernel, host, asked, name).ids["skill_id"]}


def skills(kernel: Kernel, host: Principal, asked: Asked | None) -> list[views.PublishedView]:
    """Those in force at one scope, or at all of them, oldest first."""
    found: list[views.PublishedView] = []
    after: int | None = 0
    while after is not None:
        page, after = looking.list_skills(kernel, host, asked, Window(_PAGE, after))
        found += [views.published_view(one) for one in page]
    return found


def effective(
    kernel: Kernel, host: Principal, subscription: str, agent: str, name: str | None
) -> views.EffectiveView:
    """What an agent gets, all of it."""
    return views.effective_view(explain(kernel, host, subscription, agent, name=name))


def _published(kernel: Kernel, host: Principal, made: publishing.Outcome) -> dict[str, Any]:
    ids = made.done.ids
    one = looking.find_version(kernel, host.space_id, ids["skill_id"], int(ids["version"]))
    warnings = [warning.as_json() for warning in made.warnings]
    return {
        **views.published_view(one),
        "is_new": made.done.status == 201,
        "warnings": warnings,
        "ignored": made.ignored,
    }


def _zipped(folder: Path) -> tuple[bytes, int]:
    """A directory as an archive, which is judged like any other, and how many files are no part of it.

    A folder of a system or a tool counts as one. Raises 422 for links and the like.
    """
    made = io.BytesIO()
    size = 0
    files, ignored = _files(folder)
    with zipfile.ZipFile(made, "w") as archive:
        for number, file in enumerate(files, 1):
            size += file.lstat().st_size
            if number > ENTRIES_MAX or size > BYTES_MAX:
                raise invalid("PATH", f"must hold at most {ENTRIES_MAX} files and {BYTES_MAX} bytes in all")
            archive.writestr(str(file.relative_to(folder)), file.read_bytes())
    return made.getvalue(), ignored


def _files(folder: Path) -> tuple[list[Path], int]:
    found: list[Path] = []
    ignored = 0
    for where, folders, names in os.walk(folder):
        kept = [name for name in folders if not is_litter(name, is_folder=True)]
        files = [name for name in names if not is_litter(name)]
        ignored += len(folders) - len(kept) + len(names) - len(files)
        # What is left in this list is walked into.
        folders[:] = kept
        for name in (*kept, *files):
            mode = (Path(where) / name).lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise invalid("PATH", "must hold files and folders alone: no links")
        found += [Path(where) / name for name in files]
    return sorted(found), ignored
