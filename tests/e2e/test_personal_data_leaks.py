"""Notes with personal data through every door, and afterwards not one refused value anywhere that bytes are kept."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tarimba.client import Budgets, Options, Tarimba
from tarimba.personal_data.handles import PARTICLES
from tests.e2e.company import MEMORY, NOTE, Company, Place, found, log_of
from tests.fixtures.cluster import throwaway_postgres
from tests.fixtures.server import RunningServer, running_server
from tests.unit.personal_data.sets import Row, rows

TRACED = (sys.executable, str(Path(__file__).with_name("traced_server.py")))
SETTINGS: Mapping[str, Any] = {"writes_per_hour": 1_000_000, "refusals_per_hour": 1_000_000}
# Shorter ones stand in any file by chance.
NEEDLE_MIN = 6
NAMES_SLIPPED_MAX = 0.11
# Alone, without a word that says what they are, these are still somebody's; so is a number with its country.
TELLING_IDS = frozenset({"cpf", "email", "credit_card"})
# Searches and commands are many alike: some of them prove as much.
SEARCHED_EVERY = 4
APPLIED_EVERY = 30
ROOMY = Options(budgets=Budgets(block=60, search=60, remember=60))


@dataclass
class Story:
    """What was sent through the doors, and all that came back."""

    answers: list[str] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    kept: list[Row] = field(default_factory=list)

    def told(self, row: Row, answer: str, *, was_kept: bool) -> None:
        self.answers.append(answer)
        (self.kept if was_kept else self.refused).append(row)


@dataclass(frozen=True)
class Doors:
    """Every way by which a text reaches a server."""

    place: Place
    company: Company
    http: httpx.Client
    memory: Tarimba
    folder: Path
    spans: Path

    def post(self, path: str, body: Any, who: str = "billing") -> httpx.Response:
        return self.http.post(path, json=body, headers=self.company.headers(who))

    def create(self, note: Mapping[str, Any]) -> tuple[str, bool]:
        answer = self.post(f"{MEMORY}/notes", note)
        return answer.text, answer.status_code == 201

    def edit(self, note: Mapping[str, Any]) -> tuple[str, bool]:
        made = self.post(f"{MEMORY}/notes", NOTE).json()["note"]["note_id"]
        change = {name: note[name] for name in ("title", "body", "tags")}
        headers = self.company.headers("billing")
        answer = self.http.patch(f"{MEMORY}/notes/{made}", json=change, headers=headers)
        return answer.text, answer.status_code == 200

    def mcp(self, note: Mapping[str, Any]) -> tuple[str, bool]:
        call = {"name": "remember", "arguments": dict(note)}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers = self.company.headers("billing") | {"accept": "application/json, text/event-stream"}
        answer = self.http.post("/mcp", json=message, headers=headers)
        return answer.text, not answer.json()["result"].get("isError", False)

    def client(self, note: Mapping[str, Any]) -> tuple[str, bool]:
        kept = self.memory.remember(note["kind"], note["title"], note["body"], tags=note["tags"])
        return repr(kept.error), kept.error is None

    def search(self, note: Mapping[str, Any]) -> str:
        answer = self.post(f"{MEMORY}/search", {"query": note["body"][:200]})
        return answer.text

    def query(self, value: str) -> str:
        """In the query string, which servers like to log."""
        asked = {"tags": value, "view": value, "conversation_id": value}
        answer = self.http.get(f"{MEMORY}/block", params=asked, headers=self.company.headers("billing"))
        return answer.text

    def evidence(self, value: str) -> str:
        """As the id of a conversation: the note is kept, the id is not."""
        ids = {"conversation_id": value, "task_id": value}
        answer = self.post(f"{MEMORY}/notes", NOTE | {"evidence": ids})
        assert answer.status_code == 201 or answer.json()["code"] == "invalid_input"
        return answer.text

    def apply(self, text: str) -> tuple[str, bool]:
        """In the file of a space, where a term of the vocabulary belongs."""
        file = self.folder / "space.toml"
        term = f"term = {json.dumps(text)}"
        lines = ["[space]", f'slug = "{self.company.slug}"', "[[vocabulary]]", term, 'reason = "company"']
        file.write_text("\n".join(lines), encoding="utf-8")
        command = [*TRACED, "apply", str(file), "--data", str(self.place.data)]
        command += ("--db", self.place.db) if self.place.db else ()
        environment = traced(self.place, self.spans)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        file.unlink()
        return done.stdout + done.stderr, done.returncode == 0


def as_note(row: Row, turn: int) -> dict[str, Any]:
    """The row as a note, its text in the body, the title or a tag in turn."""
    note: dict[str, Any] = {
        "kind": "pitfall",
        "title": f"Case {row.id}",
        "body": "See the title.",
        "tags": [],
    }
    short = len(row.text) <= 100
    where = turn % 3 if short else 0
    if where == 0:
        note["body"] = row.text
    elif where == 1:
        note["title"] = row.text
    else:
        note["body"] = f"{row.text} Follow step 3."
    return note


def needles(row: Row) -> Iterator[bytes]:
    """The values of a row in the forms in which bytes could hold them."""
    for entity in row.raw["entities"]:
        value = row.text[entity["start"] : entity["end"]]
        digits = "".join(char for char in value if char.isdigit())
        for form in {value, value.lower(), json.dumps(value)[1:-1], digits if len(digits) > 7 else value}:
            if len(form) >= NEEDLE_MIN:
                yield form.encode()


def traced(place: Place, spans: Path) -> dict[str, str]:
    """The environment of a process that tells the file every span."""
    return {**place.environment, "SPANS": str(spans), "PYTHONPATH": str(Path(__file__).parents[2])}


@contextmanager
def served(place: Place, spans: Path) -> Iterator[RunningServer]:
    environment = traced(place, spans) | {"TARIMBA_LOG_LEVEL": "debug"}
    with running_server(place.data, place.db, env=environment, program=TRACED) as server:
        yield server


def tell(doors: Doors, personal: Sequence[Row]) -> Story:
    """Each row through one door for notes and through the search; values of structured kinds also as ids."""
    story = Story()
    ways = [doors.create, doors.edit, doors.mcp, doors.client]
    for turn, row in enumerate(personal):
        note = as_note(row, turn // len(ways))
        text, was_kept = ways[turn % len(ways)](note)
        story.told(row, text, was_kept=was_kept)
        if turn % SEARCHED_EVERY == 0:
            story.answers.append(doors.search(note))
        if row.structured and (row.structured[0].kind in TELLING_IDS or value_of(row).startswith("+")):
            story.answers += (doors.query(value_of(row)), doors.evidence(value_of(row)))
    for row in [row for row in personal if row.structured][::APPLIED_EVERY]:
        text, was_kept = doors.apply(row.text)
        story.told(row, text, was_kept=was_kept)
    return story


def known_customers(doors: Doors, personal: Sequence[Row]) -> Story:
    """Names that the space learns from a system of record, then a note about each."""
    full = [row for row in personal if len(set(value_of(row).lower().split()) - PARTICLES) > 1]
    taken = doors.post("/v1/admin/known-customers", {"items": [{"name": value_of(r)} for r in full]}, "owner")
    assert taken.status_code == 200, taken.text
    story = Story([taken.text])
    for row in full:
        text, was_kept = doors.create(as_note(row, 0))
        story.told(row, text, was_kept=was_kept)
    return story


def value_of(row: Row) -> str:
    entity = row.raw["entities"][0]
    return row.text[entity["start"] : entity["end"]]


def kept_bytes(place: Place, files: Path, since: int) -> Iterator[tuple[str, bytes]]:
    """Every file written since a moment (ns), and every row as text: a database may keep long values packed."""
    for path in files.rglob("*"):
        if path.is_file() and path.stat().st_mtime_ns >= since:
            yield path.name, path.read_bytes()
    with place.rows() as connection:
        if place.db is None:
            yield "rows", "\n".join(connection.iterdump()).encode()
            return
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            texts = connection.execute(f'SELECT t::text FROM "{table}" t').fetchall()
            yield table, "\n".join(text for (text,) in texts).encode()


def require_nowhere(story: Story, kept: Sequence[tuple[str, bytes]]) -> None:
    stored = " ".join(row.text for row in story.kept).encode()
    secrets = {(row.id, needle) for row in story.refused for needle in needles(row) if needle not in stored}
    searched, refused = len({row for row, _ in secrets}), len({row.id for row in story.refused})
    assert searched > 0.8 * refused
    # Rows and places, never the values: this message is a log too.
    leaks = {(name, row) for name, content in kept for row, needle in secrets if needle in content}
    assert not leaks


@pytest.fixture(params=["sqlite", "postgres"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Place, Path]]:
    """A place and the folder of all its files; PostgreSQL has one of its own, so that its whole log is read."""
    data = tmp_path / "data"
    data.mkdir()
    if request.param == "sqlite":
        yield Place(data, None), data
        return
    with throwaway_postgres() as cluster:
        yield Place(data, cluster.create_database()), cluster.data


@pytest.mark.promise("nothing-personal-at-rest")
def test_no_refused_value_is_kept_anywhere(
    disk: tuple[Place, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, files = disk
    # What was there before, such as the templates of a new cluster, holds nothing of what is told now.
    started = time.time_ns()
    company, spans = found(place, **SETTINGS), tmp_path / "spans.log"
    personal = list(rows("synthetic_positive"))
    named = [row for row in personal if not row.structured]
    with (
        served(place, spans) as server,
        httpx.Client(base_url=server.base_url, timeout=120) as http,
        Tarimba(company.bearers["billing"], server.base_url, options=ROOMY) as memory,
    ):
        doors = Doors(place, company, http, memory, tmp_path, spans)
        story = tell(doors, personal)
        known = known_customers(doors, named)
        log = server.stderr.read_bytes()
    with place.kernel() as kernel:
        receipts = json.dumps([stored.document for stored in log_of(kernel, company)], ensure_ascii=False)
    assert len(personal) >= 300
    assert not [row.id for row in story.kept if row.structured]
    assert not [row.id for row in known.kept]
    slipped = [row.id for row in story.kept]
    with capsys.disabled():
        sys.stdout.write(f"\nnotes with a name that slipped through: {len(slipped)} of {len(named)}\n")
    assert len(slipped) <= NAMES_SLIPPED_MAX * len(named), slipped
    told = "\n".join(story.answers + known.answers)
    spoken = spans.read_bytes()
    extra = [("answers", told.encode()), ("log", log), ("spans", spoken), ("receipts", receipts.encode())]
    # Each door tells a tracing backend something: the API, MCP and the client by requests, `apply` by its command.
    names = {json.loads(line)["name"] for line in spoken.splitlines()}
    assert {"tarimba", "GET", "PATCH", "POST"} <= names
    assert b"personal_data_in_agent_memory" in told.encode()
    story.refused += known.refused
    require_nowhere(story, [*kept_bytes(place, files, started), *extra])
