"""The command line: the host's administrator, who acts on the data that this machine can open.

Every command ends with 0, or with one sentence on the standard error and the exit code of its refusal. What is
heavy is imported by the command that needs it: `tarimba --help` must answer at once.
"""

from __future__ import annotations

import os
import sys

import click

import tarimba
from tarimba.cli.apply import apply
from tarimba.cli.backup import backup, restore
from tarimba.cli.db import db
from tarimba.cli.demo import demo
from tarimba.cli.detectors import detectors
from tarimba.cli.doctor import doctor
from tarimba.cli.evolve import evolve
from tarimba.cli.graph import graph
from tarimba.cli.jobs import jobs
from tarimba.cli.keys import keys
from tarimba.cli.known_customers import known_customers
from tarimba.cli.member import member
from tarimba.cli.person import person
from tarimba.cli.pii import pii
from tarimba.cli.receipts import receipts
from tarimba.cli.secret import secret
from tarimba.cli.serve import serve
from tarimba.cli.session import session
from tarimba.cli.skills_publish import skills
from tarimba.cli.space import space
from tarimba.cli.vocabulary import vocabulary
from tarimba.cli.webhooks import webhooks
from tarimba.cli.worker import worker
from tarimba.cli.workspace import workspace
from tarimba.errors import CODES, Refusal

INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(tarimba.__version__, prog_name="tarimba")
@click.pass_context
def cli(context: click.Context) -> None:
    """A governed memory for AI agents."""
    if context.invoked_subcommand not in {None, doctor.name}:
        _refuse_unknown_names()


_COMMANDS = (
    serve, worker, apply, keys, person, space, receipts, vocabulary, known_customers, webhooks, pii, detectors, jobs,
    evolve, skills, workspace, graph, secret, session, member, db, doctor,
    backup, restore, demo,
)  # fmt: skip
for _command in _COMMANDS:
    cli.add_command(_command)


def _refuse_unknown_names() -> None:
    """No command does anything while a misspelled option would be passed over. `doctor` tells."""
    if not any(name.upper().startswith("TARIMBA_") for name in os.environ):
        # Without any there is nothing to compare, and the options cost a while to load.
        return
    from tarimba.settings import Settings

    problem = Settings.problem_of_names()
    if problem is not None:
        raise click.ClickException(problem)


def main() -> None:
    """Runs the command of this process's arguments and ends the process."""
    sys.exit(run())


def run(arguments: list[str] | None = None) -> int:
    """Runs one command; `arguments` None takes those of the process. Returns the exit code."""
    try:
        code = cli.main(arguments, prog_name="tarimba", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except Refusal as refusal:
        click.echo(refusal.detail, err=True)
        return CODES[refusal.code].exit_code
    return code if isinstance(code, int) else 0
