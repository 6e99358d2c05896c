"""Writes docs/reference/ and the page of the frameworks from the code.

With `--check` it tells whether they equal the code (1 when not).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import reference_http as http
import reference_words as words
from reference_client import page as client_page
from reference_frameworks import page as frameworks_page

from tarimba import app, cli
from tarimba.console import pages as console
from tarimba.console.page import Page
from tarimba.errors import CODES
from tarimba.http.openapi import document
from tarimba.identity.model import ROLES, SCOPES
from tarimba.identity.rules import GRANTS
from tarimba.identity.setting_rules import RULES, SpaceSettings
from tarimba.personal_data.model import STRUCTURED_KINDS
from tarimba.receipts.model import KINDS
from tarimba.settings import Settings
from tarimba.storage.columns import Holds
from tarimba.storage.tables import GOVERNED, metadata
from tarimba.telemetry.events import EVENTS, FIELDS

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
FRAMEWORKS = ROOT / "docs" / "how-to" / "frameworks.md"
NOTICE = "<!-- Made by scripts/generate_reference.py from the code: change it there. -->"
_MANAGERS = "manager@<subscription>"
_COLUMNS = (*ROLES, _MANAGERS)
# These speak of receipts, they leave none.
NOT_LEAVING = ("receipts/model.py", "receipts/verify.py", "receipts/note_comparison.py", "cli/")


def http_api() -> str:
    routes = app.all_routes()
    intro = (
        "Every URL of the server, as `GET /openapi.json` describes it. Requests carry `Authorization: Bearer <key or "
        "token>`. Bodies are JSON in UTF-8; unknown fields and unknown query parameters are refused. Refusals are "
        "`application/problem+json` with a [code](errors.md). What leaves a receipt says so in the header "
        "`Tarimba-Receipt: <id>; seq=<place in the log>; leaf=<hash>`. `POST /mcp` is the "
        "[MCP server](../start/connect.md#mcp)."
    )
    return f"# HTTP API\n\n{intro}\n\n{http.page(routes, document(routes))}"


def command_line() -> str:
    intro = (
        "The host's administrator. Commands act on the data that this machine can open; only `serve` needs a port. "
        "They end with 0, or with one sentence on the standard error: 1 for a refusal, 2 for wrong input."
    )
    parts = [f"# Command line\n\n{intro}"]
    for name, command in _commands(cli.cli, "tarimba"):
        context = click.Context(command, info_name=name, terminal_width=100, max_content_width=100)
        parts.append(f"## `{name}`\n\n```text\n{command.get_help(context)}\n```")
    return "\n\n".join(parts)


def options() -> str:
    intro = (
        "Options of the server and the command line, read from the environment, or from a file of that name in the "
        "folder `TARIMBA_SECRETS_DIR`. A flag comes first."
    )
    rows = []
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None else f"`{field.default}`"
        rows.append((f"`TARIMBA_{name.upper()}`", default, field.description or ""))
    return f"# Options\n\n{intro}\n\n{_table(('option', 'default', 'what'), rows)}"


def errors() -> str:
    intro = (
        "Every refusal has one of these codes. Over HTTP it is `application/problem+json` (RFC 9457) with `type`, "
        "`title`, `status`, `code`, `request_id` and `detail`; `type` is `urn:tarimba:problem:<code>`. A detail names "
        "fields and rules, never a value that you sent. Over MCP it is a tool error with the same words. The command "
        "line ends with the exit code."
    )
    _same("errors", words.ERRORS, CODES)
    rows = [
        (f"`{name}`", code.status, code.exit_code, code.title, words.ERRORS[name])
        for name, code in CODES.items()
    ]
    return f"# Error codes\n\n{intro}\n\n{_table(('code', 'status', 'exit', 'title', 'what to do'), rows)}"


def receipts() -> str:
    intro = (
        "What a receipt can say in `action`. `read` receipts are of what was read, `admin` receipts of what was done. "
        "Names marked *reserved* are kept for what this version does not do yet."
    )
    _same("receipts", words.ACTIONS, KINDS)
    left = "\n".join(text for path, text in _sources() if not path.startswith(NOT_LEAVING))
    rows = [
        (f"`{action}`", KINDS[action], meaning, "" if f'"{action}"' in left else "*reserved*")
        for action, meaning in words.ACTIONS.items()
    ]
    exempt = [
        (f"`{route.method} {route.described}`", route.exempt)
        for route in app.all_routes()
        if route.receipt is None
    ]
    return (
        f"# Receipts\n\n{intro}\n\n{_table(('action', 'kind', 'of what', ''), rows)}\n\n"
        f"## Routes without a receipt\n\n{_table(('route', 'why'), exempt)}"
    )


def events() -> str:
    intro = (
        "What is announced so far. An event joins the outbox in the transaction of the change itself and holds ids, "
        "codes and counts, never text. They go to [webhooks](../how-to/webhooks.md), and `GET /v1/notifications` "
        "gives them by pull."
    )
    _same("events", words.EVENTS, dict.fromkeys(_announced()))
    rows = [(f"`{name}`", meaning) for name, meaning in words.EVENTS.items()]
    return f"# Events\n\n{intro}\n\n{_table(('type', 'what happened'), rows)}"


def log_events() -> str:
    intro = (
        "Every line that a process logs, one JSON object each on the standard error, with `timestamp`, `level` and "
        "where a request or job is [traced](../how-to/observe.md#traces), `trace_id`. Names and fields are constant: "
        "what a caller sent is in none."
    )
    rows = [
        (f"`{name}`", event.level, event.says, _listed(event.fields))
        for name, event in sorted(EVENTS.items())
    ]
    fields = _table(("field", "what"), _coded(FIELDS))
    return f"# Log events\n\n{intro}\n\n{_table(('event', 'level', 'what happened', 'fields'), rows)}\n\n{fields}"


def data() -> str:
    intro = (
        "Every column that is stored, what it holds, and which act removes the content. A change of a table marked "
        "*governed* is not committed without a receipt."
    )
    _same("data", words.HOLDS, dict.fromkeys(Holds.__args__))  # type: ignore[attr-defined]
    parts = [f"# Data catalogue\n\n{intro}\n\n{_table(('holds', 'what'), _coded(words.HOLDS))}"]
    for table in metadata.tables.values():
        rows = [(f"`{c.name}`", c.info["holds"], c.info["erased_by"]) for c in table.columns]
        mark = " (governed)" if table.name in GOVERNED else ""
        parts.append(f"## `{table.name}`{mark}\n\n{_table(('column', 'holds', 'erased by'), rows)}")
    return "\n\n".join(parts)


def space_settings() -> str:
    intro = (
        "Settings of a space. Only the owner changes them: `PATCH /v1/admin/settings`, or `tarimba apply` acting for "
        "that person. Every change leaves a receipt with the old and the new value. The name of the space is a setting "
        "too (1 to 200 characters)."
    )
    tasks = (
        "`agent_memory.tasks.<name>.object_types` lists tags (up to 32, for up to 200 tasks) that count as asked for "
        "when a block is read with `view=task:<name>`. In TOML: `[agent_memory.tasks.<name>]` with `object_types = "
        '["invoice"]`.'
    )
    _same("settings", words.SETTINGS, RULES)
    rows = [
        (f"`{name}`", _default(name), rule.sentence, words.SETTINGS[name]) for name, rule in RULES.items()
    ]
    return f"# Settings of a space\n\n{intro}\n\n{_table(('setting', 'default', 'rule', 'what'), rows)}\n\n{tasks}"


def roles() -> str:
    intro = (
        f"Roles of people: {_listed(ROLES)}; also `manager@<subscription>`. Scopes of an agent's key: "
        f"{_listed(SCOPES)}. A key of the space has the one scope `admin`. The host's command line may do everything. "
        "Who lacks the scope or role gets 403 `scope_missing`; a key that asks for what only a person may do gets 403 "
        "`person_required`. What is a member's alone no other role opens."
    )
    _same("acts", words.ACTS, GRANTS)
    rows = []
    for act, grant in GRANTS.items():
        rows.append(
            (
                words.ACTS[act],
                _listed(sorted(grant.scopes)),
                "yes" if grant.admin else "",
                _listed([*sorted(grant.roles, key=ROLES.index), *([_MANAGERS] if grant.managers else [])]),
            )
        )
    heads = ("act", "agent's key with one of", "`admin` key", "person with one of")
    return f"# Who may do what\n\n{intro}\n\n{_table(heads, rows)}\n\n{_console()}"


def _console() -> str:
    """Every page and every action of the Console, with who comes to it."""
    intro = (
        "`GET` shows a page, `POST` is an action of one. Who is not signed in, or was disabled, is sent to sign in. "
        "Who manages one subscription (`manager@<subscription>`) sees and publishes skills of that one alone. Pages of "
        "one's own account and those before somebody is signed in are for everybody."
    )
    asking = [page for page in console.PAGES if page.acts]
    rows = [
        (f"`{page.method} /console{page.path}`", *(_mark(page, role) for role in _COLUMNS)) for page in asking
    ]
    return (
        f"## The Console\n\n{intro}\n\n{_table(('page or action', *(f'`{one}`' for one in _COLUMNS)), rows)}"
    )


def _mark(page: Page, role: str) -> str:
    grants = [GRANTS[act] for act in page.acts]
    found = any(grant.managers if role == _MANAGERS else role in grant.roles for grant in grants)
    return "yes" if found else ""


def personal_data() -> str:
    intro = "Kinds that a refusal can name. See [what is refused and why](../concepts/refused.md)."
    return f"# Kinds of personal data\n\n{intro}\n\n" + "\n".join(
        f"- `{kind}`" for kind in sorted(STRUCTURED_KINDS)
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "http-api.md": http_api,
    "command-line.md": command_line,
    "options.md": options,
    "space-settings.md": space_settings,
    "roles.md": roles,
    "errors.md": errors,
    "receipts.md": receipts,
    "events.md": events,
    "log-events.md": log_events,
    "data.md": data,
    "personal-data.md": personal_data,
    "python-client.md": client_page,
}


def main(arguments: list[str]) -> int:
    pages = {REFERENCE / name: page for name, page in PAGES.items()} | {FRAMEWORKS: frameworks_page}
    wanted = {path: f"{NOTICE}\n\n{page()}\n" for path, page in pages.items()}
    if arguments == ["--check"]:
        return _check(wanted)
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for stale in _there() - wanted.keys():
        stale.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


def _there() -> set[Path]:
    return {*REFERENCE.iterdir(), *([FRAMEWORKS] if FRAMEWORKS.exists() else [])}


def _check(wanted: Mapping[Path, str]) -> int:
    there = {path: path.read_text(encoding="utf-8") for path in _there()}
    differing = [path for path in sorted({*wanted, *there}) if wanted.get(path) != there.get(path)]
    for path in differing:
        print(f"{path.relative_to(ROOT)} differs from the code: run `make docs`", file=sys.stderr)
    return 1 if differing else 0


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for child in sorted(command.commands):
            yield from _commands(command.commands[child], f"{name} {child}")


def _announced() -> Iterator[str]:
    """The types of events in the source: literal ones, and those of notes by the word that `tell` is given."""
    for _, text in _sources():
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            if not isinstance(call.func, ast.Name) or call.func.id not in ("announce", "tell"):
                continue
            event = call.args[1]
            if isinstance(event, ast.Constant):
                yield event.value if call.func.id == "announce" else f"agent_note.{event.value}"


def _sources() -> Iterator[tuple[str, str]]:
    package = ROOT / "src" / "tarimba"
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).as_posix(), path.read_text(encoding="utf-8")


def _default(name: str) -> str:
    value = "pt" if name == "language" else SpaceSettings().value(name)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _same(what: str, said: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    if said.keys() != known.keys():
        raise SystemExit(f"{what}: the words and the code differ in {sorted(said.keys() ^ known.keys())}")


def _coded(pairs: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(f"`{name}`", text) for name, text in pairs.items()]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
