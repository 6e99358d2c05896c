"""Witnesses outside cosign checkpoints: what they say is kept, shown, and asked for by a verifier."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tarimba import cli
from tarimba.clock import DAY, SECOND
from tarimba.errors import Refusal
from tarimba.identity.hosting import host_of
from tarimba.identity.model import Principal
from tarimba.identity.spaces import list_spaces
from tarimba.kernel import Kernel
from tarimba.proof import service as proof
from tarimba.proof.witnessing import WITNESSES_MAX
from tarimba.receipts import search
from tarimba.receipts.audit import verify_space
from tarimba.receipts.bundle import verify_bundle
from tarimba.receipts.checkpoint import SignedCheckpoint, is_signed, read
from tarimba.receipts.cosignature import Cosignature, WitnessKey, cosign, cosignature_of
from tarimba.receipts.index import position
from tarimba.receipts.reading import LogReader
from tarimba.receipts.search import Question
from tarimba.workspaces.hosting import apply_text
from tests.contract.proof.outsider import run_alone
from tests.contract.receipts.world import World

NAME, SECRET, OTHER = "witness.example/w1", b"w" * 32, b"o" * 32
FILE = '[space]\nslug = "acme"\n[[person]]\nslug = "rita"\nemail = "rita@acme.example"\nroles = ["owner"]\n'


def key_of(secret: bytes) -> WitnessKey:
    return cosign(SignedCheckpoint("any", 0, b"", "any\n\n"), NAME, secret, 0).key


def owner(world: World) -> Principal:
    """The host's command line, which is asked for no token."""
    return replace(world.auditor, kind="host", via="cli")


