"""What an agent's container has of a workspace: which folder or file of the host, where, and whether it may write.

A bind holds a file or folder, not its name: in a folder that the agent may write it could move what is bound aside
with the folder around it, and put its own in the place of it. So every folder on the way to a bind is one itself,
writable as before, which the kernel lets nobody rename. The same is done for a folder that another turn binds from
here, for else the agent could leave a link for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path, PurePath, PurePosixPath

from tarimba.confined import Confined, Kind
from tarimba.errors import Refusal
from tarimba.identity.seats import Seat
from tarimba.skills import disk
from tarimba.workspaces import places, secret_delivery

_SHARED = PurePosixPath(".shared")


class _Kept(Enum):
    """What is bound read-only, by where it comes from."""

    SKILLS, FILES, CONFIG, SECRETS, DOCUMENT = range(5)


@dataclass(frozen=True, slots=True)
class Bind:
    """`source` on the host is seen at `target`.

    `workspace` is the folder that an agent writes in and that `source` lies in, the source itself for a workspace; None
    where it is out of every agent's reach.
    """

    source: Path
    target: PurePosixPath
    read_only: bool
    workspace: Path | None = None
    is_file: bool = False

    @property
    def inner(self) -> str:
        """The path of the source in its workspace, empty for the workspace itself."""
        return "" if self.workspace is None else _below(self.source, self.workspace)


def binds(data: Path, seat: Seat) -> tuple[Bind, ...]:
    """All of a seat's, for its main workspace and for the project that it names, in the order of mounting.

    Raises 409 where the workspace was not provisioned on this host, or the agent has put something in the way.
    """
    top = data.resolve()
    main = replace(seat, project="")
    found = list(_of_workspace(top, main))
    if seat.project:
        found += _of_workspace(top, seat)
        found.append(_own_skills(top, seat))
    made = tuple(sorted(set(found), key=lambda one: (len(one.target.parts), one.target)))
    for one in made:
        _require_standing(top, seat, one)
    return made


def writable(seat: Seat) -> tuple[PurePosixPath, ...]:
    """The workspaces as they are seen inside."""
    main = (seat.profile.seen_at(),)
    return (*main, seat.profile.seen_at(seat.project)) if seat.project else main


def points(seat: Seat, made: Iterable[Bind]) -> dict[str, set[str]]:
    """Where something is mounted in the workspaces of binds: paths by the name of the workspace's folder."""
    found: dict[str, set[str]] = {}
    for project in {"", seat.project}:
        at = seat.profile.seen_at(project or None)
        inner = {_below(bind.target, at) for bind in made if bind.target.is_relative_to(at)}
        found[places.folder_name(project)] = inner - {""}
    return found


def points_with(seat: Seat, documents: Iterable[str]) -> dict[str, set[str]]:
    """What `points` will say of one workspace that was provisioned with these managed documents."""
    fixed = [path for path, _ in _named(seat, documents) if not path.is_absolute()]
    own = [PurePosixPath(seat.profile.own_root)] if seat.project else []
    return {places.folder_name(seat.project): {str(path) for path in (*fixed, *own, *_held(seat, fixed))}}


def _of_workspace(data: Path, seat: Seat) -> Iterator[Bind]:
    root, at = places.folder(data, seat), seat.profile.seen_at(seat.project or None)
    yield Bind(root, at, read_only=False, workspace=root)
    fixed = sorted(_fixed(data, seat))
    for inner in _held(seat, [path for path, _ in fixed]):
        yield Bind(root / inner, at / inner, read_only=False, workspace=root)
    for inner, source in fixed:
        yield Bind(source, at / inner, read_only=True, is_file=source.is_file())


def _fixed(data: Path, seat: Seat) -> Iterator[tuple[PurePosixPath, Path]]:
    """What is read-only, by its path in the workspace, or outside of it where that is absolute."""
    published = disk.Target(seat.space_id, seat.subscription_id, seat.source_id)
    managed = places.managed(data, seat)
    sources = {
        _Kept.SKILLS: published.site(data, disk.SKILLS).visible,
        _Kept.FILES: published.site(data, disk.FILES).visible,
        _Kept.CONFIG: places.config(data, seat),
        _Kept.SECRETS: secret_delivery.folder(data, seat),
    }
    documents = [path.relative_to(managed).as_posix() for path in managed.rglob("*") if path.is_file()]
    for path, kept in _named(seat, documents):
        yield path, managed / path if kept is _Kept.DOCUMENT else sources[kept]


def _named(seat: Seat, documents: Iterable[str]) -> Iterator[tuple[PurePosixPath, _Kept]]:
    yield PurePosixPath(seat.profile.shared_root), _Kept.SKILLS
    yield _SHARED, _Kept.FILES
    yield PurePosixPath(seat.profile.config), _Kept.CONFIG
    if seat.profile.secrets == "files":
        yield PurePosixPath(secret_delivery.FOLDER), _Kept.SECRETS
    for path in documents:
        yield PurePosixPath(path), _Kept.DOCUMENT


def _held(seat: Seat, fixed: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """The folders of the agent's that keep their names: those around what is read-only, and its own skills."""
    held = {above for path in fixed if not path.is_absolute() for above in path.parents}
    if not seat.project and "projects" in seat.profile.features:
        own = PurePosixPath(seat.profile.own_root)
        held |= {own, *own.parents}
    return sorted(held - {PurePosixPath(), *fixed})


def _own_skills(data: Path, seat: Seat) -> Bind:
    """A project's turn works with the skills of the main workspace."""
    root, inner = places.folder(data, replace(seat, project="")), seat.profile.own_root
    target = seat.profile.seen_at(seat.project) / inner
    return Bind(root / inner, target, read_only=False, workspace=root)


def _require_standing(data: Path, seat: Seat, bind: Bind) -> None:
    """What is bound is there, and so is something of its kind where it goes: through no link, nor a mount."""
    kind: Kind = "file" if bind.is_file else "directory"
    if bind.workspace is None and not bind.source.exists():
        raise _not_provisioned()
    ends = [(bind.workspace, bind.inner)] if bind.workspace else []
    for one in ("", seat.project) if seat.project else ("",):
        at = seat.profile.seen_at(one or None)
        if bind.target.is_relative_to(at):
            ends.append((places.folder(data, replace(seat, project=one)), _below(bind.target, at)))
    if not all(_stands(folder, inner, kind) for folder, inner in ends):
        raise Refusal("conflict", "In the workspace something else stands where a mount goes.")


def _below(path: PurePath, folder: PurePath) -> str:
    """The path relative to the folder, empty for the folder itself."""
    return "" if path == folder else path.relative_to(folder).as_posix()


def _stands(folder: Path, inner: str, kind: Kind) -> bool:
    try:
        with Confined.at(folder) as workspace:
            return not inner or workspace.look(inner).kind == kind
    except FileNotFoundError:
        raise _not_provisioned() from None
    except (OSError, Refusal):
        return False


def _not_provisioned() -> Refusal:
    return Refusal(
        "conflict", "This workspace is not provisioned on this host: `tarimba workspace provision` does it."
    )
