"""`tarimba doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from tarimba.cli.options import Place, as_json, placed, show

if TYPE_CHECKING:
    from tarimba.doctor.model import Finding

_COLORS: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@click.option("--reach", is_flag=True, help="Also open a connection to each server that the options name.")
@as_json
@placed
def doctor(place: Place, *, reach: bool, is_json: bool) -> None:
    """Check the options, the data, the database and this machine; ends with 1 when something fails.

    Nothing is changed and no secret is shown. Run it as the user that serves, with the same environment.
    """
    found = _found(place, reach=reach)
    ok = all(one.level != "fail" for one in found)
    shown = {"ok": ok, "findings": [one.as_json() for one in found]}
    show(shown, is_json=is_json, lines=[_line(one) for one in found])
    if not ok:
        raise click.exceptions.Exit(1)


def _found(place: Place, *, reach: bool) -> list[Finding]:
    from tarimba.doctor import service
    from tarimba.doctor.model import fail

    try:
        settings = place.settings()
    except click.ClickException as error:
        # Without options there is nothing more to look at.
        return [service.names(), fail("options.values", error.format_message())]
    return list(service.examine(settings, reach=reach))


def _line(one: Finding) -> str:
    level = click.style(f"{one.level.upper():4}", fg=_COLORS[one.level])
    return f"{level}  {one.check:24}  {one.sentence}"
