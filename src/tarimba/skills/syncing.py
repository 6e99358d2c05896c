"""Keeping an agent's skills on a host that has no database: pulls what a server lists and swaps it as the server does.

Nothing of a skill is shown before every file of it is there and has the hash that the list names. What was fetched
stays when the connection breaks, so that the next run asks only for the rest; a run that ends well keeps none of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

import httpx
from pydantic import BaseModel, Field, ValidationError

from tarimba.clock import SECOND, from_datetime
from tarimba.confined import Confined, UnconfinedError, remove
from tarimba.errors import Refusal
from tarimba.region import problem_of
from tarimba.skills.names import is_legal
from tarimba.skills.records import File
from tarimba.skills.rules import content_hash
from tarimba.skills.staging import Content, Tree
from tarimba.skills.swapping import Keeper, Settled, Site, held, tag_of

_TRIES: Final = 5
_PATIENCE: Final = httpx.Timeout(60, connect=10)
_PAGE_MAX: Final = 64 * 1024 * 1024
_FILE_MAX: Final = 10 * 1024 * 1024
# Four scopes of ten thousand, and what comes with the package.
_SKILLS_MAX: Final = 50_000
# Trees that nobody reads any more, taken out in one run.
_TIDIED: Final = 200
_GOT: Final = "got"
_LACKING: Final = (
    "This machine's kernel or file system can't exchange two names (openat2, renameat2), or a filter forbids it. "
    "Every skill is whole as it stood or as it is published."
)
_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class SyncError(Exception):
    """Nothing more was changed; the sentence says why."""


class _MovedError(Exception):
    """The set changed on the server meanwhile."""


class _File(BaseModel):
    path: Annotated[str, Field(min_length=1, max_length=1024)]
    hash: _Hash
    size: Annotated[int, Field(ge=0, le=_FILE_MAX)]


class _Skill(BaseModel):
    name: str
    content_hash: _Hash
    published_at: datetime
    files: Annotated[list[_File], Field(max_length=1000)]


class _Page(BaseModel):
    etag: _Hash
    items: Annotated[list[_Skill], Field(max_length=1000)]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the skills come from: the server's URL, a key, and whose they are (slugs or ids; empty as the API says)."""

    server: str
    key: str
    subscription: str = ""
    agent: str = ""

    @property
    def whose(self) -> dict[str, str]:
        named = {"subscription": self.subscription, "agent": self.agent}
        return {name: value for name, value in named.items() if value}


@contextmanager
def connected(origin: Origin) -> Iterator[httpx.Client]:
    """Raises `SyncError` for an address that a key must not be sent to."""
    host = httpx.URL(origin.server).host if origin.server.isprintable() else ""
    problem = problem_of(origin.server, {host})
    if problem is not None:
        raise SyncError(f"--server: {problem}.")
    headers = {"authorization": f"Bearer {origin.key}"}
    with httpx.Client(base_url=origin.server, headers=headers, timeout=_PATIENCE, trust_env=False) as client:
        yield client


def sync(client: httpx.Client, origin: Origin, into: Path, now_s: int) -> Settled:
    """Makes `into` hold what the server lists for the agent, and nothing else. `now_s` is the time in seconds.

    Its keeper's things lie beside it, in `.<name>.tarimba`. Raises `SyncError`, and `OSError` when the disk refuses.
    """
    with _told(), held(_site(into), now_s) as keeper:
        try:
            # The server checks that bytes arrive as published; nobody else checks that they stay so.
            keeper.check()
            return _settled(_Server(client, origin), keeper)
        finally:
            # However it ended: nobody else does it.
            while keeper.tidy(_TIDIED):
                pass


def _site(into: Path) -> Site:
    """Raises `SyncError` for a path that does not end with a name: beside it would be elsewhere."""
    visible = into.absolute()
    if ".." in into.parts or not visible.name:
        raise SyncError("--into: must end with the name of a directory, without `..`. Nothing is touched.")
    return Site(visible, visible.parent / f".{visible.name}.tarimba")


def _settled(server: _Server, keeper: Keeper) -> Settled:
    for _ in range(_TRIES):
        with suppress(_MovedError):
            settled = _pulled(server, keeper)
            _forget(keeper.work, ())
            return settled
    raise SyncError("What is published changes faster than it can be fetched.")


