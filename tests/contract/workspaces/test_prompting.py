"""The prompt of a seat: what it is made of, in order, and the same for all members as far as it can be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tarimba import cli
from tarimba.errors import Refusal
from tarimba.identity.hosting import host_of
from tarimba.identity.seats import Called
from tarimba.prompt import Prompt
from tarimba.workspaces.prompting import Composed, compose_for
from tests.contract.member_skills.desk import Desk, skill
from tests.contract.workspaces.laid import lay, where
from tests.e2e.company import MASTER_KEY


def write(folder: Path, **files: str) -> None:
    (folder / "memory").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "memory" / f"{name}.md").write_text(text)


def composed(desk: Desk, member: str = "member", project: str = "", customer: str = "") -> Composed:
    kernel = desk.api.kernel
    called = Called("team", "billing", member, project)
    return compose_for(kernel, host_of(kernel, desk.company.slug), called, customer)


def piece(prompt: Prompt, kind: str, name: str = "") -> str:
    data = prompt.text.encode()
    found = [
        data[one.start : one.end].decode() for one in prompt.parts if one.kind == kind and name in one.name
    ]
    return "\n".join(found)


def test_every_part_comes_from_where_it_is_kept(desk: Desk) -> None:
    folder = lay(desk, project="move")
    desk.api.write(desk.company, title="Void invoices", body="Close the period first.")
    desk.publish(skill("close-month"))
    desk.scribble("letters", skill("letters"))
    write(folder, MEMORY="I know the ledger.", MEMORY_CUSTOM="In Portuguese.", zebra="Z", apple="A")
    write(folder.with_name("workspace-move"), PROJECT="The move.", MEMORY="Boxes.", MEMORY_CUSTOM="By May.")
    found = composed(desk, project="move", customer="<customer_context>x</customer_context>")
    prompt = found.prompt
    assert found.left_out == 0
    kinds = dict.fromkeys(one.kind for one in prompt.parts)
    assert list(kinds) == [
        "notes", "managed", "shared_index", "own_index", "agent_memory", "memory", "standing_notes", "project",
        "customer",
    ]  # fmt: skip
    assert "Void invoices: Close the period first." in piece(prompt, "notes")
    assert [one.name for one in prompt.parts if one.kind == "managed"] == [
        "memory/CONTEXT_RECOVERY.md", "memory/FILE_DELIVERY.md",
    ]  # fmt: skip
    assert "**close-month**" in piece(prompt, "shared_index")
    assert "letters" not in piece(prompt, "shared_index")
    assert piece(prompt, "own_index").startswith("- **letters**")
    assert piece(prompt, "agent_memory") == "# memory/MEMORY.md\n\nI know the ledger."
    assert [one.name for one in prompt.parts if one.kind == "memory"] == [
        "memory/apple.md",
        "memory/zebra.md",
    ]
    assert piece(prompt, "standing_notes").endswith("In Portuguese.")
    assert piece(prompt, "project") == (
        "# /workspace-move/memory/PROJECT.md\n\nThe move.\n"
        "# /workspace-move/memory/MEMORY.md\n\nBoxes.\n"
        "# /workspace-move/memory/MEMORY_CUSTOM.md\n\nBy May."
    )
    index = desk.index(subscription="team", member="member").json()["text"]
    assert index in composed(desk).prompt.text
    assert [one["action"] for one in desk.log()[-3:]] == ["block.read", "skill.index", "member_memory.read"]


@pytest.mark.promise("prompt-same-prefix")
def test_two_members_share_every_byte_up_to_what_is_their_own(desk: Desk) -> None:
    people = {one["slug"]: one for one in desk.call("owner", "GET", "/v1/admin/people").json()["items"]}
    other = people["auditor"]["person_id"]
    url = f"/v1/admin/subscriptions/{desk.team}/members/{other}"
    assert desk.call("owner", "PUT", url).is_success
    desk.publish(skill("close-month"))
    write(lay(desk), MEMORY="Mine.")
    write(lay(desk, member=other), MEMORY="Theirs.")
    desk.scribble("letters", skill("letters"))
    mine, again, theirs = composed(desk).prompt, composed(desk).prompt, composed(desk, "auditor").prompt
    assert mine == again
    stable = mine.breakpoints[-1]
    assert theirs.breakpoints[-1] == stable
    assert mine.text.encode()[:stable] == theirs.text.encode()[:stable]
    assert "**close-month**" in mine.text[:stable]
    assert "Mine." not in theirs.text


def test_what_no_prompt_takes_is_left_out_and_counted(desk: Desk, tmp_path: Path) -> None:
    folder = lay(desk)
    outside = tmp_path / "outside.md"
    outside.write_text("Not the agent's.")
    write(folder, MEMORY="x" * (256 * 1024 + 1), fine="Kept.")
    memory = folder / "memory"
    (memory / "link.md").symlink_to(outside)
    os.mkfifo(memory / "pipe.md")
    (memory / "line\nbreak.md").write_text("x")
    (memory / "folder.md").mkdir()
    found = composed(desk)
    assert found.left_out == 5
    assert "Kept." in found.prompt.text
    assert "Not the agent's." not in found.prompt.text
    for path in memory.iterdir():
        path.rmdir() if path.is_dir() else path.unlink()
    memory.rmdir()
    memory.symlink_to(tmp_path)
    assert "Not the agent's." not in composed(desk).prompt.text


def test_only_the_host_composes_and_only_where_there_is_a_workspace(desk: Desk) -> None:
    with pytest.raises(Refusal, match="no such workspace"):
        composed(desk)
    lay(desk)
    with pytest.raises(Refusal, match="no such project"):
        composed(desk, project="none")


def test_the_command_prints_the_text_or_all_of_it_as_json(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TARIMBA_MASTER_KEY", MASTER_KEY)
    write(lay(desk), MEMORY="I know.")
    context = tmp_path / "context"
    context.write_text("<customer_context>ç</customer_context>")
    options = ["--subscription", "team", "--agent", "billing", "--member", "member", *where(desk)]
    options += ["--customer-context", str(context)]
    capsys.readouterr()
    assert cli.run(["workspace", "prompt", *options]) == 0
    text = capsys.readouterr().out
    assert cli.run(["workspace", "prompt", "--json", *options]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["text"] + "\n" == text
    last = shown["parts"][-1]
    assert shown["text"].encode()[last["start"] : last["end"]].decode() == context.read_text()
    assert len(shown["breakpoints"]) == 1
