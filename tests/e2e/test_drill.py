"""The drill: fill, back up under load, go on, lose everything, restore, bring to the present, verify."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.e2e.company import MEMORY, NOTE, Company, Kept, Place, found, log_of
from tests.e2e.load import Promised, under_load
from tests.fixtures.cluster import throwaway_postgres
from tests.fixtures.server import RunningServer, running_server

ERASED_NOTE, ERASED_TURN, ERASED_FILE = "Grimbleshank", "Quillfeather", "Marrowsprig"
KEPT_FILE, LATE_NOTE = "Thistlewick", "Fennimorely"
CUSTOMER: Final = {"type": "anon_id", "value": "visitor-7"}
SUBSCRIPTION: Final = "01900000-0000-7000-8000-000000000001"


@dataclass(frozen=True)
class Outside:
    """What lies where the loss does not reach: backups, checkpoints, the journal."""

    folder: Path

    @property
    def backup(self) -> Path:
        return self.folder / "acme.tar.gz"

    @property
    def journal(self) -> Path:
        return self.folder / "erasures.jsonl"

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints.txt"

    @property
    def environment(self) -> dict[str, str]:
        return {"TARIMBA_ERASURE_FILE": str(self.journal)}

    def ended(self) -> list[str]:
        """What the journal has, by action."""
        if not self.journal.exists():
            return []
        return [json.loads(line)["what"] for line in self.journal.read_text().splitlines()]


@dataclass(frozen=True)
class Stage:
    """A place to lose, and a fresh one of the same kind; `files` are all that the fresh one writes."""

    lost: Place
    fresh: Place
    files: Path


@pytest.fixture
def stage(database: str, tmp_path: Path) -> Iterator[Stage]:
    lost, fresh = tmp_path / "lost", tmp_path / "fresh"
    if database == "sqlite":
        yield Stage(Place(lost, None), Place(fresh, None), fresh)
        return
    # Of their own: the bytes of the one are looked through.
    with throwaway_postgres() as one, throwaway_postgres() as other:
        places = Place(lost, one.create_database()), Place(fresh, other.create_database())
        yield Stage(*places, other.data)


def until(is_so: Callable[[], bool]) -> None:
    """Looks again and again, for two minutes."""
    pause = threading.Event()
    for _ in range(1200):
        if is_so():
            return
        pause.wait(0.1)
    raise AssertionError("it never came to be")


def ask(server: RunningServer, company: Company, who: str, method: str, path: str, **options: Any) -> Any:
    answer = httpx.request(
        method, f"{server.base_url}{path}", headers=company.headers(who), timeout=60, **options
    )
    assert answer.is_success, answer.text
    return answer


def person_of(place: Place, company: Company, role: str) -> str:
    query = f"SELECT person_id FROM person WHERE space_id = '{company.space_id}' AND slug = '{role}'"
    return str(place.ask(query)[0][0])


def home_of(place: Place, company: Company, person_id: str) -> Path:
    members = place.data / "spaces" / company.space_id / "subscriptions" / SUBSCRIPTION / "agents"
    return members / company.sources["billing"] / "members" / person_id


def fill(server: RunningServer, place: Place, company: Company) -> None:
    """A note, a customer's turn and two members' files."""
    ask(
        server,
        company,
        "support",
        "POST",
        f"{MEMORY}/notes",
        json=NOTE | {"body": f"{ERASED_NOTE} comes first."},
    )
    turn: dict[str, Any] = {
        "type": "event",
        "kind": "message",
        "idempotency_key": "turn-1",
        "channel": "webchat",
    }
    turn |= {"conversation_id": "c-1", "speaker": {"role": "customer"}, "handles": [CUSTOMER]}
    turn |= {"content": {"type": "text", "text": f"The {ERASED_TURN} is broken."}}
    ask(server, company, "billing", "POST", "/v1/batch", json={"items": [turn]})
    for role, word in (("member", ERASED_FILE), ("reviewer", KEPT_FILE)):
        memory = home_of(place, company, person_of(place, company, role)) / "workspace" / "memory"
        memory.mkdir(parents=True)
        (memory / "MEMORY.md").write_text(word)
        (memory / "MEMORY.md").chmod(0o640)
        (memory / "outside").symlink_to(place.data / "tarimba.db")


def go_on(server: RunningServer, place: Place, company: Company, outside: Outside) -> list[Kept]:
    """What happens between the backup and the loss. Returns the receipts of what is lost."""
    late = ask(server, company, "billing", "POST", f"{MEMORY}/notes", json=NOTE | {"title": LATE_NOTE})
    source = company.sources["support"]
    ask(server, company, "owner", "DELETE", f"{MEMORY}/notes?source_id={source}")
    ask(server, company, "owner", "POST", "/v1/forget", json={"target": "handle", "handle": CUSTOMER})
    query = f"SELECT key_id FROM agent_key WHERE space_id = '{company.space_id}' AND source_id = "
    ((key_id,),) = place.ask(f"{query}'{company.sources['courier']}'")
    place.command("keys", "revoke", str(key_id), "--space", company.slug)
    place.command("member", "erase", "member", "--yes", "--space", company.slug)
    until(lambda: sorted(outside.ended()) == ["erase.requested", "erase.requested", "forget", "key.revoke"])
    outside.checkpoints.write_text(place.command("receipts", "checkpoint", "--space", company.slug))
    return [Kept.of(late)]


def backed_up_under_load(server: RunningServer, place: Place, company: Company, out: Path) -> Promised:
    """What was promised before the backup began; writers and readers are at work all the while."""
    promised, later = Promised(), Promised()
    with under_load(server, company, promised):
        promised.wait_for(60)
    with under_load(server, company, later):
        later.wait_for(20)
        place.command("backup", "--out", str(out))
        later.wait_for(len(later.receipts) + 20)
    return promised


def restore(stage: Stage, outside: Outside) -> dict[str, Any]:
    options = ("--checkpoint", str(outside.checkpoints), "--erasures", str(outside.journal), "--json")
    told: dict[str, Any] = json.loads(stage.fresh.command("restore", "--from", str(outside.backup), *options))
    return told


def require_brought_back(stage: Stage, company: Company, promised: Promised, told: dict[str, Any]) -> None:
    """What was promised before the backup is there, and the log says what of the later one is not."""
    (space,) = told["spaces"]
    with stage.fresh.kernel() as kernel:
        receipts = log_of(kernel, company)
    for kept in promised.receipts:
        stored = receipts[kept.seq]
        assert (stored.document["id"], stored.leaf.hex()) == (kept.id, kept.leaf)
    anchor = receipts[space["size"]].document
    assert anchor["action"] == "restore"
    assert anchor["detail"]["earlier_size"] == space["earlier_size"] > space["size"]
    assert anchor["detail"]["earlier_signed"] is True
    assert space["again"] == {"erase.requested": 2, "forget": 1, "key.revoke": 1}
    assert not space["not_again"]


def require_verified(stage: Stage, outside: Outside, company: Company) -> None:
    mine = ("receipts", "verify", "--json", "--space", company.slug)
    assert json.loads(stage.fresh.command(*mine))["ok"]
    # Against what was kept of the lost log it is honest: that is not an ancestor of this one.
    where = ["--data", str(stage.fresh.data), *(("--db", stage.fresh.db) if stage.fresh.db else ())]
    done = subprocess.run(
        [sys.executable, "-m", "tarimba.cli", *mine, "--checkpoint", str(outside.checkpoints), *where],
        env=stage.fresh.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    said = " ".join(one["sentence"] for one in json.loads(done.stdout)["findings"])
    assert "not in this log" in said


def require_gone(stage: Stage, *words: str) -> None:
    """In no file of the restored place is a byte of what was erased."""
    files = [path for top in {stage.files, stage.fresh.data} for path in top.rglob("*") if path.is_file()]
    held = {path: path.read_bytes() for path in files}
    assert not [(word, path.name) for word in words for path, raw in held.items() if word.encode() in raw]


def require_at_work(server: RunningServer, company: Company) -> None:
    """It serves, a key that was revoked since opens nothing, and the log grows under a new checkpoint."""
    revoked = httpx.get(f"{server.base_url}{MEMORY}/block", headers=company.headers("courier"), timeout=60)
    assert revoked.status_code == httpx.codes.UNAUTHORIZED
    assert ask(server, company, "billing", "GET", f"{MEMORY}/block").status_code == httpx.codes.OK
    notes = ask(server, company, "owner", "GET", f"{MEMORY}/notes?source_id={company.sources['support']}")
    assert notes.json()["items"] == []
    ask(server, company, "auditor", "GET", "/v1/receipts/checkpoint")


@pytest.mark.promise("restore-drill")
def test_everything_is_lost_and_comes_back_without_what_was_erased_since(
    stage: Stage, tmp_path: Path
) -> None:
    outside = Outside(tmp_path / "outside")
    outside.folder.mkdir()
    place = stage.lost
    company = found(place, writes_per_hour=1_000_000, active_notes_max=1_000_000)
    with running_server(place.data, place.db, env=place.environment | outside.environment) as server:
        fill(server, place, company)
        promised = backed_up_under_load(server, place, company, outside.backup)
        go_on(server, place, company, outside)
    kept_mode = home_of(place, company, person_of(place, company, "reviewer")) / "workspace/memory/MEMORY.md"
    owner, mode = kept_mode.stat().st_uid, kept_mode.stat().st_mode
    reviewer = person_of(place, company, "reviewer")
    shutil.rmtree(place.data)
    told = restore(stage, outside)
    require_brought_back(stage, company, promised, told)
    require_verified(stage, outside, company)
    require_gone(stage, ERASED_NOTE, ERASED_TURN, ERASED_FILE, LATE_NOTE)
    memory = home_of(stage.fresh, company, reviewer) / "workspace" / "memory"
    assert memory.joinpath("MEMORY.md").read_text() == KEPT_FILE
    assert (memory.joinpath("MEMORY.md").stat().st_uid, memory.joinpath("MEMORY.md").stat().st_mode) == (
        owner,
        mode,
    )
    assert memory.joinpath("outside").is_symlink()
    with running_server(stage.fresh.data, stage.fresh.db, env=stage.fresh.environment) as server:
        require_at_work(server, company)
    require_verified(stage, outside, company)