@dataclass(frozen=True, slots=True)
class _Server:
    client: httpx.Client
    origin: Origin

    def skills(self, known: str) -> dict[str, _Skill] | None:
        """The whole set by name; None when its tag is `known`."""
        found: dict[str, _Skill] = {}
        etag, cursor = "", None
        while not etag or cursor is not None:
            headers = {} if etag else {"if-none-match": f'"{known}"'}
            asked = self.origin.whose | ({"cursor": cursor} if cursor else {})
            answer = self._get("/v1/skills/effective-set", asked, _PAGE_MAX, headers)
            if answer is None:
                return None
            page = _page_of(answer)
            if etag not in {"", page.etag}:
                raise _MovedError
            etag, cursor = page.etag, page.next_cursor
            _gather(found, page.items)
        if tag_of(_trees(found)) != etag:
            raise SyncError("The list of the server is not the set that it names.")
        return found

    def file(self, name: str, file: _File) -> bytes:
        """Bytes that have the hash which the list names."""
        asked = self.origin.whose | {"name": name}
        data = self._get(f"/v1/skills/blobs/{file.hash}", asked, file.size, {})
        if data is None or not _is(data, file):
            raise SyncError("The server sent other bytes than its list names.")
        return data

    def _get(
        self, path: str, asked: Mapping[str, str], limit: int, headers: Mapping[str, str]
    ) -> bytes | None:
        """The body of an answer, `limit` bytes at most; None for one that was not modified."""
        with self.client.stream("GET", path, params=dict(asked), headers=dict(headers)) as answer:
            if answer.status_code == httpx.codes.NOT_MODIFIED:
                return None
            is_found = answer.status_code == httpx.codes.OK
            data = _bounded(answer, limit if is_found else _PAGE_MAX)
        if is_found:
            return data
        # A file that is gone, or a cursor of another set: somebody has published since.
        is_part = "cursor" in asked or "name" in asked
        if is_part and answer.status_code in {httpx.codes.NOT_FOUND, httpx.codes.UNPROCESSABLE_ENTITY}:
            raise _MovedError
        raise SyncError(f"The server refused with status {answer.status_code}.")


def _pulled(server: _Server, keeper: Keeper) -> Settled:
    standing = keeper.standing()
    skills = server.skills(tag_of(standing))
    if skills is None:
        # Equal; what does not belong there goes all the same.
        return keeper.settle(standing, lambda _: ())
    _forget(keeper.work, {file.hash for skill in skills.values() for file in skill.files})
    with keeper.work.beneath(_GOT, make=True) as got:

        def content(tree: Tree) -> Content:
            return [(file.path, _fetched(server, got, tree.name, file)) for file in skills[tree.name].files]

        return keeper.settle(_trees(skills), content)


def _forget(work: Confined, wanted: Collection[str]) -> None:
    """Takes out of what earlier runs fetched all that the list does not name."""
    try:
        with work.beneath(_GOT) as got:
            for entry in got.entries():
                if entry.name not in wanted:
                    remove(got.fileno(), entry.name)
    except FileNotFoundError:
        return
    if not wanted:
        remove(work.fileno(), _GOT)


def _fetched(server: _Server, got: Confined, name: str, file: _File) -> bytes:
    """From what an earlier run fetched, else from the server."""
    try:
        data = got.read(file.hash, _FILE_MAX)
        if _is(data, file):
            return data
    except FileNotFoundError:
        data = b""
    data = server.file(name, file)
    got.replace(file.hash, data)
    return data


def _gather(found: dict[str, _Skill], page: Sequence[_Skill]) -> None:
    for skill in page:
        files = tuple(File(file.path, file.hash, file.size) for file in skill.files)
        is_sound = (
            is_legal(skill.name) and skill.name not in found and content_hash(files) == skill.content_hash
        )
        if not is_sound or len(found) >= _SKILLS_MAX:
            raise SyncError("The list of the server holds what no server of Tarimba publishes.")
        found[skill.name] = skill


def _trees(skills: Mapping[str, _Skill]) -> dict[str, Tree]:
    return {
        name: Tree(name, skill.content_hash, from_datetime(skill.published_at) // SECOND)
        for name, skill in skills.items()
    }


def _page_of(answer: bytes) -> _Page:
    try:
        return _Page.model_validate_json(answer)
    except ValidationError:
        raise SyncError("The server's list can't be read: is this a server of Tarimba?") from None


def _is(data: bytes, file: _File) -> bool:
    return len(data) == file.size and hashlib.sha256(data).hexdigest() == file.hash


def _bounded(answer: httpx.Response, limit: int) -> bytes:
    data = bytearray()
    for piece in answer.iter_bytes():
        data += piece
        if len(data) > limit:
            raise SyncError("The server sent more than its list names.")
    return bytes(data)


@contextmanager
def _told() -> Iterator[Any]:
    """What goes wrong on the way, as a sentence."""
    try:
        yield
    except httpx.HTTPError:
        raise SyncError("The server does not answer.") from None
    except UnconfinedError:
        # Some of it may have been done: a file system can know how to move a name and not how to exchange two.
        raise SyncError(_LACKING) from None
    except Refusal as refused:
        raise SyncError(refused.detail) from None
