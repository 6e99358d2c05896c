"""`tarimba skills`: the files of skills, before anybody publishes them."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tarimba.cli.options import as_json, operator_errors, show

if TYPE_CHECKING:
    # For the types alone: the detectors cost time that `--help` must not pay.
    from tarimba.skills.folders import Found
    from tarimba.skills.model import Language, Problem

_QUARANTINED: Final = 1
_ORIGINAL: Final = ".original"
_LANGUAGES: Final = ("en", "es", "pt")

_path = click.argument("path", metavar="PATH", type=click.Path(exists=True, path_type=Path))
_recursive = click.option("--recursive", is_flag=True, help="Also look in folders of folders.")
_language = click.option(
    "--language", type=click.Choice(_LANGUAGES), default="en", show_default=True, help="Of what is said."
)


@click.group()
def skills() -> None:
    """Skills: procedures that an agent looks up."""


@skills.command("lint")
@_path
@_recursive
@_language
@as_json
def lint(path: Path, language: Language, *, recursive: bool, is_json: bool) -> None:
    """Say of each SKILL.md at PATH whether it is loaded, and what in it is wrong or worth a warning.

    PATH is a file, a skill's directory or a directory of skills. Ends with 1 if one of them is quarantined.
    """
    with operator_errors():
        rows = list(_rows(path, language, is_recursive=recursive))
    show(rows, is_json=is_json, lines=[line for row in rows for line in _told(row)])
    _end(row["verdict"] for row in rows)


@skills.command("fmt")
@_path
@_recursive
@_language
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if something would be written.")
def fmt(path: Path, language: Language, *, recursive: bool, check: bool) -> None:
    """Write each SKILL.md at PATH in the form that every reader understands alike.

    That form holds `name` and `description` alone. The bytes before stay beside it, in SKILL.md.original. A
    quarantined file is left as it is, and ends the command with 1.
    """
    from tarimba.skills.folders import found_in

    is_changed = False
    verdicts: list[str] = []
    with operator_errors():
        for found in found_in(path, is_recursive=recursive, language=language):
            verdicts.append(found.reading.verdict)
            for line in _rewritten(found, writes=not check):
                is_changed = True
                click.echo(line)
    _end(verdicts)
    if check and is_changed:
        raise click.exceptions.Exit(1)


@skills.command("new")
@click.argument("name", metavar="NAME")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Directory of skills (default: here).",
)
@_language
def new(name: str, into: Path, language: Language) -> None:
    """Make NAME/SKILL.md to be filled in. Nothing that exists is touched."""
    from tarimba.skills.format import checked_name, is_seen_everywhere, strict_slug
    from tarimba.skills.skeletons import skeleton

    folder = into / checked_name(name)
    with operator_errors():
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(skeleton(name, language))
    click.echo(f"made {folder / 'SKILL.md'}")
    if not is_seen_everywhere(name):
        click.echo(f"not every harness sees this name: {strict_slug(name)} would be seen by all", err=True)


def _rows(path: Path, language: Language, *, is_recursive: bool) -> Iterator[dict[str, Any]]:
    from tarimba.personal_data.detectors import Detectors
    from tarimba.skills.folders import found_in
    from tarimba.skills.lint import warnings

    detectors = Detectors.local()
    for found in found_in(path, is_recursive=is_recursive, language=language):
        more = warnings(found.data, found.reading, detectors, language=language)
        yield _row(found, [*found.reading.problems, *more])


def _row(found: Found, problems: Sequence[Problem]) -> dict[str, Any]:
    reading = found.reading
    return {
        "path": _shown(found.path),
        "dir": _shown(Path(found.directory)),
        "name": reading.name,
        "description": reading.description,
        "verdict": reading.verdict,
        "problems": [problem.as_json() for problem in problems],
    }


def _told(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['path']}: {row['verdict']}"
    for problem in row["problems"]:
        place = f"line {problem['line']}: " if problem["line"] else ""
        yield f"  {place}{problem['rule']}: {problem['message']} {problem['fix']}"


def _rewritten(found: Found, *, writes: bool) -> Iterator[str]:
    """Writes one file anew where that changes it; what to say of it, nothing where it stays."""
    from tarimba.skills.format import other_keys, write
    from tarimba.skills.model import FILE_BYTES_MAX

    reading = found.reading
    if not reading.is_loaded:
        rules = ", ".join(problem.rule for problem in reading.problems)
        click.echo(f"{_shown(found.path)}: quarantined, left as it is: {rules}", err=True)
        return
    data = write(reading.name, reading.description, reading.body)
    if data == found.data:
        return
    if len(data) > FILE_BYTES_MAX:
        # Quotes make a file longer, and a file at the limit would not be loaded any more.
        click.echo(f"{_shown(found.path)}: left as it is: written anew it would be too large", err=True)
        return
    if writes:
        kept = _replace(found, data)
        yield f"{_shown(found.path)}: written anew; the bytes before are in {kept.name}"
    else:
        yield f"{_shown(found.path)}: would be written anew"
    if left := other_keys(found.data):
        yield f"  left out: {', '.join(left)}"


def _replace(found: Found, data: bytes) -> Path:
    """Keeps the bytes before beside the file, under a name that is free, and puts the new ones in their place."""
    place = found.path.resolve()
    kept = next(name for name in _originals(place) if not name.exists())
    mode = stat.S_IMODE(place.stat().st_mode)
    _write(kept, found.data, mode, os.O_EXCL)
    staged = place.with_name(f".{place.name}.new")
    _write(staged, data, mode, os.O_TRUNC | os.O_NOFOLLOW)
    os.replace(staged, place)  # noqa: PTH105 - the name stays, whole, at every moment
    return kept


def _write(place: Path, data: bytes, mode: int, how: int) -> None:
    """Nobody reads at any moment what they could not read before."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | how, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        os.fchmod(handle, mode)


def _originals(place: Path) -> Iterator[Path]:
    yield place.with_name(place.name + _ORIGINAL)
    yield from (place.with_name(f"{place.name}{_ORIGINAL}.{number}") for number in itertools.count(2))


def _shown(path: Path) -> str:
    """The path as text: a name may hold any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")


def _end(verdicts: Iterable[str]) -> None:
    if "quarantined" in verdicts:
        raise click.exceptions.Exit(_QUARANTINED)
