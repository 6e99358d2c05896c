"""`/v1/admin/webhooks` and `/v1/notifications`: who may, what is shown once, what stays hidden."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from niadra import AsyncNiadra, Niadra
from sqlalchemy import select

from tarimba.clock import DAY, HOUR
from tarimba.ids import new_id
from tarimba.storage import Tx
from tarimba.storage.tables import outbox, webhook, webhook_delivery
from tarimba.webhooks import delivering
from tarimba.webhooks.model import EVENT_TYPES
from tarimba.webhooks.sending import Sender
from tarimba.webhooks.service import announce
from tests.contract.api.served import UNKNOWN, Api, serving
from tests.contract.webhooks.receivers import Receiver
from tests.e2e.company import Company, Place

ROOT = "/v1/admin/webhooks"
URL = "https://hooks.example.com/tarimba?token=whisper"


@pytest.fixture
def api(database: str, database_url: str, tmp_path: Path) -> Iterator[Api]:
    place = Place(tmp_path, None if database == "sqlite" else database_url)
    with serving(place, webhook_hosts="127.0.0.1") as served:
        yield served


@pytest.fixture
def company(api: Api) -> Company:
    return api.found()


def add(api: Api, company: Company, url: str = URL, **fields: Any) -> dict[str, Any]:
    answer = api.call(company, "manager", "POST", ROOT, json={"url": url, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def happens(api: Api, company: Company, count: int = 1) -> list[str]:
    """Ids of that many events."""

    def work(tx: Tx) -> list[str]:
        return [announce(tx, "agent_note.created", new_id(), {"note_id": new_id()}) for _ in range(count)]

    return api.kernel.writer.commit(company.space_id, work)


def test_a_webhook_from_its_making_to_its_end(api: Api, company: Company) -> None:
    made = add(api, company, events=["agent_note.retired", "agent_note.created"])
    assert made["secret"].startswith("whsec_")
    assert made["events"] == ["agent_note.created", "agent_note.retired"]
    assert (made["state"], made["last_status"], made["old_secret_until"]) == ("active", None, None)
    one = f"{ROOT}/{made['webhook_id']}"
    known = {name: value for name, value in made.items() if name != "secret"}
    assert api.call(company, "owner", "GET", ROOT).json() == {"items": [known]}
    changed = api.call(company, "admin", "PATCH", one, json={"url": f"{URL}2", "events": [], "state": "off"})
    assert changed.json() == known | {"url": f"{URL}2", "events": [], "state": "off"}
    rotated = api.call(company, "owner", "POST", f"{one}/rotate").json()
    assert rotated["secret"] not in {None, made["secret"]}
    assert rotated["old_secret_until"] is not None
    assert api.call(company, "owner", "DELETE", one).json() == {"webhook_id": made["webhook_id"]}
    assert api.call(company, "owner", "GET", ROOT).json() == {"items": []}
    for method, path in (
        ("PATCH", one),
        ("DELETE", one),
        ("POST", f"{one}/rotate"),
        ("GET", f"{one}/deliveries"),
    ):
        body = {"json": {"state": "off"}} if method == "PATCH" else {}
        assert api.call(company, "owner", method, path, **body).status_code == 404
    with api.kernel.database.read() as connection:
        row = connection.execute(select(webhook)).one()
    assert (row.url, bytes(row.secret), row.old_secret, row.state) == ("", b"", None, "removed")


def test_a_change_of_nothing_leaves_no_receipt(api: Api, company: Company) -> None:
    one = f"{ROOT}/{add(api, company)['webhook_id']}"
    before = api.actions(company)
    for body in ({}, {"url": URL}, {"state": "active", "events": []}):
        answer = api.call(company, "owner", "PATCH", one, json=body)
        assert answer.status_code == 200
        assert "tarimba-receipt" not in answer.headers
    assert api.actions(company) == before


def test_receipts_hold_neither_the_url_nor_a_secret(api: Api, company: Company) -> None:
    made = add(api, company)
    api.call(company, "owner", "POST", f"{ROOT}/{made['webhook_id']}/rotate")
    with api.kernel.database.read() as connection:
        log = b"".join(
            bytes(row) for row in connection.exec_driver_sql("SELECT entries FROM receipt_bundle").scalars()
        )
    assert b"webhook.change" in log
    assert not [word for word in (b"hooks.example.com", b"whsec", b"whisper") if word in log]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": None},
        {"url": "http://hooks.example.com"},
        {"url": "https://127.0.0.2/"},
        {"url": "https://user:hunter2@hooks.example.com"},
        {"url": URL, "events": ["agent_note.read"]},
        {"url": URL, "events": "agent_note.created"},
        {"url": URL, "colour": "crimson"},
        {"url": f"{URL}{'x' * 3000}"},
    ],
)
def test_a_bad_webhook_is_refused_and_not_quoted(api: Api, company: Company, body: dict[str, Any]) -> None:
    answer = api.call(company, "owner", "POST", ROOT, json=body)
    assert answer.status_code == 422
    assert not [word for word in ("hooks.example", "hunter2", "crimson", "127.0.0.2") if word in answer.text]
    assert api.call(company, "owner", "GET", ROOT).json() == {"items": []}


def test_there_are_at_most_twenty_and_removed_ones_do_not_count(api: Api, company: Company) -> None:
    made = [add(api, company)["webhook_id"] for _ in range(20)]
    refused = api.call(company, "owner", "POST", ROOT, json={"url": URL})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    api.call(company, "owner", "DELETE", f"{ROOT}/{made[0]}")
    made = [*made[1:], add(api, company)["webhook_id"]]
    first = api.call(company, "owner", "GET", ROOT, params={"limit": 15}).json()
    rest = {"limit": 15, "cursor": first["next_cursor"]}
    second = api.call(company, "owner", "GET", ROOT, params=rest).json()
    assert [one["webhook_id"] for page in (first, second) for one in page["items"]] == made
    assert "next_cursor" not in second


@pytest.mark.parametrize("who", ["billing", "reviewer", "operator", "auditor", "member"])
def test_who_may_not(api: Api, company: Company, who: str) -> None:
    webhook_id = add(api, company)["webhook_id"]
    one = f"{ROOT}/{webhook_id}"
    requests: list[tuple[str, str, Any]] = [
        ("GET", ROOT, None),
        ("POST", ROOT, {"url": URL}),
        ("PATCH", one, {"state": "off"}),
        ("DELETE", one, None),
        ("POST", f"{one}/rotate", None),
        ("GET", f"{one}/deliveries", None),
        ("POST", f"{one}/deliveries/{UNKNOWN}/redeliver", None),
    ]
    for method, path, body in requests:
        answer = api.call(company, who, method, path, **({"json": body} if body else {}))
        assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


def test_another_company_s_webhook_is_one_that_never_was(api: Api, company: Company) -> None:
    webhook_id = add(api, company)["webhook_id"]
    other = api.found()
    for which in (webhook_id, UNKNOWN, "x"):
        answer = api.call(other, "owner", "DELETE", f"{ROOT}/{which}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.promise("webhooks-verified")
def test_both_secrets_sign_for_a_day_and_then_the_new_one(
    api: Api, company: Company, receiver: Receiver
) -> None:
    made = add(api, company, receiver.url)
    rotated = api.call(company, "owner", "POST", f"{ROOT}/{made['webhook_id']}/rotate").json()
    sender = Sender(api.kernel)
    happens(api, company)
    assert sender.piece() == 1
    (one,) = receiver.received()
    for secret in (made["secret"], rotated["secret"]):
        assert one.verified(secret)["type"] == "agent_note.created"
    api.kernel.clock.offset_us += 24 * HOUR
    happens(api, company)
    assert sender.piece() == 1
    signatures = receiver.received()[-1].headers["webhook-signature"].split(" ")
    assert len(signatures) == 1


def test_deliveries_are_listed_and_sent_again_by_hand(api: Api, company: Company, receiver: Receiver) -> None:
    one = f"{ROOT}/{add(api, company, receiver.url)['webhook_id']}"
    ids = happens(api, company, 5)
    sender = Sender(api.kernel)
    while sender.piece():
        continue
    first = api.call(company, "owner", "GET", f"{one}/deliveries", params={"limit": 3}).json()
    rest = {"limit": 3, "cursor": first["next_cursor"]}
    second = api.call(company, "owner", "GET", f"{one}/deliveries", params=rest).json()
    assert [one["event_id"] for page in (first, second) for one in page["items"]] == ids[::-1]
    assert {(one["state"], one["attempts"], one["last_status"]) for one in first["items"]} == {
        ("delivered", 1, 204)
    }
    again = api.call(company, "manager", "POST", f"{one}/deliveries/{ids[1]}/redeliver")
    assert (again.status_code, again.json()["state"], again.json()["attempts"]) == (202, "pending", 0)
    pending = api.call(company, "owner", "GET", f"{one}/deliveries", params={"state": "pending"}).json()
    assert [one["event_id"] for one in pending["items"]] == [ids[1]]
    assert sender.piece() == 1
    assert sorted(receiver.ids()) == sorted([*ids, ids[1]])
    # A cursor of one list is none of another.
    wrong = {"state": "pending", "cursor": first["next_cursor"]}
    assert api.call(company, "owner", "GET", f"{one}/deliveries", params=wrong).status_code == 422
    assert api.call(company, "owner", "POST", f"{one}/deliveries/{UNKNOWN}/redeliver").status_code == 404
    api.call(company, "owner", "PATCH", one, json={"state": "off"})
    assert api.call(company, "owner", "POST", f"{one}/deliveries/{ids[1]}/redeliver").status_code == 409


@pytest.mark.promise("notifications-skip-nothing")
def test_notifications_come_oldest_first_and_a_cursor_stays_while_nothing_is_new(
    api: Api, company: Company
) -> None:
    def poll(**query: Any) -> tuple[list[str], str]:
        page = api.call(company, "admin", "GET", "/v1/notifications", params=query).json()
        return [item["id"] for item in page["items"]], page["next_cursor"]

    nothing, start = poll()
    assert nothing == []
    assert poll(cursor=start) == ([], start)
    ids = happens(api, company, 5)
    seen, cursor = poll(cursor=start, limit=2)
    while (more := poll(cursor=cursor, limit=2))[0]:
        seen, cursor = seen + more[0], more[1]
    assert seen == ids
    assert more[1] == cursor
    later = happens(api, company)
    assert poll(cursor=cursor)[0] == later
    assert poll()[0] == ids + later
    (item, *_) = api.call(company, "auditor", "GET", "/v1/notifications").json()["items"]
    assert set(item) == {"id", "type", "tenant", "created_at", "data"}
    assert item["tenant"] == company.space_id


@pytest.mark.parametrize(
    ("who", "status"), [("billing", 403), ("courier", 403), ("member", 403), ("operator", 200)]
)
def test_the_stream_is_for_people_and_admin_keys(api: Api, company: Company, who: str, status: int) -> None:
    happens(api, company)
    assert api.call(company, who, "GET", "/v1/notifications").status_code == status


def test_one_company_sees_nothing_of_another_in_the_stream(api: Api, company: Company) -> None:
    other = api.found()
    happens(api, company)
    page = api.call(other, "owner", "GET", "/v1/notifications").json()
    assert page["items"] == []
    stolen = api.call(company, "owner", "GET", "/v1/notifications").json()["next_cursor"]
    for who in ("owner", "admin"):
        answer = api.call(other, who, "GET", "/v1/notifications", params={"cursor": stolen})
        assert answer.status_code == 422


@pytest.mark.promise("notifications-skip-nothing")
def test_the_independent_client_reads_the_stream(api: Api, company: Company) -> None:
    ids = happens(api, company, 3)
    url, bearer = str(api.http.base_url), company.bearers["admin"]
    with Niadra(bearer, base_url=url) as client:
        page = client.api.notifications(limit=2)
        rest = client.api.notifications(cursor=page.next_cursor)
        still = client.api.notifications(cursor=rest.next_cursor)
    assert [item.id for item in [*page.items, *rest.items]] == ids
    assert (still.items, still.next_cursor) == ([], rest.next_cursor)
    assert page.items[0].tenant == company.space_id

    async def read() -> list[str]:
        async with AsyncNiadra(bearer, base_url=url) as client:
            return [item.id for item in (await client.api.notifications()).items]

    assert asyncio.run(read()) == ids


def test_what_is_older_than_thirty_days_goes_unless_somebody_waits_for_it(
    api: Api, company: Company, receiver: Receiver
) -> None:
    def left() -> list[str]:
        query = select(outbox.c.event_id).where(outbox.c.space_id == company.space_id)
        with api.kernel.database.read() as connection:
            return list(connection.scalars(query.order_by(outbox.c.ordinal)))

    happens(api, company, 3)
    webhook_id = add(api, company, receiver.url)["webhook_id"]
    waiting = happens(api, company, 2)
    api.kernel.clock.offset_us += 30 * DAY
    new = happens(api, company)
    delivering.tidy(api.kernel)
    assert left() == [*waiting, *new]
    sender = Sender(api.kernel)
    while sender.piece():
        continue
    delivering.tidy(api.kernel)
    assert left() == new
    assert len(receiver.received()) == 3
    deliveries = api.call(company, "owner", "GET", f"{ROOT}/{webhook_id}/deliveries").json()["items"]
    assert [one["event_id"] for one in deliveries] == new
    api.call(company, "owner", "DELETE", f"{ROOT}/{webhook_id}")
    assert delivering.tidy(api.kernel)
    assert not delivering.tidy(api.kernel)
    with api.kernel.database.read() as connection:
        assert connection.execute(select(webhook_delivery)).first() is None


def test_planning_twice_plans_each_event_once(api: Api, company: Company) -> None:
    webhook_id = add(api, company)["webhook_id"]
    happens(api, company, delivering.PLANNED_AT_ONCE + 1)
    plan = partial(delivering.plan, webhook_id=webhook_id)
    assert [api.kernel.writer.commit(company.space_id, plan) for _ in range(3)] == [True, False, False]
    with api.kernel.database.read() as connection:
        rows = connection.scalars(select(webhook_delivery.c.ordinal)).all()
    assert len(rows) == len(set(rows)) == delivering.PLANNED_AT_ONCE + 1


def test_every_event_that_is_announced_can_be_asked_for() -> None:
    listed = (Path(__file__).parents[3] / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
    announced = {line.split("`")[1] for line in listed.splitlines() if line.startswith("| `")}
    assert announced
    assert announced <= set(EVENT_TYPES)
