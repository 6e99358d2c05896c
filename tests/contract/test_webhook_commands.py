"""`tarimba webhooks` on both databases, and its receiver."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx
import pytest

from tarimba import cli
from tarimba.webhooks import signing
from tests.contract.test_cli import Host, host  # noqa: F401
from tests.fixtures.cluster import free_port

URL = "https://hooks.example.com/tarimba"
SECRET = signing.shown(b"s" * 32)


def test_a_webhook_is_added_turned_rotated_and_removed(host: Host) -> None:  # noqa: F811
    host.apply()
    made = host.json("webhooks", "add", URL, "--event", "agent_note.created")
    assert made["secret"].startswith("whsec_")
    code, output, _ = host.run("webhooks", "add", URL)
    webhook, secret = output.splitlines()
    assert (code, webhook.startswith("webhook "), secret.startswith("secret whsec_")) == (0, True, True)
    host.json("webhooks", "remove", webhook.removeprefix("webhook "))
    (listed,) = host.json("webhooks", "list")
    assert "secret" not in listed
    assert (listed["webhook_id"], listed["events"]) == (made["webhook_id"], ["agent_note.created"])
    rotated = host.json("webhooks", "rotate", made["webhook_id"])
    assert rotated["secret"] != made["secret"]
    assert host.json("webhooks", "turn", made["webhook_id"], "off")["state"] == "off"
    assert host.json("webhooks", "turn", made["webhook_id"], "on")["state"] == "active"
    assert host.json("webhooks", "deliveries", made["webhook_id"]) == []
    assert host.refused("webhooks", "redeliver", made["webhook_id"], "x")[0] == 1
    assert host.refused("webhooks", "remove", "x") == (1, "There is no such webhook that you can read.")
    code, sentence = host.refused("webhooks", "add", "http://hooks.example.com")
    assert (code, sentence.startswith("url: must be https")) == (2, True)
    assert host.json("receipts", "verify")["ok"] is True


def test_the_receiver_prints_what_is_genuine_and_refuses_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    codes: list[int] = []
    arguments = ["webhooks", "listen", "--secret", SECRET, "--port", str(port), "--count", "1"]
    thread = threading.Thread(target=lambda: codes.append(cli.run(arguments)))
    thread.start()
    body = b'{"type":"agent_note.created","timestamp":"x","data":{"note_id":"n-1","version":1}}'
    genuine = signing.headers([b"s" * 32], "e-1", int(time.time()), body)
    strange = signing.headers([b"o" * 32], "e-1", int(time.time()), body)
    assert [_sent(port, body, headers) for headers in (strange, {}, genuine)] == [401, 401, 204]
    thread.join()
    assert codes == [0]
    listening, *lines = capsys.readouterr().out.splitlines()
    assert listening == f"Listening on http://127.0.0.1:{port}/"
    assert [line.startswith("refused: ") for line in lines] == [True, True, False]
    assert lines[-1] == "agent_note.created e-1 note_id=n-1 version=1"


def test_a_secret_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["webhooks", "listen", "--secret", "whsec_short"]) == 2
    assert capsys.readouterr().err.startswith("--secret: must be a secret as it was shown")


def _sent(port: int, body: bytes, headers: dict[str, Any]) -> int:
    transport = httpx.HTTPTransport(retries=20)
    with httpx.Client(transport=transport, timeout=60) as client:
        return client.post(f"http://127.0.0.1:{port}/", content=body, headers=headers).status_code
