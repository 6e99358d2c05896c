"""`tarimba demo`: the main job, start to finish, on a throwaway folder. Whatever is not as told ends it with 1."""

from __future__ import annotations

import hashlib
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    # For the types alone: they load an HTTP client that `--help` must not pay for.
    import httpx

    from tarimba.cli.demo_company import Lesson
    from tarimba.cli.demo_stage import Stage

NOTES = "/v1/agent-memory/notes"
PROPOSALS = "/v1/agent-memory/proposals"
BLOCK = "/v1/agent-memory/block"
CUSTOMERS = ("conversa-0001", "conversa-0002")


@click.command()
@click.option(
    "--serve", is_flag=True, help="Show a company with three weeks behind it in the Console, until Ctrl-C."
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the data in this folder, which must be new or empty.",
)
def demo(*, serve: bool, keep: Path | None) -> None:
    """Show the main job on a throwaway folder: notes, block, refusals, receipts and their proof."""
    from tarimba.cli.demo_stage import Stage

    with _tidy_end(), _folder(keep) as folder:
        if serve:
            from tarimba.cli.demo_tour import tour

            tour(folder, is_kept=keep is not None)
            return
        with Stage(folder) as stage:
            _play(stage)
        if keep is not None:
            click.echo(f"\nThe data is kept in {stage.data}.")


def _play(stage: Stage) -> None:
    _declare(stage)
    _learn(stage)
    _refuse(stage)
    _serve_equal_bytes(stage)
    note_id = _keep_vendors_apart(stage)
    _open(stage, note_id)
    _change(stage)
    _search(stage)
    _verify(stage, _explain(stage))


def _declare(stage: Stage) -> None:
    _title(1, "A company, two vendors, three agents: one file, `tarimba apply acme.toml`")
    for slug, key in stage.keys.items():
        _say(f"agent {slug:<12} key {key[:28]}... (shown once, stored as a digest)")
    off = stage.agent("cobranca").agent_memory()
    _expect(not off.enabled, "a new space has its memory off")
    _say(f"A new space has its memory off: the block is empty, etag {off.etag}.")
    stage_on = {"agent_memory": {"enabled": True, "writes": "agent"}}
    _done(stage.call("rita", "PATCH", "/v1/admin/settings", json=stage_on))
    _say("Rita, the owner, turns it on. Only a person may.")


def _learn(stage: Stage) -> None:
    from tarimba.cli.demo_company import LESSONS

    _title(2, "Agents keep what they learned about their work")
    for lesson in LESSONS:
        _keep_note(stage, lesson)
        _say(f"{lesson.agent:<10} {lesson.kind:<13} {lesson.title}")


def _refuse(stage: Stage) -> None:
    from tarimba.cli.demo_company import ABOUT_A_CUSTOMER as WRONG
    from tarimba.cli.demo_company import FOR_ANY_CUSTOMER
    from tarimba.client.errors import PersonalDataError

    _title(3, "Nothing about a customer: a note with (made-up) personal data is refused, not masked")
    _say(f"cobranca writes:  {WRONG.body}")
    try:
        _keep_note(stage, WRONG)
    except PersonalDataError as refusal:
        _say(f"422 {refusal.code}: {', '.join(refusal.facts.kinds)}")
        for found in refusal.facts.findings:
            _say(f"  {found['field']}, characters {found['start']} to {found['end']}: {found['kind']}")
    else:
        _fail("a note with personal data is refused")
    _say("Kinds and places, never the value. They are enough for a model to write it again:")
    _keep_note(stage, FOR_ANY_CUSTOMER)
    _say(f"cobranca writes:  {FOR_ANY_CUSTOMER.body}  -> stored")


def _serve_equal_bytes(stage: Stage) -> None:
    _title(4, "Same bytes for every customer, so that the prompt stays in the provider's cache")
    agent = stage.agent("cobranca")
    first, second = [agent.agent_memory(conversation_id=customer) for customer in CUSTOMERS]
    for line in first.text.splitlines():
        _say(f"| {line}")
    for customer, block in zip(CUSTOMERS, (first, second), strict=True):
        digest = hashlib.sha256(block.text.encode()).hexdigest()
        _say(f"{customer}: {block.tokens} tokens, sha256 {digest[:16]}..., etag {block.etag}")
    _expect(first.text == second.text and first.etag == second.etag, "two customers get equal bytes")
    again = stage.call("cobranca", "GET", BLOCK, headers={"if-none-match": first.etag})
    _expect(again.status_code == 304, "an unchanged block is not sent again")
    _say(f"Asked again with that etag: {again.status_code}, empty body, receipt all the same.")


def _keep_vendors_apart(stage: Stage) -> str:
    """Returns the id of the note that was asked for."""
    _title(5, "Nobody reads what is not theirs")
    note = stage.agent("cobranca").search_agent_memory("segunda via")[0]
    other = stage.agent("logistica")
    stranger = stage.call("logistica", "GET", f"{NOTES}/{note.note_id}")
    _say(f'logistica (vendor sul) asks for the note "{note.title}" by its id: {stranger.status_code}.')
    found = other.search_agent_memory("boleto vencido")
    _say(
        f"It searches for its words: {len(found)} found. Its own block has its own {len(other.agent_memory().notes)}."
    )
    unseen = stranger.status_code == 404 and not found and note.title not in other.agent_memory().text
    _expect(unseen, "a vendor's notes stay its own")
    return note.note_id


