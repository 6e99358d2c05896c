"""`tarimba pii`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tarimba.cli.options import as_json, show

if TYPE_CHECKING:
    # For the type alone: the detectors cost time that `--help` must not pay.
    from tarimba.personal_data.evaluation import Outcome


@click.group()
def pii() -> None:
    """Personal data: how well it is found."""


@pii.command("eval")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--layers", is_flag=True, help="Also show each layer alone.")
@click.option("--allow", multiple=True, metavar="KIND", help="A kind that the space permits, such as cnpj.")
@as_json
def evaluate(directory: Path, allow: tuple[str, ...], *, layers: bool, is_json: bool) -> None:
    """Measure the local detectors on the sets (*.jsonl) in DIR: the table, then the misses by id.

    Shares come with their 95% Wilson interval. Nothing is stored and no text of the sets is printed.
    """
    from tarimba.personal_data import evaluation

    try:
        rows = evaluation.read_sets(directory)
    except evaluation.SetError as error:
        raise click.ClickException(str(error)) from None
    systems = evaluation.local_systems(by_layer=layers)
    outcomes = [evaluation.run(system, rows, allow=frozenset(allow)) for system in systems]
    shown = [outcome.as_json() for outcome in outcomes]
    show(shown, is_json=is_json, lines=() if is_json else _lines(outcomes))


def _lines(outcomes: list[Outcome]) -> list[str]:
    from tarimba.personal_data import evaluation

    return [*evaluation.table(outcomes), *evaluation.details(outcomes[-1])]
