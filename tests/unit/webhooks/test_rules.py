"""What a webhook may be, how long a delivery is tried, what is sent."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarimba.clock import DAY
from tarimba.errors import Refusal
from tarimba.webhooks import rules
from tarimba.webhooks.model import Event

ALLOWED = frozenset({"127.0.0.1", "hooks.internal", "::1"})


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com",
        "https://hooks.example.com/a/b?token=x&y=%20",
        "https://HOOKS.example.com.:8443/",
        "https://xn--bcher-kva.example/x",
        "https://8.8.8.8/x",
        "https://[2606:4700:4700::1111]/x",
        "http://hooks.internal:9000/x",
        "http://127.0.0.1:1/",
        "https://[::1]/",
    ],
)
def test_a_url_that_may_be_kept(url: str) -> None:
    assert rules.checked_url(url, ALLOWED) == url


@pytest.mark.promise("webhooks-public-only")
@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.com",
        "//hooks.example.com",
        "ftp://hooks.example.com",
        "file:///etc/passwd",
        "http://hooks.example.com",
        "https://",
        "https:///x",
        "https://user@hooks.example.com",
        "https://user:secret@hooks.example.com",
        "https://127.0.0.1@hooks.example.com",
        "https://hooks.example.com#part",
        "https://hooks.example.com/#",
        "https://hooks.example.com:0/",
        "https://hooks.example.com:99999/",
        "https://hooks.example.com:x/",
        "https://hooks.example.com\\@127.0.0.1/",
        "https://hooks.example.com/a b",
        "https://hooks.example.com/\n",
        "https://hooks\t.example.com/",
        "https://hoóks.example.com/",
        "https://hooks..example.com/",
        "https://-hooks.example.com/",
        f"https://hooks.example.com/{'x' * 2048}",
        f"https://{'x' * 64}.example.com/",
        "https://localhost/",
        "https://intranet/",
        "https://a.localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://127.0.0.2/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://a.0x7f/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[::]/",
        "http://[::2]/",
        "https://[::1/",
    ],
)
def test_a_url_that_may_not(url: str) -> None:
    with pytest.raises(Refusal, match=r"^url: must ") as refused:
        rules.checked_url(url, ALLOWED)
    assert refused.value.code == "invalid_input"


@given(st.text(max_size=40))
def test_no_text_is_more_than_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://hooks.example.com{text}"):
        with suppress(Refusal):
            assert rules.checked_url(url, ALLOWED) == url


def test_types_of_events_are_known_and_once_each() -> None:
    assert rules.checked_events(["agent_note.updated", "agent_note.created", "agent_note.updated"]) == (
        "agent_note.created",
        "agent_note.updated",
    )
    with pytest.raises(Refusal, match=r"^events: must be of: agent_note\.created"):
        rules.checked_events(["agent_note.read"])


def test_waits_end_after_three_days_and_are_spread_by_a_tenth() -> None:
    waits = [rules.wait_after(attempt, 0, 0) for attempt in range(1, 13)]
    assert waits[-1] is None
    whole = [wait for wait in waits if wait is not None]
    assert len(whole) == 11
    assert 3 * DAY < sum(whole) < 3.1 * DAY
    for attempt, wait in enumerate(whole, 1):
        assert wait <= (rules.wait_after(attempt, 0, 0.5) or 0) <= (rules.wait_after(attempt, 0, 1) or 0)
        assert rules.wait_after(attempt, 0, 1) == int(wait * 1.1)


def test_what_is_three_days_old_is_tried_five_times() -> None:
    assert [rules.wait_after(attempt, 3 * DAY, 0) is None for attempt in (1, 4, 5, 6)] == [
        False,
        False,
        True,
        True,
    ]
    assert rules.wait_after(5, 3 * DAY - 1, 0) is not None


def test_a_payload_has_what_standard_webhooks_say_and_the_data_as_it_was() -> None:
    event = Event("e", 1, "agent_note.created", '{"note_id":"n","version":1}', 0)
    assert rules.payload(event, "1970-01-01T00:00:00.000000Z") == (
        b'{"type":"agent_note.created","timestamp":"1970-01-01T00:00:00.000000Z",'
        b'"data":{"note_id":"n","version":1}}'
    )
