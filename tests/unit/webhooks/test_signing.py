"""Signatures against the library of Standard Webhooks, both ways, and everything that is not genuine."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from tarimba.webhooks import signing

SECRET, OTHER = b"s" * 32, b"o" * 32
pytestmark = pytest.mark.promise("webhooks-verified")


@given(st.binary(min_size=24, max_size=64), st.uuids(), st.text(st.characters(codec="utf-8")))
def test_the_library_makes_and_takes_the_same_signature(secret: bytes, event_id: object, text: str) -> None:
    now, payload = int(time.time()), text.encode()
    made = signing.headers([secret], str(event_id), now, payload)
    library = Webhook(signing.shown(secret))
    library.verify(payload, made, json_parse=False)
    signed = library.sign(str(event_id), datetime.fromtimestamp(now, UTC), text)
    assert made["webhook-signature"] == signed
    assert signing.verify(secret, made, payload, now) == str(event_id)
    assert signing.read_secret(signing.shown(secret)) == secret


def test_either_of_two_secrets_verifies_while_one_is_exchanged() -> None:
    now = int(time.time())
    made = signing.headers([SECRET, OTHER], "e", now, b"{}")
    assert len(made["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, OTHER):
        Webhook(signing.shown(secret)).verify(b"{}", made)
        signing.verify(secret, made, b"{}", now)
    with pytest.raises(WebhookVerificationError):
        Webhook(signing.shown(b"t" * 32)).verify(b"{}", made)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "f"},
        {"webhook-id": ""},
        {"webhook-timestamp": "1001"},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "1e3"},
        {"webhook-timestamp": "¹"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,ß"},
        {"webhook-signature": "v1a,c2ln"},
    ],
)
def test_what_was_altered_is_not_genuine(changed: dict[str, str]) -> None:
    made = signing.headers([SECRET], "e", 1000, b"{}")
    assert signing.verify(SECRET, made, b"{}", 1000) == "e"
    with pytest.raises(signing.NotGenuineError):
        signing.verify(SECRET, made | changed, b"{}", 1000)


def test_neither_another_body_nor_another_secret_nor_another_hour_is_genuine() -> None:
    made = signing.headers([SECRET], "e", 1000, b"{}")
    for secret, body, now in ((SECRET, b"{ }", 1000), (OTHER, b"{}", 1000), (SECRET, b"{}", 1301)):
        with pytest.raises(signing.NotGenuineError):
            signing.verify(secret, made, body, now)
    assert signing.verify(SECRET, made, b"{}", 1300) == "e"


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_!!", "c2VjcmV0", "whsec_c2hvcnQ="])
def test_a_secret_that_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        signing.read_secret(text)
