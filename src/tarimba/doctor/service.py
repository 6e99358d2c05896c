"""All checks, in the order in which one is worth reading after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tarimba.doctor import data, database, machine, options, reaching
from tarimba.doctor.model import Finding, fail, ok
from tarimba.settings import Settings


def examine(settings: Settings, *, reach: bool = False) -> Iterator[Finding]:
    """Checks an installation and the machine. Changes nothing; sends nothing, but opens connections with `reach`."""
    yield names()
    yield from options.options(settings)
    yield from data.data(settings)
    yield from database.database(settings)
    yield from machine.machine()
    if reach:
        yield from reaching.reach(settings)


def names() -> Finding:
    """Whether the environment sets what is no option."""
    problem = Settings.problem_of_names()
    return (
        fail("options.names", problem)
        if problem
        else ok("options.names", "Every TARIMBA_ variable is an option.")
    )