def seen(
    kernel: Kernel, checkpoint: SignedCheckpoint, *, secret: bytes = SECRET, later: int = 0
) -> Cosignature:
    return cosign(checkpoint, NAME, secret, kernel.clock.now_us() // SECOND + later)


@pytest.fixture
def watched(world: World) -> World:
    """Where one witness is known."""
    proof.add_witness(world.kernel, owner(world), str(key_of(SECRET)))
    return world


@pytest.mark.promise("witnesses-cosign")
def test_what_a_witness_says_is_shown_with_the_checkpoint_and_proves_bundles(watched: World) -> None:
    world, kernel = watched, watched.kernel
    read_one = world.read_block([], conversation="conv-1")
    made = proof.make(kernel, world.space_id)
    said = seen(kernel, made)
    assert proof.take(kernel, world.auditor, made.note + said.line) == (made.size, [said])
    shown = proof.cosigned(kernel, world.space_id, proof.latest(kernel, world.auditor))
    assert shown.note == made.note + said.line
    (key,) = proof.public_keys(kernel, world.auditor)
    assert is_signed(shown, key.public)
    (told,) = proof.witnesses(kernel, world.auditor)
    assert (told.size, told.seen_at) == (made.size, said.at)
    world.read_block([])
    bundle, _ = proof.bundle(kernel, world.auditor, Question(conversation_id="conv-1"))
    report = verify_bundle(json.loads(json.dumps(bundle)), key.public, [said.key])
    assert (report.ok, report.unchecked, report.revealed) == (True, (), {"conv-1": (read_one.seq,)})
    assert f"The witness with key {said.key.key_id} saw the log at {said.moment}." in report.lines()
    unseen = verify_bundle(bundle, key.public, [key_of(OTHER)])
    assert any("not cosigned by the witness" in one for one in unseen.findings)
    assert verify_space(kernel, world.space_id).ok


@pytest.mark.promise("witnesses-cosign")
def test_naming_a_witness_leaves_a_receipt_and_what_it_says_none(watched: World) -> None:
    world, kernel = watched, watched.kernel
    asked = Question(action="settings.change")
    found = search.search(kernel, world.auditor, asked).items[0].document
    assert found["key_id"] == key_of(SECRET).key_id
    assert found["detail"] == {"setting": "witness", "change": "add"}
    made = proof.make(kernel, world.space_id)
    before = world.size
    proof.take(kernel, world.auditor, made.note + seen(kernel, made).line)
    assert world.size == before


@pytest.mark.promise("witnesses-cosign")
def test_only_what_a_known_witness_says_of_our_checkpoint_is_taken(watched: World) -> None:
    world, kernel = watched, watched.kernel
    made = proof.make(kernel, world.space_id)
    said = seen(kernel, made)

    def refused(note: str) -> str:
        with pytest.raises(Refusal) as found:
            proof.take(kernel, world.auditor, note)
        return found.value.code

    assert refused(made.note) == "invalid_input"
    assert refused("nothing") == "invalid_input"
    assert refused(made.note + seen(kernel, made, secret=OTHER).line) == "invalid_input"
    assert refused(made.note + seen(kernel, made, later=3600).line) == "invalid_input"
    assert refused(made.note.replace(f"\n{made.size}\n", f"\n{made.size + 1}\n") + said.line) == "not_found"
    proof.remove_witness(kernel, owner(world), said.key.key_id)
    assert refused(made.note + said.line) == "invalid_input"


@pytest.mark.promise("witnesses-cosign")
def test_the_newest_word_of_a_witness_stands_and_outlives_the_day(watched: World) -> None:
    world, kernel = watched, watched.kernel
    made = proof.make(kernel, world.space_id)
    first, second = seen(kernel, made), seen(kernel, made, later=60)
    for said in (second, first):
        proof.take(kernel, world.auditor, made.note + said.line)
    for _ in range(3):
        world.read_block([])
        proof.make(kernel, world.space_id)
    kernel.clock.offset_us += DAY
    world.read_block([])
    proof.make(kernel, world.space_id)
    kept = proof.newest_cosigned(kernel, world.auditor)
    assert (kept.size, cosignature_of(kept, second.key)) == (made.size, second)


def test_witnesses_are_named_once_by_owners_and_bounded(world: World) -> None:
    kernel = world.kernel
    with pytest.raises(Refusal) as forbidden:
        proof.add_witness(kernel, world.auditor, str(key_of(SECRET)))
    assert forbidden.value.code == "scope_missing"
    for number in range(WITNESSES_MAX):
        proof.add_witness(kernel, owner(world), str(WitnessKey(f"w{number}", bytes(32))))

    def refused(add: Callable[[], object]) -> str:
        with pytest.raises(Refusal) as found:
            add()
        return found.value.code

    assert (
        refused(lambda: proof.add_witness(kernel, owner(world), str(WitnessKey("w0", bytes(32)))))
        == "conflict"
    )
    assert refused(lambda: proof.add_witness(kernel, owner(world), str(key_of(SECRET)))) == "conflict"
    assert refused(lambda: proof.add_witness(kernel, owner(world), "odd")) == "invalid_input"
    assert refused(lambda: proof.remove_witness(kernel, owner(world), "00000000")) == "not_found"
    gone = WitnessKey("w0", bytes(32))
    proof.remove_witness(kernel, owner(world), gone.key_id)
    proof.add_witness(kernel, owner(world), str(gone))
    assert len(proof.witnesses(kernel, world.auditor)) == WITNESSES_MAX


@pytest.mark.promise("witnesses-cosign")
def test_the_command_line_takes_cosignatures_and_an_outsider_asks_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file, kept = tmp_path / "data", tmp_path / "acme.toml", tmp_path / "kept.txt"
    file.write_text(FILE)
    place = ["--data", str(data)]

    def run(*arguments: str) -> str:
        capsys.readouterr()
        assert cli.run([*arguments, *place]) == 0
        return capsys.readouterr().out

    run("apply", str(file))
    witness = key_of(SECRET)
    assert witness.key_id in run("receipts", "witness", "add", str(witness))
    kept.write_text(run("receipts", "checkpoint"))
    (made,) = read(kept.read_text())
    kept.write_text(made.note + cosign(made, NAME, SECRET, 1_790_000_000).line)
    assert "saw size" in run("receipts", "witness", "take", str(kept))
    assert run("receipts", "checkpoint", "--cosigned").rstrip() == kept.read_text().rstrip()
    assert witness.key_id in run("receipts", "witness", "list")
    (key,) = run("receipts", "keys").split()
    verify = ["receipts", "verify", "--checkpoint", str(kept), "--key", key]
    assert f"The witness with key {witness.key_id} saw" in run(*verify, "--witness", str(witness))
    assert cli.run([*verify, "--witness", str(key_of(OTHER)), *place]) == 1
    assert "cosigned none of the checkpoints" in capsys.readouterr().err
    assert cli.run(["receipts", "verify", "--witness", str(witness), *place]) == 2
    assert cli.run([*verify, "--witness", key, *place]) == 2
    run("receipts", "witness", "remove", witness.key_id)
    assert run("receipts", "witness", "list") == ""
    assert run_alone(tmp_path, "receipts", "verify", "--witness", "odd").returncode == 2


@pytest.mark.promise("witnesses-declared")
def test_a_file_adds_the_witnesses_that_are_missing_and_removes_none(kernel: Kernel) -> None:
    def named(*secrets: bytes) -> str:
        return FILE + "".join(f'[[witness]]\nkey = "{key_of(secret)}"\n' for secret in secrets)

    def known() -> list[WitnessKey]:
        return [one.key for one in proof.witnesses(kernel, host)]

    space_id = apply_text(kernel, named(SECRET)).applied.space_id
    host = host_of(kernel, "acme")
    assert known() == [key_of(SECRET)]
    with kernel.database.read() as connection:
        before = position(connection, space_id).size
    apply_text(kernel, named(SECRET))
    with kernel.database.read() as connection:
        assert position(connection, space_id).size == before, "nothing is to be done"
    apply_text(kernel, named(OTHER))
    assert known() == [key_of(SECRET), key_of(OTHER)]
    with kernel.database.read() as connection:
        last = LogReader(connection, space_id, kernel.cold).read(before).document
    assert (last["action"], last["key_id"]) == ("settings.change", key_of(OTHER).key_id)


@pytest.mark.promise("witnesses-declared")
def test_a_key_that_is_none_is_named_by_its_place_and_makes_no_space(kernel: Kernel) -> None:
    text = FILE + f'[[witness]]\nkey = "{key_of(SECRET)}"\n[[witness]]\nkey = "no-key"\n'
    with pytest.raises(Refusal, match=r"witness\[1\]\.key: must be the public key") as refused:
        apply_text(kernel, text)
    assert "no-key" not in refused.value.detail
    many = "".join(f'[[witness]]\nkey = "{key_of(bytes([at]) * 32)}"\n' for at in range(WITNESSES_MAX + 1))
    with pytest.raises(Refusal, match="must not be more than 20"):
        apply_text(kernel, FILE + many)
    assert list_spaces(kernel) == []
