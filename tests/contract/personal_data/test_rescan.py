"""Stored notes are checked again when what they are checked with changes: hits leave, clean ones are stamped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from tarimba.clock import SECOND
from tarimba.erasure.service import import_notes
from tarimba.errors import Refusal
from tarimba.identity.hosting import host_of
from tarimba.identity.service import authenticate
from tarimba.jobs.model import Job, Later
from tarimba.jobs.service import Worker, drop
from tarimba.kernel import Kernel
from tarimba.notes import rescanning
from tarimba.notes.rescan_store import Progress
from tarimba.notes.service import RESCAN, RescanOrders, order_rescan, rescan, scan
from tarimba.personal_data import hosting
from tarimba.storage.tables import job, note_chain, note_version, outbox
from tests.contract.personal_data.office import PEOPLE, WORDS, ListedNames, Office, a_customer, with_names

pytestmark = pytest.mark.promise("notes-scanned-again")

LEASE = 31 * SECOND


class Server:
    """What one server process does: looks whether a scan is needed, and does one that was asked for."""

    def __init__(self, kernel: Kernel) -> None:
        self._orders = RescanOrders(kernel)
        self._worker = Worker(kernel, {RESCAN: scan})

    def piece(self) -> bool:
        self._orders.piece()
        return self._worker.piece()


def stamps(office: Office) -> dict[str, str]:
    query = select(note_version.c.note_id, note_version.c.detectors)
    with office.kernel.database.read() as connection:
        return {row.note_id: row.detectors for row in connection.execute(query)}


def progress(office: Office) -> Progress | None:
    """How far the only scan is; None when there is none."""
    with office.kernel.database.read() as connection:
        row = connection.execute(select(job.c.payload).where(job.c.kind == RESCAN)).one_or_none()
    return None if row is None else Progress(**json.loads(row.payload))


def until_done(one: Server) -> int:
    """Does every piece that is waiting. Returns how many there were."""
    pieces = 0
    while one.piece():
        pieces += 1
        assert pieces < 100
    return pieces


def knowing(office: Office, *more: str) -> Kernel:
    """The kernel of a release that knows more names."""
    return with_names(office.kernel, ListedNames((*ListedNames().names, *more)))


def test_hits_are_retired_and_clean_notes_stamped(office: Office) -> None:
    clean = office.kept("Feche o período antes.")
    hit = office.kept("Peça a Otacília que feche o período.", tags=["erp"])
    before = stamps(office)
    release = knowing(office, "Otacília")
    until_done(Server(release))
    assert (office.status(clean), office.status(hit)) == ("active", "retired")
    after = stamps(office)
    assert after[clean] != before[clean]
    assert after[clean].startswith(release.detectors.version)
    (receipt,) = office.acts("note.retire")
    assert (receipt["via"], receipt["actor"]) == ("worker", {"type": "system", "id": "worker"})
    assert (receipt["note_id"], receipt["source_id"]) == (hit, office.source_id)
    assert (receipt["detail"]["reason"], receipt["detail"]["kinds"]) == ("personal_data", ["name"])
    (scanned,) = office.acts("pii.rescan")
    assert scanned["detail"] == {"detectors": after[clean], "scanned": 2, "retired": 1}
    assert office.is_sound()


def test_a_retired_note_is_read_by_nobody_and_announced(office: Office) -> None:
    hit = office.kept("Peça a Otacília que feche o razão.")
    until_done(Server(knowing(office, "Otacília")))
    found = office.ask("agent", "POST", "/v1/agent-memory/search", {"query": "razão"}).json()
    assert found["notes"] == []
    assert "Otac" not in office.ask("agent", "GET", "/v1/agent-memory/block").json()["text"]
    with office.kernel.database.read() as connection:
        rows = connection.execute(select(outbox.c.type, outbox.c.payload).order_by(outbox.c.ordinal)).all()
    assert rows[-1].type == "agent_note.retired"
    assert json.loads(rows[-1].payload)["note_id"] == hit


def test_with_nothing_changed_nothing_is_scanned(office: Office) -> None:
    office.kept("Feche o período antes.")
    office.word("Zuleide Sistemas")
    before = office.receipts()
    assert until_done(Server(office.kernel)) == 0
    assert office.receipts() == before


def test_a_word_that_leaves_takes_its_notes_along(office: Office) -> None:
    entry_id = office.word("Zuleide Sistemas").json()["entry_id"]
    kept = office.kept("Abra em Zuleide Sistemas.")
    office.ask("owner", "DELETE", f"{WORDS}/{entry_id}")
    until_done(Server(office.kernel))
    assert office.status(kept) == "retired"


def test_a_new_customer_takes_its_notes_along(office: Office) -> None:
    kept = office.kept("O pedido de Otacília Bramante foi pago.")
    clean = office.kept("O pedido foi pago.")
    one = Server(office.kernel)
    assert until_done(one) == 0
    office.customer("Otacilia Bramante")
    until_done(one)
    assert (office.status(kept), office.status(clean)) == ("retired", "active")
    office.ask("owner", "DELETE", PEOPLE, a_customer("Otacilia Bramante"))
    assert until_done(one) == 0


def test_a_kind_that_may_stand_no_more_takes_its_notes_along(office: Office) -> None:
    office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": ["cnpj"]}})
    kept = office.kept("CNPJ 11.222.333/0001-81")
    one = Server(office.kernel)
    until_done(one)
    assert office.status(kept) == "active"
    office.ask("owner", "PATCH", "settings", {"personal_data": {"allow": []}})
    until_done(one)
    assert office.status(kept) == "retired"


def test_only_heads_in_force_are_scanned(office: Office) -> None:
    first = office.kept("Peça a Otacília que feche.")
    url = f"/v1/agent-memory/notes/{first}"
    head = office.ask("agent", "PATCH", url, {"body": "Feche."}).json()["note_id"]
    gone = office.kept("Peça a Otacília que abra.")
    office.ask("agent", "POST", f"/v1/agent-memory/notes/{gone}/retire")
    retired = len(office.acts("note.retire"))
    until_done(Server(knowing(office, "Otacília")))
    assert office.status(head) == "active"
    assert len(office.acts("note.retire")) == retired
    assert [receipt["detail"]["scanned"] for receipt in office.acts("pii.rescan")] == [1]


def test_a_scan_goes_on_where_a_dead_process_left_it(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescanning, "CHUNK", 2)
    kept = [office.kept(f"Passo {number} do fechamento.") for number in range(5)]
    hit = office.kept("Peça a Otacília que feche.")
    release = knowing(office, "Otacília")

    def killed(kernel: Kernel, one: Job) -> Later | None:
        scan(kernel, one)
        raise KeyboardInterrupt

    RescanOrders(release).piece()
    with pytest.raises(KeyboardInterrupt):
        Worker(release, {RESCAN: killed}).piece()
    so_far = progress(office)
    assert so_far is not None
    assert (so_far.scanned, so_far.retired) == (2, 0)
    # Its lease is all that is left of the process, and keeps others away until it ends.
    heir = Server(release)
    assert not heir.piece()
    assert progress(office) == so_far
    office.kernel.clock.offset_us += LEASE
    assert until_done(heir) == 3
    assert progress(office) is None
    assert office.status(hit) == "retired"
    assert {office.status(note_id) for note_id in kept} == {"active"}
    assert [receipt["detail"]["scanned"] for receipt in office.acts("pii.rescan")] == [2, 2, 2]
    assert office.is_sound()


def test_a_note_that_becomes_visible_behind_the_scan_is_scanned_too(office: Office) -> None:
    early = office.kept("Peça a Otacília que feche.")
    late = office.kept("Feche o período antes.")
    release = knowing(office, "Otacília")
    hide(office, early, "importing_active")
    server = Server(release)
    assert server.piece()
    assert progress(office) is not None
    hide(office, early, "active")
    until_done(server)
    assert (office.status(early), office.status(late)) == ("retired", "active")


def hide(office: Office, note_id: str, status: str) -> None:
    """What an import does before and when it is complete."""
    with office.kernel.database.write() as connection:
        mine = note_chain.c.head_note_id == note_id
        connection.execute(note_chain.update().where(mine).values(status=status))


def test_two_releases_do_not_scan_against_each_other(office: Office) -> None:
    office.kept("Feche o período antes.")
    old, new = Server(office.kernel), Server(knowing(office, "Otacília"))
    assert until_done(old) == 0
    until_done(new)
    before = office.receipts()
    for one in (old, new, old):
        assert until_done(one) == 0
    assert office.receipts() == before


def test_what_the_space_learns_meanwhile_counts(office: Office) -> None:
    office.kept("Feche o período antes.")
    kept = office.kept("O pedido de Otacília Bramante foi pago.")
    learned: list[int] = []

    def learn() -> None:
        if not learned:
            learned.append(office.customer("Otacília Bramante").status_code)

    names = ListedNames((*ListedNames().names, "Nobody"), before=learn)
    until_done(Server(with_names(office.kernel, names)))
    assert learned == [200]
    assert office.status(kept) == "retired"


def test_a_note_that_was_changed_while_it_was_checked_stays(office: Office) -> None:
    hit = office.kept("Peça a Otacília que feche.")
    heads: list[str] = []

    def edit() -> None:
        if not heads:
            answer = office.ask("agent", "PATCH", f"/v1/agent-memory/notes/{hit}", {"body": "Feche."})
            heads.append(answer.json()["note_id"])

    until_done(Server(with_names(office.kernel, ListedNames(("Otacília",), before=edit))))
    assert office.status(heads[0]) == "active"
    assert office.acts("note.retire") == []


def test_silent_detectors_stop_nothing_but_the_scan(office: Office) -> None:
    hit = office.kept("Peça a Otacília que feche.")

    def silent() -> None:
        raise Refusal("detectors_unavailable", "They do not answer.", retry_after=7)

    names = ListedNames(("Otacília",), before=silent)
    one = Server(with_names(office.kernel, names))
    assert one.piece()
    assert office.status(hit) == "active"
    with office.kernel.database.read() as connection:
        (row,) = connection.execute(select(job.c.problem, job.c.attempts)).all()
    assert tuple(row) == ("detectors_unavailable", 1)
    names.before = lambda: None
    assert not one.piece()
    office.kernel.clock.offset_us += 8 * SECOND
    until_done(one)
    assert office.status(hit) == "retired"


def test_an_import_that_a_change_overtakes_is_scanned(office: Office) -> None:
    office.kept("O pedido de Otacília Bramante foi pago.")
    document = office.ask("owner", "GET", "/v1/agent-memory/export").json()
    office.ask("owner", "DELETE", f"/v1/agent-memory/notes?source_id={office.source_id}")
    known: list[Any] = []

    def learn() -> None:
        if not known:
            known.append(hosting.import_customers(office.kernel, host, ".csv", "name\nOtacília Bramante\n"))

    host = host_of(office.kernel, "acme")
    slow = with_names(office.kernel, ListedNames(before=learn))
    owner = authenticate(office.kernel, office.bearers["owner"], "http")
    assert import_notes(slow, owner, iter([json.dumps(document).encode()])).notes == 1
    # Its stamp is of before: any process finds the order, though it has seen this state already.
    assert progress(office) == Progress()
    until_done(Server(slow))
    (note,) = office.ask("owner", "GET", "/v1/agent-memory/notes").json()["items"]
    assert note["status"] == "retired"


def test_the_host_takes_a_scan_over(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescanning, "CHUNK", 1)
    hits = [office.kept(f"Peça a Otacília que feche {number}.") for number in range(4)]
    release = knowing(office, "Otacília")
    server = Server(release)
    assert server.piece()
    done = rescan(release, host_of(office.kernel, "acme"))
    assert (done.scanned, done.retired) == (3, 3)
    assert until_done(server) == 0
    assert {office.status(note_id) for note_id in hits} == {"retired"}


def test_the_host_scans_when_it_is_told_to(office: Office) -> None:
    hit = office.kept("Peça a Otacília que feche.")
    office.kept("Feche o período antes.")
    host = host_of(office.kernel, "acme")
    done = rescan(knowing(office, "Otacília"), host)
    assert (done.scanned, done.retired) == (2, 1)
    assert office.status(hit) == "retired"
    assert progress(office) is None
    again = rescan(knowing(office, "Otacília"), host)
    assert (again.scanned, again.retired) == (1, 0)


def test_a_scan_that_another_process_takes_over_stops_the_command(office: Office) -> None:
    office.kept("Feche o período antes.")

    def taken_over() -> None:
        office.kernel.writer.commit(office.space_id, lambda tx: drop(tx, RESCAN))
        office.kernel.writer.commit(office.space_id, order_rescan)

    release = with_names(office.kernel, ListedNames(("Otacília",), before=taken_over))
    with pytest.raises(Refusal) as refused:
        rescan(release, host_of(office.kernel, "acme"))
    assert refused.value.code == "conflict"
    until_done(Server(knowing(office, "Otacília")))
    assert progress(office) is None
