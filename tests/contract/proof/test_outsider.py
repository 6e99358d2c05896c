"""A third party with a bundle and the public key tells what an agent knew, and who approved it: without the server."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tarimba.blocks.endpoint import PATH, BlockEndpoint
from tarimba.kernel import Kernel
from tarimba.notes.model import Note
from tarimba.proof import service as proof
from tarimba.receipts.search import Question
from tests.contract.notes.waiting import approve, ask
from tests.contract.notes.world import World, found_company
from tests.contract.proof.outsider import BROUGHT, run_alone

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Story:
    """An agent proposed one note and wrote another; people approved the first; two conversations were answered."""

    company: World
    approved: Note
    written: Note
    key: str
    bundle: Path


@pytest.fixture
def story(kernel: Kernel, tmp_path: Path) -> Story:
    company = found_company(kernel)
    written = company.write("billing", "Ask twice")
    company.set(enabled=True, writes="human_only")
    approved = approve(company, ask(company, title="Void invoices in the ledger"))
    headers = {"Authorization": f"Bearer {company.bearers['billing']}"}
    client = TestClient(BlockEndpoint(kernel), headers=headers)
    for conversation in ("talk-7", "talk-8"):
        assert client.get(PATH, params={"conversation_id": conversation}).status_code == 200
    auditor = company.caller("auditor")
    document, _ = proof.bundle(kernel, auditor, Question(conversation_id="talk-7"))
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(document))
    return Story(company, approved, written, str(proof.public_keys(kernel, auditor)[0].public), path)


@pytest.mark.promise("outsider-answers")
def test_the_extra_brings_what_an_outsider_is_said_to_have() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {line.partition(">")[0] for line in project["optional-dependencies"]["verify"]}
    assert declared == {"click", "cryptography", "rfc8785"}
    assert declared < set(BROUGHT)


@pytest.mark.promise("outsider-answers")
def test_which_notes_the_agent_had_and_who_approved_them(story: Story) -> None:
    reviewer, agent = story.company.caller("reviewer").id, story.company.sources["billing"]
    done = run_alone(story.bundle.parent, "receipts", "verify", "--bundle", "bundle.json", "--key", story.key)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    at = lines.index("talk-7: what the agents had been given, in order:")
    assert f"agent {agent} had 2 notes by block.read." in lines[at + 1]
    told = {line.split()[1]: line for line in lines[at + 2 : at + 4]}
    assert f"proposed by agent {agent}" in told[story.approved.note_id]
    assert f"approved by person {reviewer}" in told[story.approved.note_id]
    assert f"written by agent {agent}" in told[story.written.note_id]
    assert "talk-8" not in done.stdout


@pytest.mark.promise("outsider-answers")
def test_the_same_as_json_and_nothing_of_a_bundle_that_was_changed(story: Story) -> None:
    verify = ("receipts", "verify", "--bundle", "bundle.json", "--key", story.key, "--json")
    done = run_alone(story.bundle.parent, *verify)
    (answer,) = json.loads(done.stdout)["answers"]
    (read,) = answer["reads"]
    assert answer["value"] == "talk-7"
    given = {one["note_id"]: one for one in read["notes"]}
    assert given[story.approved.note_id]["approved"]["by"] == f"person {story.company.caller('reviewer').id}"
    assert given[story.written.note_id]["approved"] is None
    forged = json.loads(story.bundle.read_text())
    approval = next(row for row in forged["receipts"] if row["receipt"]["action"] == "proposal.approve")
    approval["receipt"]["actor"]["id"] = story.company.caller("owner").id
    story.bundle.write_text(json.dumps(forged))
    done = run_alone(story.bundle.parent, *verify)
    assert done.returncode == 1
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["first_bad_seq"] == approval["seq"]
    notes = {one["note_id"]: one for one in report["answers"][0]["reads"][0]["notes"]}
    assert notes[story.approved.note_id]["approved"] is None