def _open(stage: Stage, note_id: str) -> None:
    _title(6, "Opening a note is the company's decision")
    asked = stage.call("cobranca", "PATCH", f"{NOTES}/{note_id}", json={"visibility": "vendor"})
    before = stage.call("atendimento", "GET", f"{NOTES}/{note_id}")
    _say(
        f"cobranca asks to share it: {asked.status_code}, a proposal. atendimento still reads: {before.status_code}."
    )
    proposal = f"{PROPOSALS}/{asked.json()['proposal_id']}"
    review = _done(stage.call("rita", "GET", proposal))["review"]
    opened = _done(stage.call("rita", "POST", f"{proposal}/approve"))
    colleague = stage.call("atendimento", "GET", f"{NOTES}/{opened['note_id']}")
    stranger = stage.call("logistica", "GET", f"{NOTES}/{opened['note_id']}")
    _say(
        f"Rita sees that {review['readers']} agents would read it, and approves: it is open to its vendor, norte."
    )
    _say(f"atendimento (norte) reads it: {colleague.status_code}. logistica (sul): {stranger.status_code}.")
    met = tuple(answer.status_code for answer in (asked, before, colleague, stranger))
    _expect(met == (202, 404, 200, 404), "a person opens a note to a vendor, and to nobody else")


def _change(stage: Stage) -> None:
    from tarimba.cli.demo_company import CLEARING, HOLIDAY, HOLIDAY_BETTER

    _title(7, "Notes change by versions, and end by retiring")
    notes = _done(stage.call("cobranca", "GET", NOTES))["items"]
    ids = {note["title"]: note["note_id"] for note in notes}
    edited = _done(
        stage.call("cobranca", "PATCH", f"{NOTES}/{ids[HOLIDAY.title]}", json={"body": HOLIDAY_BETTER})
    )
    for version in _done(stage.call("cobranca", "GET", f"{NOTES}/{edited['note_id']}/versions")):
        _say(f"version {version['version']} ({version['status']}): {version['body']}")
    _done(stage.call("cobranca", "POST", f"{NOTES}/{ids[CLEARING.title]}/retire"))
    block = stage.agent("cobranca").agent_memory()
    _expect(HOLIDAY_BETTER in block.text, "the new version is in the block")
    _expect(CLEARING.title not in block.text, "a retired note is not in the block")
    _say(
        f'Retired: "{CLEARING.title}". The next block has neither it nor the old version: etag {block.etag}.'
    )


def _search(stage: Stage) -> None:
    _title(8, "Search knows inflection and does not mind accents")
    for agent, query in (
        ("cobranca", "boletos vencidos"),
        ("cobranca", "feriados bancarios"),
        ("logistica", "reentregas"),
    ):
        found = stage.agent(agent).search_agent_memory(query, conversation_id=CUSTOMERS[0])
        _expect(bool(found), "a search finds another form of a word")
        _say(f"{agent}: {query!r} finds {found[0].title!r}")


def _explain(stage: Stage) -> int:
    """Returns the seq of the block read of the first conversation."""
    _title(9, f"Why did the agent do that? The receipts of {CUSTOMERS[0]}")
    asked = {"conversation_id": CUSTOMERS[0]}
    receipts = _done(stage.call("rita", "POST", "/v1/receipts/search", json=asked))["items"]
    for receipt in reversed(receipts):
        given = len(receipt["detail"].get("notes", ()))
        _say(f"seq {receipt['seq']:>3}  {receipt['at']}  {receipt['action']:<12} {given} notes given")
    block = next((one for one in receipts if one["action"] == "block.read"), None)
    if block is None:
        _fail("the read of the block left a receipt")
    _say(f"The block's receipt names its {len(block['detail']['notes'])} note versions, etag and tokens;")
    _say(f"the conversation is kept as a keyed hash: {block['detail']['conversation'][:32]}...")
    seq: int = block["seq"]
    return seq


def _verify(stage: Stage, seq: int) -> None:
    from tarimba.cli.demo_stage import flip_byte

    _title(10, "And nobody changes that unnoticed: `tarimba receipts verify`")
    sound = stage.tarimba("receipts", "verify")
    _show(sound)
    _expect("Nothing wrong was found." in sound, "an untouched log verifies")
    copied = stage.copy()
    flip_byte(copied / "tarimba.db", seq)
    _say(f"Now one byte of the receipt at seq {seq} is changed, in a copy of the database:")
    altered = stage.tarimba("receipts", "verify", data=copied, may_fail=True)
    _show(altered)
    _expect(f"The first bad seq is {seq}." in altered, "verify names the altered receipt")
    shutil.rmtree(copied)


def _keep_note(stage: Stage, lesson: Lesson) -> None:
    stage.agent(lesson.agent).remember(lesson.kind, lesson.title, lesson.body, tags=lesson.tags)


def _done(response: httpx.Response) -> Any:
    """The JSON of a request that has to succeed."""
    if not response.is_success:
        _fail(f"{response.request.method} {response.request.url.path} succeeds")
    return response.json()


def _title(number: int, text: str) -> None:
    click.echo("\n" + click.style(f"{number}. {text}", bold=True))


def _say(line: str) -> None:
    click.echo(f"   {line}")


def _show(output: str) -> None:
    for line in output.splitlines():
        _say(f"| {line}")


def _expect(holds: bool, promise: str) -> None:
    if not holds:
        _fail(promise)


def _fail(promise: str) -> NoReturn:
    raise click.ClickException(f"The demo stops: it expected that {promise}.")


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder to play in; gone afterwards unless it is to be kept."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="tarimba-demo-") as name:
            yield Path(name)
        return
    keep.mkdir(parents=True, exist_ok=True)
    if any(keep.iterdir()):
        raise click.ClickException("The folder to keep is not empty.")
    yield keep


@contextmanager
def _tidy_end() -> Iterator[None]:
    """Makes SIGTERM an exception inside, so that the server is stopped and the folder removed on the way out."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
