"""What commands share: the options that say where the data lies, and opening it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    # For the types alone: a kernel costs half a second that `--help` must not pay.
    from tarimba.identity.model import Principal
    from tarimba.kernel import Kernel
    from tarimba.settings import Settings

Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an installation's data lies; None leaves it to the environment and the defaults."""

    data: Path | None
    db: str | None

    def settings(self, **more: Any) -> Settings:
        """The options in force: flags, else `TARIMBA_...`, else defaults. Raises what click shows."""
        from pydantic import ValidationError

        from tarimba.settings import Settings

        given = {"data": self.data, "db": self.db, **more}
        try:
            return Settings(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = Settings.variable_of("_".join(str(step) for step in first["loc"]))
            raise click.ClickException(f"{name}: {first['msg']}.") from None


def placed(command: Command) -> Command:
    """Adds `--data` and `--db`; the command gets them as `place`."""
    data = click.option(
        "--data", type=click.Path(path_type=Path), help="Data folder (default: ./tarimba-data)."
    )
    db = click.option("--db", help="Database URL (default: the SQLite file in the data folder).")

    def run(data: Path | None, db: str | None, **arguments: Any) -> Any:
        return command(place=Place(data, db), **arguments)

    return data(db(_named_like(run, command)))


def in_space(command: Command) -> Command:
    """Adds `--space` to what `placed` adds; the command gets its slug, or None."""
    space = click.option("--space", help="Slug of the space, where several share one database.")
    return placed(space(command))


def as_json(command: Command) -> Command:
    """Adds `--json`; the command gets it as `is_json`."""
    return click.option("--json", "is_json", is_flag=True, help="Print JSON.")(command)


@contextmanager
def opened(place: Place, *, may_create: bool = False, upgrading: bool = True) -> Iterator[Kernel]:
    """The kernel on the host's own data. Without `may_create` a missing SQLite file is an error.

    Whoever only looks is not `upgrading`: an older schema is refused then, and nothing is changed.
    """
    with operator_errors():
        from tarimba.app import open_kernel

        settings = place.settings()
        is_file = settings.url.startswith("sqlite:///")
        if is_file and not may_create and not Path(settings.url.removeprefix("sqlite:///")).exists():
            raise click.ClickException(
                "There is no database here yet: give --data, or `tarimba apply` a file."
            )
        with open_kernel(settings, upgrading=upgrading) as kernel:
            yield kernel


@contextmanager
def hosted(place: Place, space: str | None, *, upgrading: bool = True) -> Iterator[tuple[Kernel, Principal]]:
    """The kernel, and the host's command line acting in one space."""
    with opened(place, upgrading=upgrading) as kernel:
        from tarimba.identity.hosting import host_of

        yield kernel, host_of(kernel, space)


@contextmanager
def operator_errors() -> Iterator[None]:
    """Shows as one sentence what only the operator can mend: the database, the master key, the embedder."""
    from tarimba.graph.model import EmbedderError
    from tarimba.storage import DatabaseError
    from tarimba.telemetry.logs import beside_output
    from tarimba.telemetry.otel import TracingError
    from tarimba.vault import VaultError

    try:
        with beside_output():
            yield
    except (DatabaseError, EmbedderError, TracingError, VaultError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        # The name of a file of the operator's own, never what a caller sent.
        raise click.ClickException(f"{error.strerror or type(error).__name__}: {error.filename}") from error


def show(value: Any, *, is_json: bool, lines: Sequence[str]) -> None:
    """Prints the JSON value, or the lines for a person."""
    if is_json:
        click.echo(json.dumps(value, ensure_ascii=False))
        return
    for line in lines:
        click.echo(line)


def columns(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """One line a row, the named members side by side."""
    texts = [[_text(row[name]) for name in names] for row in rows]
    widths = [max((len(row[at]) for row in texts), default=0) for at in range(len(names))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "-" if value is None else str(value)


def _named_like(run: Command, command: Command) -> Command:
    """Gives `run` the name, help and options of the command that it wraps."""
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__dict__.update(command.__dict__)
    return run
